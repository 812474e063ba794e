\relative c' { a4 a c a }

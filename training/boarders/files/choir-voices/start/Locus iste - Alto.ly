\relative c' { e4 e f e }

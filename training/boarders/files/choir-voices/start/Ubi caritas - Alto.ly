\relative c' { d4 d e d }

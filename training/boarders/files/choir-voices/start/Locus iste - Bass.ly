\relative c { c4 c f, c' }

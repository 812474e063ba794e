\relative c'' { g4 g a g }

\relative c'' { d4 f g f }

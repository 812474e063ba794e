"""What users see in the terminal: events drawn as text, questions, and the input line."""

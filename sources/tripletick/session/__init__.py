"""One session in one folder: its parts, its models, and what happens between turns."""

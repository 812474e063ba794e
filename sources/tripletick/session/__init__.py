"""One session in one folder: its parts, its models, and what comes and goes between turns."""

"""Many tasks, each a tripletick of its own: read from a file, spread over engines, recorded once."""

"""Runs many tasks from a file, spread over servers or machines, and records each result once."""

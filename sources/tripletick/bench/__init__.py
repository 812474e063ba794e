"""Measures how well a model does: benchmark tasks, their checks, counts and comparisons."""

"""tripletick: local language models that act by writing Markdown code fences."""

__version__ = "0.1.0"

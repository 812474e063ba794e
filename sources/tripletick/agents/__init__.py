"""Agents, and the sentences around requests and results: Markdown and TOML files of prompts/."""

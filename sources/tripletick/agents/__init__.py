"""The agents and the prompt texts: Markdown and TOML files of prompts/, loaded and checked."""

"""The table of languages: one row of languages.toml each."""

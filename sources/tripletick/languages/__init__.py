"""The table of languages: a row of languages.toml each."""

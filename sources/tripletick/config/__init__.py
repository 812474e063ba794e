"""Settings: where each value comes from, what values are allowed, and config.ini itself."""

"""Settings: where each value comes from, which values are allowed, and config.ini itself."""

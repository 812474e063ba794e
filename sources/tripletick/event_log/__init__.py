"""The log of a session: one JSON line per event."""

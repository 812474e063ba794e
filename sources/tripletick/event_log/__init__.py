"""The log of a session: one JSON line an event."""

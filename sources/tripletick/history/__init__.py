"""Past sessions: restored from their logs, listed, searched and exported."""

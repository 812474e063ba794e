"""The chat, and the screens that events are drawn on."""

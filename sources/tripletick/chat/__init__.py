"""The interactive chat, and the choice of the screen that events are drawn on."""

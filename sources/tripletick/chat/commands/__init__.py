"""What the slash commands of the chat do; their table is in chat.py."""

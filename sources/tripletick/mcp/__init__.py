"""MCP: the user's tool servers, started at first use, and tripletick as a server itself."""

PACKAGE = "mcp>=2"

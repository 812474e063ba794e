"""Servers of tools (Model Context Protocol): the user's own, begun at their first use.

The protocol itself is the SDK's (the extra `tripletick[mcp]`), which is imported when a server is spoken to.
"""

PACKAGE = "mcp>=2"

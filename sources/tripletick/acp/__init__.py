"""Editors: a server of the Agent Client Protocol (ACP), whose sessions are those of the chat."""

PACKAGE = "agent-client-protocol"

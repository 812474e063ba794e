"""HTTP: OpenAI's API for other programs, and a page for the browser with the sessions of the chat."""

PACKAGES = "agent-client-protocol starlette uvicorn"

"""The tools by their canonical tags; which of them an agent may use is set in the agent's file."""

from __future__ import annotations

from tripletick.tools.tool import Tool


def load_tools() -> dict[str, Tool]:
    """Give every tool: one for each runnable language, and those for files."""
    from tripletick.languages.registry import LANGUAGES
    from tripletick.tools import browse, code, edit, files, finder, mcp, shell, web

    programs = (code.make_code_tool(row) for row in LANGUAGES.values() if row.is_runnable)
    others = (*files.TOOLS, edit.TOOL, finder.TOOL, *web.TOOLS, browse.TOOL, mcp.TOOL)
    table = {tool.tag: tool for tool in (*programs, *others)}
    return table | {shell.SHELL: shell.make_shell_tool()}

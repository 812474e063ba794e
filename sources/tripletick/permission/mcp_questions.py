"""What is asked before a tool of a server is called: what it says itself that it may do.

A tool that says nothing is not asked for. Not covered: words from strangers (outside), what the server's box
lets it do (attaching).
"""

from __future__ import annotations

from collections.abc import Iterator

from tripletick.mcp.values import McpTool
from tripletick.permission.block import PendingBlock
from tripletick.permission.questions import AskPolicy, Question
from tripletick.tools import mcp

DESTROYS = "may destroy or overwrite data"
REACHES = "connects to other computers"
ASK = "According to its server, {name}.{tool} {does}. Call it?"
WHAT = "the call of {name}.{tool}"
CONFINED = "In its sandbox the server can change files only in this folder; tripletick undo restores them."
FREE = "The server runs without a sandbox or on another machine, so what it does cannot be undone."


def build_question(block: PendingBlock, asking: AskPolicy) -> Question | None:
    """Give what is to be asked of a call, None where nothing is; the server is started for that."""
    if block.tool.tag != mcp.TAG:
        return None
    servers, (name, tool, _) = block.context.servers, mcp.parse_target(block.call)
    if not tool or name not in servers.sections:
        return None
    offered = servers.peek_tool(name, tool, block.context.mode, block.context.halt)
    confined = servers.is_confined(name)
    does = list(_list_hazards(offered, unasked=asking.yes and confined)) if offered else []
    if not does:
        return None
    text = ASK.format(name=name, tool=tool, does=" and ".join(does))
    what = WHAT.format(name=name, tool=tool)
    return Question(f"mcp {name}.{tool}", text, what, CONFINED if confined else FREE, "yns")


def _list_hazards(offered: McpTool, *, unasked: bool) -> Iterator[str]:
    """Name what is worth a question; `unasked`: -y has said yes to what a box holds."""
    if offered.is_destructive and not unasked:
        yield DESTROYS
    if offered.reaches_out:
        yield REACHES

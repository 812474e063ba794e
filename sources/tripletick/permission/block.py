"""One block on its way to its tool: the call, what it works on, and what it may do."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

from tripletick.checkpoint import Checkpoints
from tripletick.events import Ask, Looking, Notice, Output
from tripletick.languages.registry import LANGUAGES
from tripletick.messages import Answer, Call, Result
from tripletick.permission.needs import SAVES, Need
from tripletick.permission.script_parts import ScriptParts
from tripletick.sandbox.box import Grant
from tripletick.tools import edit, file_writer
from tripletick.tools.file_writer import Diff
from tripletick.tools.tool import Tool, ToolContext

INSTEAD = "The person ran this instead:\n{script}\n"


@dataclass(frozen=True, slots=True)
class PendingBlock:
    """A call, its tool, the context it works in, and the snapshots around it."""

    tool: Tool
    call: Call
    context: ToolContext
    points: Checkpoints
    typed: bool = False
    """True for what the user typed."""
    edited: bool = False
    parts: ScriptParts | None = None
    """The installs and commits of its script, which run on their own; None until they were looked for."""
    needs: tuple[Need, ...] = ()
    """What it lacked when it ran, and has been granted since."""

    @property
    def name(self) -> str:
        return f"{self.tool.tag} {self.call.path}" if self.call.path else self.tool.tag

    @property
    def tagged_call(self) -> Call:
        """The call under the tag of the tool that will take it."""
        return replace(self.call, tool=self.tool.tag)

    @property
    def has_parts(self) -> bool:
        return self.parts is not None and not self.parts.is_whole

    def with_grant(self, grant: Grant) -> PendingBlock:
        """Let it do this, too."""
        own = self.context.grant
        write = tuple(dict.fromkeys((*own.write, *grant.write)))
        network, ignore = own.network or grant.network, own.ignore or grant.ignore
        both = replace(own, network=network, ignore=ignore, write=write, opened=own.opened | grant.opened)
        context = replace(self.context, grant=both)
        if context.offers and write:
            parts = [path for path in write if path.is_relative_to(context.workspace.root)]
            context = replace(context, mode="work", workspace=context.workspace.with_writable(parts))
        return replace(self, context=context)

    def with_need(self, need: Need) -> PendingBlock:
        """Grant what it lacked."""
        return replace(self.with_grant(need.grant), needs=(*self.needs, need))

    def with_answer(self, answer: Answer) -> PendingBlock:
        """Take what the user made of it."""
        agreed = self.context.agreed or answer.shown or answer.choice == "e"
        block = replace(self, context=replace(self.context, agreed=agreed))
        if answer.choice != "e":
            return block
        return replace(block, call=replace(self.call, body=answer.text.strip("\n")), edited=True)

    def preview_diff(self) -> Diff:
        """Give what it would change of a file that is there already, if it saves one."""
        if not self.call.path or self.context.mode == "read":
            return ()
        if self.tool.tag == "edit":
            return edit.preview_diff(self.tagged_call, self.context)
        saves = self.tool.tag in SAVES or self.tool.tag in LANGUAGES
        return file_writer.preview_diff(self.tagged_call, self.context) if saves else ()

    def with_script(self, script: str) -> PendingBlock:
        return replace(self, call=replace(self.call, body=script))


Permitting = Generator[Looking | Output | Ask | Notice, Answer | None, PendingBlock | Result]
"""Gives the block as it may run, or the result that it has without running."""


def add_edit_note(result: Result, answer: Answer) -> Result:
    """Say in a result that the user's own words ran."""
    if answer.choice != "e":
        return result
    return replace(result, text=INSTEAD.format(script=answer.text.strip("\n")) + result.text)

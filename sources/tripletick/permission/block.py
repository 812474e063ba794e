"""One block on its way through the gate: the call, what works on it, and what it may do."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, replace

from tripletick.checkpoint import Checkpoints
from tripletick.events import Ask, Looking, Notice, Output
from tripletick.languages.registry import LANGUAGES
from tripletick.messages import Answer, Call, Result
from tripletick.paths import PathRefused
from tripletick.permission import home_folders
from tripletick.permission.needs import SAVES
from tripletick.permission.snapshot_progress import run_with_progress
from tripletick.sandbox.box import Grant
from tripletick.tools import edit, file_writer
from tripletick.tools.file_writer import Diff
from tripletick.tools.tool import Tool, ToolContext

INSTEAD = "The person ran this instead:\n{script}\n"


@dataclass(frozen=True, slots=True)
class PendingBlock:
    """A call, its tool, the bench it works on, and the snapshots around it."""

    tool: Tool
    call: Call
    bench: ToolContext
    points: Checkpoints
    typed: bool = False
    """True for what the user typed."""
    edited: bool = False
    makes: Callable[[], object] = bool
    """Makes what the block was let make, once the snapshot before it was taken."""

    @property
    def name(self) -> str:
        return f"{self.tool.tag} {self.call.path}" if self.call.path else self.tool.tag

    @property
    def tagged_call(self) -> Call:
        """The call under the tag of the tool that will take it."""
        return replace(self.call, tool=self.tool.tag)

    def with_grant(self, grant: Grant) -> PendingBlock:
        """Let it do this, too."""
        own = self.bench.grant
        write = tuple(dict.fromkeys((*own.write, *grant.write)))
        network, ignore = own.network or grant.network, own.ignore or grant.ignore
        both = replace(own, network=network, ignore=ignore, write=write, opened=own.opened | grant.opened)
        bench = replace(self.bench, grant=both)
        if bench.offers and write:
            parts = [path for path in write if path.is_relative_to(bench.workspace.root)]
            bench = replace(bench, mode="work", workspace=bench.workspace.with_writable(parts))
        return replace(self, bench=bench)

    def with_answer(self, answer: Answer) -> PendingBlock:
        """Take what the user made of it."""
        agreed = self.bench.agreed or answer.shown or answer.choice == "e"
        block = replace(self, bench=replace(self.bench, agreed=agreed))
        if answer.choice != "e":
            return block
        return replace(block, call=replace(self.call, body=answer.text.strip("\n")), edited=True)

    def preview_diff(self) -> Diff:
        """Give what it would change of a file that is there already, if it saves one."""
        if not self.call.path or self.bench.mode == "read":
            return ()
        if self.tool.tag == "edit":
            return edit.preview_diff(self.tagged_call, self.bench)
        saves = self.tool.tag in SAVES or self.tool.tag in LANGUAGES
        return file_writer.preview_diff(self.tagged_call, self.bench) if saves else ()

    def with_script(self, script: str) -> PendingBlock:
        return replace(self, call=replace(self.call, body=script))


def run_with_snapshots(
    block: PendingBlock,
) -> Generator[Looking | Output | Ask | Notice, Answer | None, Result]:
    """Run a block between two snapshots; a result of the user's own says so."""
    watched = block.tool.writes and not (block.bench.offers and block.bench.mode == "read")
    running = _run_watching_home(block) if watched else block.tool.run(block.call, block.bench)
    result = yield from running
    return add_edit_note(result, Answer("e", block.call.body)) if block.edited else result


def _run_watching_home(
    block: PendingBlock,
) -> Generator[Looking | Output | Ask | Notice, Answer | None, Result]:
    """Run what may write, and tell what it leaves where the user would not look."""
    home, script = block.bench.box.home, block.call.body
    yield from snapshot_before(block)
    block.makes()
    was = home_folders.scan_home(home, script)
    result = yield from block.tool.run(block.call, block.bench)
    yield from snapshot_after(block)
    paths = home_folders.format_changes(was, home_folders.scan_home(home, script))
    if not paths:
        return result
    yield Notice(home_folders.PERSON.format(paths=paths))
    text = "\n".join(filter(None, (result.text, home_folders.MODEL.format(paths=paths))))
    told = replace(result, text=text, view=result.view or result.text or "\n")
    return (
        replace(told, outcome="failed", verdict=home_folders.FAILED, exit=result.exit or 1)
        if result.ok
        else told
    )


def add_edit_note(result: Result, answer: Answer) -> Result:
    """Say in a result that the user's own words ran."""
    if answer.choice != "e":
        return result
    return replace(result, text=INSTEAD.format(script=answer.text.strip("\n")) + result.text)


def snapshot_before(block: PendingBlock) -> Generator[Looking | Notice, Answer | None, None]:
    """Take a snapshot, and keep the file that the block is about to save."""
    # What is hidden now is known later under whatever name.
    block.bench.workspace.make_hidden_check()
    lines = []
    if block.bench.offers:
        root = block.bench.workspace.root
        parts = [path.relative_to(root) for path in block.bench.grant.write if path.is_relative_to(root)]
        lines.append(block.points.track_paths(map(str, parts)))
    lines += [(yield from run_with_progress(block.points, block.points.snapshot_before_block))]
    if block.call.path:
        with suppress(PathRefused):
            lines.append(block.points.back_up_file(block.bench.workspace.resolve_path(block.call.path).path))
    yield from (Notice(line) for line in lines if line)


def snapshot_after(block: PendingBlock) -> Generator[Looking | Notice, Answer | None, None]:
    """Take a snapshot, and tell what the user must know of what the block did."""
    lines = yield from run_with_progress(block.points, block.points.snapshot_after_block)
    yield from map(Notice, lines)

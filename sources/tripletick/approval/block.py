"""One block on its way through the gate: the call, what works on it, and what it may do."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, replace

from tripletick.approval import homes
from tripletick.approval.looking import looked
from tripletick.approval.needs import SAVES
from tripletick.checkpoint import Checkpoints
from tripletick.events import Ask, Looking, Notice, Output
from tripletick.languages import LANGUAGES
from tripletick.messages import Answer, Call, Result
from tripletick.paths import PathRefused
from tripletick.sandbox.box import Grant
from tripletick.tools import edit, saving
from tripletick.tools.saving import Diff
from tripletick.tools.tool import Bench, Tool

INSTEAD = "The person ran this instead:\n{script}\n"


@dataclass(frozen=True, slots=True)
class Block:
    """A call, its tool, the bench it works on, and the snapshots around it."""

    tool: Tool
    call: Call
    bench: Bench
    points: Checkpoints
    typed: bool = False
    """True for what the person typed himself."""
    edited: bool = False
    makes: Callable[[], object] = bool
    """Makes what the block was let make, once the snapshot before it was taken."""

    @property
    def name(self) -> str:
        return f"{self.tool.tag} {self.call.path}" if self.call.path else self.tool.tag

    @property
    def meant(self) -> Call:
        """The call under the tag of the tool that will take it."""
        return replace(self.call, tool=self.tool.tag)

    def granted(self, grant: Grant) -> Block:
        """Let it do this, too."""
        own = self.bench.grant
        write = tuple(dict.fromkeys((*own.write, *grant.write)))
        network, ignore = own.network or grant.network, own.ignore or grant.ignore
        both = replace(own, network=network, ignore=ignore, write=write, opened=own.opened | grant.opened)
        bench = replace(self.bench, grant=both)
        if bench.offers and write:
            parts = [path for path in write if path.is_relative_to(bench.workspace.root)]
            bench = replace(bench, mode="work", workspace=bench.workspace.writing_to(parts))
        return replace(self, bench=bench)

    def answered(self, answer: Answer) -> Block:
        """Take what the person made of it."""
        agreed = self.bench.agreed or answer.shown or answer.choice == "e"
        block = replace(self, bench=replace(self.bench, agreed=agreed))
        if answer.choice != "e":
            return block
        return replace(block, call=replace(self.call, body=answer.text.strip("\n")), edited=True)

    def proposed(self) -> Diff:
        """Give what it would change of a file that is there already, if it saves one."""
        if not self.call.path or self.bench.mode == "read":
            return ()
        if self.tool.tag == "edit":
            return edit.proposed(self.meant, self.bench)
        saves = self.tool.tag in SAVES or self.tool.tag in LANGUAGES
        return saving.proposed(self.meant, self.bench) if saves else ()

    def having(self, script: str) -> Block:
        return replace(self, call=replace(self.call, body=script))


def work(block: Block) -> Generator[Looking | Output | Ask | Notice, Answer | None, Result]:
    """Run a block between two snapshots; a result of the person's own says so."""
    watched = block.tool.writes and not (block.bench.offers and block.bench.mode == "read")
    running = _watched(block) if watched else block.tool.run(block.call, block.bench)
    result = yield from running
    return instead(result, Answer("e", block.call.body)) if block.edited else result


def _watched(block: Block) -> Generator[Looking | Output | Ask | Notice, Answer | None, Result]:
    """Run what may write, and tell what it leaves where the person would not look."""
    home, script = block.bench.box.home, block.call.body
    yield from before(block)
    block.makes()
    was = homes.look(home, script)
    result = yield from block.tool.run(block.call, block.bench)
    yield from after(block)
    paths = homes.left(was, homes.look(home, script))
    if not paths:
        return result
    yield Notice(homes.PERSON.format(paths=paths))
    text = "\n".join(filter(None, (result.text, homes.MODEL.format(paths=paths))))
    told = replace(result, text=text, view=result.view or result.text or "\n")
    return replace(told, outcome="failed", verdict=homes.FAILED, exit=result.exit or 1) if result.ok else told


def instead(result: Result, answer: Answer) -> Result:
    """Say in a result that the person's own words ran."""
    if answer.choice != "e":
        return result
    return replace(result, text=INSTEAD.format(script=answer.text.strip("\n")) + result.text)


def before(block: Block) -> Generator[Looking | Notice, Answer | None, None]:
    """Take a snapshot, and keep the file that the block is about to save."""
    # What is hidden now is known later under whatever name.
    block.bench.workspace.hides()
    lines = []
    if block.bench.offers:
        root = block.bench.workspace.root
        parts = [path.relative_to(root) for path in block.bench.grant.write if path.is_relative_to(root)]
        lines.append(block.points.cover(map(str, parts)))
    lines += [(yield from looked(block.points, block.points.before_block))]
    if block.call.path:
        with suppress(PathRefused):
            lines.append(block.points.keep(block.bench.workspace.resolve(block.call.path).path))
    yield from (Notice(line) for line in lines if line)


def after(block: Block) -> Generator[Looking | Notice, Answer | None, None]:
    """Take a snapshot, and tell what the person must know of what the block did."""
    lines = yield from looked(block.points, block.points.after_block)
    yield from map(Notice, lines)

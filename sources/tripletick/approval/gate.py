"""How a block gets to run: what is asked before it, what it lacked is asked after it, and then it runs again.

The box decides what is possible; here is decided when a person is asked. Without one every question is a no.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from tripletick.approval import beyond, folders, needs, outside, risky, servers
from tripletick.approval.asking import Asking
from tripletick.approval.block import Block, instead, work
from tripletick.approval.interpreters import Interpreters
from tripletick.approval.needs import Need
from tripletick.approval.parts import Parts, part
from tripletick.approval.questions import Answering, Person, Question, Working, fingerprint
from tripletick.approval.risky import SHELL, Risk
from tripletick.approval.special import commit, install
from tripletick.approval.words import commands
from tripletick.errors import PersonNeededError
from tripletick.events import Ask, Looking, Notice, Output
from tripletick.messages import Answer, Result
from tripletick.places import shown
from tripletick.sandbox.box import NOTHING, Grant

FOLDER = "was not run: the person lets no block run in this folder"
UNBOXED = "Nothing was run: there is no sandbox, and nobody to ask."
PUSH = "was not run: git push is left to the person, who has been shown the command"
TO_PUSH = "Pushing is yours: {command}"
NO_COMMIT = "was not run: the person has turned commits off"
NOT_RUN = "was not run: {why}"
SAID = 3
"""Sentences of one question."""
MORE = "And {count} more like that."
NOT_PUSHED = "(git push was not run: it is left to the person, who has been shown the command.)"
NOT_COMMITTED = "(This was not run, since what comes before it did not succeed: {line})"
RISKY_WHY = "In its box it can change files only in this folder; tripletick undo brings them back."
UNKEPT = "No undo brings back what it changes here."
CHANGED = "network for a Python that was made or changed"
ALWAYS_WHY = "Every block is asked for: [sandbox] ask = always."
VENV = 'export PATH="$PWD/{folder}/bin:$PATH"; '
AS_MADE = 'mkdir() { command mkdir -p "$@"; }; '
"""A folder that the user said yes to is there already when the script makes it."""
Step = Callable[[], Working]
Permitting = Generator[Looking | Output | Ask | Notice, Answer | None, Block | Result]


@dataclass(slots=True)
class Gate:
    """What every block of a session passes."""

    asking: Asking = field(default_factory=Asking)
    person: Person = field(default_factory=Person)
    given: dict[str, Grant] = field(default_factory=dict)
    """What the person gave all blocks of this session, by the kind of the question."""
    lent: dict[str, Grant] = field(default_factory=dict)
    """What they gave all blocks of this turn."""
    interpreters: Interpreters = field(default_factory=Interpreters)

    def __post_init__(self) -> None:
        self.person = Person(self.asking)

    def begin_turn(self) -> None:
        """Take back what was given for the turn before."""
        self.lent.clear()

    def run(self, block: Block) -> Working:
        """Ask, run, and ask again where it lacked something; give the block's one result."""
        if not self.asking.allowed:
            return Result("forbidden", FOLDER)
        self.interpreters.begin(block.bench.workspace.root)
        try:
            return (yield from self._run(block))
        except OSError as error:
            # The box cannot give what was granted.
            return Result("forbidden", NOT_RUN.format(why=error.strerror or error))

    def _run(self, block: Block) -> Working:
        if not block.bench.box.holds:
            return (yield from self._bare(block))
        if parts := self._parts(block):
            return (yield from self._parted(block, parts))
        return (yield from self._ordinary(block))

    @staticmethod
    def _parts(block: Block) -> Parts | None:
        """Give a shell block's parts, where it has any."""
        if block.tool.tag != SHELL or block.call.path:
            return None
        parts = part(block.call.body, block.bench.workspace)
        return None if parts.whole else parts

    def _bare(self, block: Block) -> Working:
        """Ask for a block that no kernel holds. Raises PersonNeededError where nobody is there."""
        call, box = block.call, block.bench.box
        risks = risky.find_all(block.meant, block.bench.workspace.root)
        says = _says([risk for risk in risks if risk.needs != "nothing"])
        warning = "".join(f" {say}" for say in (*says, *([UNKEPT] if block.bench.offers else ())))
        text = f"NO SANDBOX.{warning} Run this {block.name} block on this computer?"
        kind = f"bare {fingerprint(call, block.bench.workspace)}"
        answer = yield from self._ask(block, Question(kind, text, "a block without a sandbox", box.sentence))
        if isinstance(answer, Result):
            if answer.outcome == "forbidden":
                raise PersonNeededError(UNBOXED, box.sentence, "Set up: apt install bubblewrap")
            return answer
        return (yield from work(block.answered(answer)))

    def _ordinary(self, block: Block) -> Working:
        permitted = yield from self._permit(block)
        if isinstance(permitted, Result):
            return permitted
        if permitted.edited and not block.edited and (parts := self._parts(permitted)):
            # The person's own lines: he has just read them.
            mine = replace(permitted, typed=True, edited=False)
            return instead((yield from self._parted(mine, parts)), Answer("e", permitted.call.body))
        result = yield from work(permitted)
        return (yield from self._after(permitted, result))

    def _permit(self, block: Block) -> Permitting:
        """Ask what must be asked before a block; give the block as it may run."""
        block = block if block.bench.outside.sources else block.granted(self._given())
        risks = risky.find_all(block.meant, block.bench.workspace.root)
        if hopeless := [risk for risk in risks if risk.needs == "nothing"]:
            yield from (Notice(risk.say) for risk in hopeless)
            return Result("forbidden", f"was not run: {hopeless[0].what}")
        question = self._question(block, risks)
        if question is None:
            return block
        answer = yield from self._ask(block, question)
        if isinstance(answer, Result):
            return answer
        if any(risk.needs == "network" for risk in risks):
            block = block.granted(Grant(network=True))
        return block.answered(answer)

    def _question(self, block: Block, risks: Sequence[Risk]) -> Question | None:
        if strange := outside.question(block, _says(risks)):
            return strange
        if (called := servers.question(block, self.asking)) and not called.kinds <= self.person.allowed:
            return called
        # what only reads can lose nothing; it is asked about with the folder that it is to change
        said = block.typed or self.asking.yes or _only_reads(block)
        # A kind that was allowed for the session hides no other one that stands beside it.
        kinds = {self._kind(risk, block): risk for risk in risks if risk.needs or not said}
        left = {kind: risk for kind, risk in kinds.items() if kind not in self.person.allowed}
        if left:
            first, *also = left
            worth = [risk for risk in risks if self._kind(risk, block) in left]
            text, what = " ".join(_says(worth)), ", ".join(dict.fromkeys(risk.what for risk in worth))
            text += self.interpreters.words(block.meant) if any(risk.needs for risk in worth) else ""
            return Question(first, f"{text} Run it?", what, RISKY_WHY, also=tuple(also))
        if self._given().network and (changed := self.interpreters.changed(block.meant)):
            kind = f"network {self.interpreters.state(block.meant)}"
            return Question(kind, f"This block has network.{changed} Run it?", CHANGED, needs.PROXY)
        tag, kind = block.tool.tag, f"always {block.tool.tag}"
        if self.asking.always and not block.typed and kind not in self.person.allowed:
            return Question(kind, f"Run this {block.name} block?", f"each {tag} block", ALWAYS_WHY)
        return None

    def _after(self, block: Block, result: Result) -> Working:
        """Ask for what a failed block lacked, put its snapshot back and run it again."""
        asked: dict[str, Need] = {}
        while need := self._lacked(block, result):
            if need.id in asked:
                break
            asked[need.id] = need
            answer = yield from self._ask(block, self._of_need(block, need))
            if isinstance(answer, Result):
                if need.asks and answer.outcome == "forbidden":
                    raise _unasked(need)
                return replace(answer, verdict=_needed(need, answer), files=result.files)
            if need.id in self.person.allowed:
                self.given[need.id] = need.grant
            elif need.asks:
                self.lent[need.id] = need.grant
            block = block.granted(need.grant).answered(answer)
            result = yield from (_again_there(block, asked) if need.asks else _again(block, need))
        return result

    def _of_need(self, block: Block, need: Need) -> Question:
        if not need.asks:
            runs = self.interpreters.words(block.meant) if need.grant.network else ""
            text = f"This block needs {need.what}.{runs} Allow it once?"
            diff = beyond.proposed(block, need.grant.write[0]) if need.saves and not need.new else ()
            return Question(need.id, text, need.what, need.why, diff=diff)
        risks = risky.find_all(block.meant, block.bench.workspace.root)
        says = [] if block.typed or self.asking.yes else _says([risk for risk in risks if not risk.needs])
        return Question(need.id, " ".join((*says, need.asks)), need.what, need.why, "yns")

    def _lacked(self, block: Block, result: Result) -> Need | None:
        if lacking := folders.find(result, block.meant, block.bench):
            return lacking
        if result.ok and not self.asking.person:
            return None
        if saving := needs.to_save(result, block.meant, block.bench.workspace.root):
            return saving
        if self.asking.person and (closed := needs.to_open(result)):
            return closed
        return needs.find(result, block.bench.workspace.root, block.bench.grant, block.call.body)

    def _parted(self, block: Block, parts: Parts) -> Working:
        """Run installs, the rest and commits one after the other, each in its own box."""
        yield from (Notice(TO_PUSH.format(command=command)) for command in parts.pushes)
        if parts.problem:
            return Result("failed", parts.problem, flags=frozenset({"refused"}))
        results, done = list[Result](), list[str]()
        for kind, step in self._steps(block, parts):
            results.append((yield from step()))
            done.append(kind)
            if not results[-1].ok:
                break
        if not results:
            return Result("forbidden", PUSH)
        texts = [result.text for result in results] + [NOT_PUSHED] * bool(parts.pushes and results[-1].ok)
        if parts.commits and not results[-1].ok and "commit" not in done:
            texts.append(NOT_COMMITTED.format(line=parts.committing))
        ends = [result.verdict.removeprefix("ok, ") for result in results if result.verdict != "ok"]
        verdict = ", ".join(["ok", *ends]) if results[-1].ok else results[-1].verdict
        return replace(results[-1], verdict=verdict, text="\n".join(filter(None, texts)))

    def _steps(self, block: Block, parts: Parts) -> Iterator[tuple[str, Step]]:
        yield from (
            ("install", partial(install, self._ask, block, one, self.interpreters)) for one in parts.installs
        )
        venv = next((one.folder for one in parts.installs if one.manager == "pip"), "")
        if commands(parts.rest):
            rest = (VENV.format(folder=venv) if venv else "") + parts.rest
            yield "rest", partial(self._ordinary, block.having(rest))
        if parts.commits:
            allowed = self.asking.commits or block.typed
            yield "commit", partial(commit, self._ask, block, parts) if allowed else _no_commit
        if parts.looks:
            yield "looks", partial(self._ordinary, block.having(parts.looks))

    def _ask(self, block: Block, question: Question, edit: str = "") -> Answering:
        # beside words from outside, what was allowed before does not count
        question = replace(question, diff=question.diff or block.proposed())
        person = Person(self.asking) if block.bench.outside.sources and not block.typed else self.person
        return (yield from person.ask(question, block.call, block.bench.workspace, edit))

    def _kind(self, risk: Risk, block: Block) -> str:
        """Say what a yes for the session is for: with network that is this very block."""
        if not risk.needs:
            return risk.id
        same = fingerprint(block.call, block.bench.workspace)
        return f"{risk.id} {same} {self.interpreters.state(block.meant)}"

    def _given(self) -> Grant:
        grants = [*self.given.values(), *self.lent.values()]
        write = tuple(path for grant in grants for path in grant.write if path.exists())
        opened = frozenset[str]().union(*(grant.opened for grant in grants))
        return Grant(any(grant.network for grant in grants), write, opened=opened) if grants else NOTHING


def _only_reads(block: Block) -> bool:
    return block.bench.offers and block.bench.mode == "read"


def _unasked(need: Need) -> PersonNeededError:
    """Word a change in the home folder that nobody is there to be asked about."""
    path = need.grant.write[0]
    what, why = folders.NOBODY.format(name=shown(path)), folders.NOBODY_WHY
    if not need.folder:
        return PersonNeededError(what, why, folders.NOBODY_CHAT)
    name = shown(path)
    start = "~/" if name.startswith("~/") else ""
    typed = start + shlex.quote(name.removeprefix(start))
    return PersonNeededError(what, why, folders.NOBODY_TYPE.format(name=typed))


def _no_commit() -> Working:
    yield from ()
    return Result("forbidden", NO_COMMIT)


def _says(risks: Sequence[Risk]) -> list[str]:
    """Give the sentences for a question, which must stay short."""
    says = list(dict.fromkeys(risk.say for risk in risks))
    more = len(says) - SAID
    return [*says[:SAID], MORE.format(count=more)] if more > 0 else says


def _needed(need: Need, answer: Result) -> str:
    """Word for the model what it may not have."""
    return answer.verdict if answer.outcome == "forbidden" else f"needs {need.what}: {answer.verdict}"


def _again(block: Block, need: Need) -> Working:
    made: list[Path] = []
    if notice := block.points.restore_block():
        yield Notice(notice)
    try:
        made = [path for path in need.grant.write if need.new and _make(path)]
        return (yield from (beyond.save(block, need.grant.write[0]) if need.saves else work(block)))
    finally:
        for path in made:
            with suppress(OSError):
                if not path.stat().st_size:
                    path.unlink()


def _again_there(block: Block, asked: Mapping[str, Need]) -> Working:
    """Run a block once more where it may now write; what was made for it and stays empty goes."""
    if notice := block.points.restore_block():
        yield Notice(notice)
    new = {need.grant.write[0]: need.folder for need in asked.values() if need.asks and need.new}
    made: list[Path] = []

    def make() -> None:
        for path, is_folder in new.items():
            if not os.path.lexists(path):
                path.mkdir() if is_folder else _make(path)
                made.append(path)

    if any(new.values()) and block.tool.tag == SHELL and not block.call.path:
        block = block.having(AS_MADE + block.call.body)
    try:
        return (yield from work(replace(block, makes=make)))
    finally:
        for path in made:
            with suppress(OSError):
                if new[path]:
                    path.rmdir()
                elif not path.stat().st_size:
                    path.unlink()


def _make(path: Path) -> bool:
    """Make the file that is to be written, so that it alone can be let in."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644))
    return True

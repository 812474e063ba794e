"""How a block gets to run: what is asked before it, what it lacked is asked after it, and then it runs again.

The box decides what is possible; here is decided when a user is asked. Without one every question is a no.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from tripletick.errors import UserNeededError
from tripletick.events import Ask, Looking, Notice, Output
from tripletick.messages import Answer, Result
from tripletick.permission import external_save, home_folders, mcp_questions, needs, risky, untrusted_input
from tripletick.permission.block import PendingBlock, add_edit_note, run_with_snapshots
from tripletick.permission.environments import EnvironmentTracker
from tripletick.permission.needs import Need
from tripletick.permission.privileged_steps import run_commits, run_install
from tripletick.permission.questions import (
    Answering,
    Approver,
    AskPolicy,
    Question,
    Working,
    fingerprint_block,
)
from tripletick.permission.risky import SHELL, Risk
from tripletick.permission.script_parts import ScriptParts, split_script
from tripletick.permission.shell_parser import parse_commands
from tripletick.sandbox.box import NOTHING, Grant
from tripletick.system.dirs import abbreviate_home
from tripletick.system.text import describe_os_error

FOLDER = "was not run: the person lets no block run in this folder"
UNBOXED = "Nothing was run: there is no sandbox, and no one to confirm it."
PUSH = "was not run: git push is left to the person, who has been shown the command"
TO_PUSH = "Push it yourself: {command}"
NO_COMMIT = "was not run: the person has turned commits off"
NOT_RUN = "was not run: {why}"
SAID = 3
"""Sentences of one question."""
MORE = "And {count} more of this kind."
NOT_PUSHED = "(git push was not run: it is left to the person, who has been shown the command.)"
NOT_COMMITTED = "(This was not run, since what comes before it did not succeed: {line})"
RISKY_WHY = "In the sandbox it can change files only in this folder; tripletick undo restores them."
UNKEPT = "What it changes here cannot be undone."
CHANGED = "network for a Python that was made or changed"
ALWAYS_WHY = "Every block needs your approval: [sandbox] ask = always."
VENV = 'export PATH="$PWD/{folder}/bin:$PATH"; '
AS_MADE = 'mkdir() { command mkdir -p "$@"; }; '
"""A folder that the user said yes to is there already when the script makes it."""
Step = Callable[[], Working]
Permitting = Generator[Looking | Output | Ask | Notice, Answer | None, PendingBlock | Result]


@dataclass(slots=True)
class PermissionGate:
    """What every block of a session passes."""

    asking: AskPolicy = field(default_factory=AskPolicy)
    person: Approver = field(default_factory=Approver)
    given: dict[str, Grant] = field(default_factory=dict)
    """What the user gave all blocks of this session, by the kind of the question."""
    lent: dict[str, Grant] = field(default_factory=dict)
    """What they gave all blocks of this turn."""
    interpreters: EnvironmentTracker = field(default_factory=EnvironmentTracker)

    def __post_init__(self) -> None:
        self.person = Approver(self.asking)

    def begin_turn(self) -> None:
        """Take back what was given for the turn before."""
        self.lent.clear()

    def run_block(self, block: PendingBlock) -> Working:
        """Ask, run, and ask again where it lacked something; give the block's one result."""
        if not self.asking.allowed:
            return Result("forbidden", FOLDER)
        self.interpreters.record_baseline(block.bench.workspace.root)
        try:
            return (yield from self._dispatch_block(block))
        except OSError as error:
            # The box cannot give what was granted.
            return Result("forbidden", NOT_RUN.format(why=describe_os_error(error)))

    def _dispatch_block(self, block: PendingBlock) -> Working:
        if not block.bench.box.holds:
            return (yield from self._run_unsandboxed(block))
        if parts := self._split_script(block):
            return (yield from self._run_parts(block, parts))
        return (yield from self._run_sandboxed(block))

    @staticmethod
    def _split_script(block: PendingBlock) -> ScriptParts | None:
        """Give a shell block's parts, where it has any."""
        if block.tool.tag != SHELL or block.call.path:
            return None
        parts = split_script(block.call.body, block.bench.workspace)
        return None if parts.is_whole else parts

    def _run_unsandboxed(self, block: PendingBlock) -> Working:
        """Ask for a block that no kernel holds. Raises PersonNeededError where nobody is there."""
        call, box = block.call, block.bench.box
        risks = risky.find_risks(block.tagged_call, block.bench.workspace.root)
        says = _summarize_risks([risk for risk in risks if risk.needs != "nothing"])
        warning = "".join(f" {say}" for say in (*says, *([UNKEPT] if block.bench.offers else ())))
        text = f"NO SANDBOX.{warning} Run this {block.name} block on this computer?"
        kind = f"bare {fingerprint_block(call, block.bench.workspace)}"
        answer = yield from self._ask_user(
            block, Question(kind, text, "a block without a sandbox", box.sentence)
        )
        if isinstance(answer, Result):
            if answer.outcome == "forbidden":
                raise UserNeededError(UNBOXED, box.sentence, "Install one: apt install bubblewrap")
            return answer
        return (yield from run_with_snapshots(block.with_answer(answer)))

    def _run_sandboxed(self, block: PendingBlock) -> Working:
        permitted = yield from self._ask_before(block)
        if isinstance(permitted, Result):
            return permitted
        if permitted.edited and not block.edited and (parts := self._split_script(permitted)):
            # The user's own lines: they have just read them.
            mine = replace(permitted, typed=True, edited=False)
            return add_edit_note((yield from self._run_parts(mine, parts)), Answer("e", permitted.call.body))
        result = yield from run_with_snapshots(permitted)
        return (yield from self._retry_with_needs(permitted, result))

    def _ask_before(self, block: PendingBlock) -> Permitting:
        """Ask what must be asked before a block; give the block as it may run."""
        block = block if block.bench.outside.sources else block.with_grant(self._merge_grants())
        risks = risky.find_risks(block.tagged_call, block.bench.workspace.root)
        if hopeless := [risk for risk in risks if risk.needs == "nothing"]:
            yield from (Notice(risk.say) for risk in hopeless)
            return Result("forbidden", f"was not run: {hopeless[0].what}")
        question = self._choose_question(block, risks)
        if question is None:
            return block
        answer = yield from self._ask_user(block, question)
        if isinstance(answer, Result):
            return answer
        if any(risk.needs == "network" for risk in risks):
            block = block.with_grant(Grant(network=True))
        return block.with_answer(answer)

    def _choose_question(self, block: PendingBlock, risks: Sequence[Risk]) -> Question | None:
        if strange := untrusted_input.build_question(block, _summarize_risks(risks)):
            return strange
        if (
            called := mcp_questions.build_question(block, self.asking)
        ) and not called.kinds <= self.person.allowed:
            return called
        # what only reads can lose nothing; it is asked about with the folder that it is to change
        said = block.typed or self.asking.yes or _is_read_only(block)
        # A kind that was allowed for the session hides no other one that stands beside it.
        kinds = {self._get_risk_kind(risk, block): risk for risk in risks if risk.needs or not said}
        left = {kind: risk for kind, risk in kinds.items() if kind not in self.person.allowed}
        if left:
            first, *also = left
            worth = [risk for risk in risks if self._get_risk_kind(risk, block) in left]
            text, what = (
                " ".join(_summarize_risks(worth)),
                ", ".join(dict.fromkeys(risk.what for risk in worth)),
            )
            text += (
                self.interpreters.format_warning(block.tagged_call)
                if any(risk.needs for risk in worth)
                else ""
            )
            return Question(first, f"{text} Run it?", what, RISKY_WHY, also=tuple(also))
        if self._merge_grants().network and (changed := self.interpreters.format_changes(block.tagged_call)):
            kind = f"network {self.interpreters.fingerprint_changes(block.tagged_call)}"
            return Question(kind, f"This block can use the network.{changed} Run it?", CHANGED, needs.PROXY)
        tag, kind = block.tool.tag, f"always {block.tool.tag}"
        if self.asking.always and not block.typed and kind not in self.person.allowed:
            return Question(kind, f"Run this {block.name} block?", f"each {tag} block", ALWAYS_WHY)
        return None

    def _retry_with_needs(self, block: PendingBlock, result: Result) -> Working:
        """Ask for what a failed block lacked, put its snapshot back and run it again."""
        asked: dict[str, Need] = {}
        while need := self._find_need(block, result):
            if need.id in asked:
                break
            asked[need.id] = need
            answer = yield from self._ask_user(block, self._build_need_question(block, need))
            if isinstance(answer, Result):
                if need.asks and answer.outcome == "forbidden":
                    raise _build_nobody_error(need)
                return replace(answer, verdict=_format_need_verdict(need, answer), files=result.files)
            if need.id in self.person.allowed:
                self.given[need.id] = need.grant
            elif need.asks:
                self.lent[need.id] = need.grant
            block = block.with_grant(need.grant).with_answer(answer)
            result = yield from (_rerun_in_folder(block, asked) if need.asks else _rerun_block(block, need))
        return result

    def _build_need_question(self, block: PendingBlock, need: Need) -> Question:
        if not need.asks:
            runs = self.interpreters.format_warning(block.tagged_call) if need.grant.network else ""
            text = f"This block needs {need.what}.{runs} Allow it once?"
            diff = (
                external_save.preview_diff(block, need.grant.write[0]) if need.saves and not need.new else ()
            )
            return Question(need.id, text, need.what, need.why, diff=diff)
        risks = risky.find_risks(block.tagged_call, block.bench.workspace.root)
        says = (
            []
            if block.typed or self.asking.yes
            else _summarize_risks([risk for risk in risks if not risk.needs])
        )
        return Question(need.id, " ".join((*says, need.asks)), need.what, need.why, "yns")

    def _find_need(self, block: PendingBlock, result: Result) -> Need | None:
        if lacking := home_folders.find_need(result, block.tagged_call, block.bench):
            return lacking
        if result.ok and not self.asking.person:
            return None
        if saving := needs.find_refused_save(result, block.tagged_call, block.bench.workspace.root):
            return saving
        if self.asking.person and (closed := needs.find_closed_ports(result)):
            return closed
        return needs.find_need(result, block.bench.workspace.root, block.bench.grant, block.call.body)

    def _run_parts(self, block: PendingBlock, parts: ScriptParts) -> Working:
        """Run installs, the rest and commits one after the other, each in its own box."""
        yield from (Notice(TO_PUSH.format(command=command)) for command in parts.pushes)
        if parts.problem:
            return Result("failed", parts.problem, flags=frozenset({"refused"}))
        results, done = list[Result](), list[str]()
        for kind, step in self._plan_steps(block, parts):
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

    def _plan_steps(self, block: PendingBlock, parts: ScriptParts) -> Iterator[tuple[str, Step]]:
        yield from (
            ("install", partial(run_install, self._ask_user, block, one, self.interpreters))
            for one in parts.installs
        )
        venv = next((one.folder for one in parts.installs if one.manager == "pip"), "")
        if parse_commands(parts.rest):
            rest = (VENV.format(folder=venv) if venv else "") + parts.rest
            yield "rest", partial(self._run_sandboxed, block.with_script(rest))
        if parts.commits:
            allowed = self.asking.commits or block.typed
            yield "commit", partial(run_commits, self._ask_user, block, parts) if allowed else _refuse_commit
        if parts.looks:
            yield "looks", partial(self._run_sandboxed, block.with_script(parts.looks))

    def _ask_user(self, block: PendingBlock, question: Question, edit: str = "") -> Answering:
        # beside words from outside, what was allowed before does not count
        question = replace(question, diff=question.diff or block.preview_diff())
        person = Approver(self.asking) if block.bench.outside.sources and not block.typed else self.person
        return (yield from person.ask_question(question, block.call, block.bench.workspace, edit))

    def _get_risk_kind(self, risk: Risk, block: PendingBlock) -> str:
        """Say what a yes for the session is for: with network that is this very block."""
        if not risk.needs:
            return risk.id
        same = fingerprint_block(block.call, block.bench.workspace)
        return f"{risk.id} {same} {self.interpreters.fingerprint_changes(block.tagged_call)}"

    def _merge_grants(self) -> Grant:
        grants = [*self.given.values(), *self.lent.values()]
        write = tuple(path for grant in grants for path in grant.write if path.exists())
        opened = frozenset[str]().union(*(grant.opened for grant in grants))
        return Grant(any(grant.network for grant in grants), write, opened=opened) if grants else NOTHING


def _is_read_only(block: PendingBlock) -> bool:
    return block.bench.offers and block.bench.mode == "read"


def _build_nobody_error(need: Need) -> UserNeededError:
    """Word a change in the home folder that nobody is there to be asked about."""
    path = need.grant.write[0]
    what, why = home_folders.NOBODY.format(name=abbreviate_home(path)), home_folders.NOBODY_WHY
    if not need.folder:
        return UserNeededError(what, why, home_folders.NOBODY_CHAT)
    name = abbreviate_home(path)
    start = "~/" if name.startswith("~/") else ""
    typed = start + shlex.quote(name.removeprefix(start))
    return UserNeededError(what, why, home_folders.NOBODY_TYPE.format(name=typed))


def _refuse_commit() -> Working:
    yield from ()
    return Result("forbidden", NO_COMMIT)


def _summarize_risks(risks: Sequence[Risk]) -> list[str]:
    """Give the sentences for a question, which must stay short."""
    says = list(dict.fromkeys(risk.say for risk in risks))
    more = len(says) - SAID
    return [*says[:SAID], MORE.format(count=more)] if more > 0 else says


def _format_need_verdict(need: Need, answer: Result) -> str:
    """Word for the model what it may not have."""
    return answer.verdict if answer.outcome == "forbidden" else f"needs {need.what}: {answer.verdict}"


def _rerun_block(block: PendingBlock, need: Need) -> Working:
    made: list[Path] = []
    if notice := block.points.restore_block():
        yield Notice(notice)
    try:
        made = [path for path in need.grant.write if need.new and _create_file(path)]
        return (
            yield from (
                external_save.save_file(block, need.grant.write[0])
                if need.saves
                else run_with_snapshots(block)
            )
        )
    finally:
        for path in made:
            with suppress(OSError):
                if not path.stat().st_size:
                    path.unlink()


def _rerun_in_folder(block: PendingBlock, asked: Mapping[str, Need]) -> Working:
    """Run a block once more where it may now write; what was made for it and stays empty goes."""
    if notice := block.points.restore_block():
        yield Notice(notice)
    new = {need.grant.write[0]: need.folder for need in asked.values() if need.asks and need.new}
    made: list[Path] = []

    def make() -> None:
        for path, is_folder in new.items():
            if not os.path.lexists(path):
                path.mkdir() if is_folder else _create_file(path)
                made.append(path)

    if any(new.values()) and block.tool.tag == SHELL and not block.call.path:
        block = block.with_script(AS_MADE + block.call.body)
    try:
        return (yield from run_with_snapshots(replace(block, makes=make)))
    finally:
        for path in made:
            with suppress(OSError):
                if new[path]:
                    path.rmdir()
                elif not path.stat().st_size:
                    path.unlink()


def _create_file(path: Path) -> bool:
    """Make the file that is to be written, so that it alone can be let in."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644))
    return True

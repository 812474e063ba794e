"""When the user is asked about a block: before it runs, and after it failed, for what it lacked.

Not covered: what is possible (sandbox) and how blocks run (turn/execution). Without a user every question is
a no.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from tripletick.checkpoint.diffs import diff_contents
from tripletick.errors import UserNeededError
from tripletick.events import Notice
from tripletick.messages import Result
from tripletick.permission import home_folders, mcp_questions, needs, risky, untrusted_input
from tripletick.permission.block import PendingBlock, Permitting
from tripletick.permission.environments import EnvironmentTracker
from tripletick.permission.needs import Need
from tripletick.permission.questions import Answering, Approver, AskPolicy, Question, fingerprint_block
from tripletick.permission.risky import SHELL, Risk
from tripletick.permission.script_parts import ScriptParts, split_script
from tripletick.sandbox.box import NOTHING, Grant, RunRequest
from tripletick.sandbox.toolchains import is_real
from tripletick.system.dirs import abbreviate_home
from tripletick.tools.file_writer import Diff
from tripletick.tools.syntax_check import drain_output

FOLDER = "was not run: the person lets no block run in this folder"
UNBOXED = "Nothing was run: there is no sandbox, and no one to confirm it."
SAID = 3
"""Sentences of one question."""
MORE = "And {count} more of this kind."
RISKY_WHY = "In the sandbox it can change files only in this folder; tripletick undo restores them."
UNKEPT = "What it changes here cannot be undone."
CHANGED = "network for a Python that was made or changed"
ALWAYS_WHY = "Every block needs your approval: [sandbox] ask = always."
SECONDS = 10.0
"""For a look at a file outside the workspace."""


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

    def ask_before(self, block: PendingBlock) -> Permitting:
        """Ask what must be asked before a block, nothing of one in parts; give the block as it may run, or
        the result of a no. Raises UserNeededError.
        """
        if not self.asking.allowed:
            return Result("forbidden", FOLDER)
        self.interpreters.record_baseline(block.context.workspace.root)
        if not block.context.box.holds:
            return (yield from self._ask_bare(block))
        block = block if block.parts else replace(block, parts=_find_parts(block))
        if block.has_parts:
            return block
        permitted = yield from self._ask_sandboxed(block)
        if isinstance(permitted, PendingBlock) and permitted.edited and not block.edited:
            # The user's own lines, which they have just read.
            mine = replace(permitted, typed=True, parts=_find_parts(permitted))
            return mine if mine.has_parts else permitted
        return permitted

    def _ask_bare(self, block: PendingBlock) -> Permitting:
        """Ask for a block that no kernel holds. Raises UserNeededError where nobody is there."""
        call, box = block.call, block.context.box
        risks = risky.find_risks(block.tagged_call, block.context.workspace.root)
        says = _summarize_risks([risk for risk in risks if risk.needs != "nothing"])
        warning = "".join(f" {say}" for say in (*says, *([UNKEPT] if block.context.offers else ())))
        text = f"NO SANDBOX.{warning} Run this {block.name} block on this computer?"
        kind = f"bare {fingerprint_block(call, block.context.workspace)}"
        answer = yield from self.ask_user(
            block, Question(kind, text, "a block without a sandbox", box.sentence)
        )
        if isinstance(answer, Result):
            if answer.outcome == "forbidden":
                raise UserNeededError(
                    UNBOXED,
                    box.sentence,
                    "Install one: apt install bubblewrap; if there is one: --sandbox work",
                )
            return answer
        return block.with_answer(answer)

    def _ask_sandboxed(self, block: PendingBlock) -> Permitting:
        block = block if block.context.outside.sources else block.with_grant(self._merge_grants())
        risks = risky.find_risks(block.tagged_call, block.context.workspace.root)
        if hopeless := [risk for risk in risks if risk.needs == "nothing"]:
            yield from (Notice(risk.say) for risk in hopeless)
            return Result("forbidden", f"was not run: {hopeless[0].what}")
        question = self._choose_question(block, risks)
        if question is None:
            return block
        answer = yield from self.ask_user(block, question)
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
        if block.context.grant.network and (changed := self.interpreters.format_changes(block.tagged_call)):
            kind = f"network {self.interpreters.fingerprint_changes(block.tagged_call)}"
            return Question(kind, f"This block can use the network.{changed} Run it?", CHANGED, needs.PROXY)
        tag, kind = block.tool.tag, f"always {block.tool.tag}"
        if self.asking.always and not block.typed and kind not in self.person.allowed:
            return Question(kind, f"Run this {block.name} block?", f"each {tag} block", ALWAYS_WHY)
        return None

    def ask_after(self, block: PendingBlock, result: Result) -> Permitting:
        """Ask for what a failed block lacked; give the block as it may run again, or the result that stays.
        Raises UserNeededError.
        """
        need = self._find_need(block, result) if block.context.box.holds else None
        if need is None or need.id in {one.id for one in block.needs}:
            return result
        answer = yield from self.ask_user(block, self._build_need_question(block, need))
        if isinstance(answer, Result):
            if need.asks and answer.outcome == "forbidden":
                raise _build_nobody_error(need)
            return replace(answer, verdict=_format_need_verdict(need, answer), files=result.files)
        if need.id in self.person.allowed:
            self.given[need.id] = need.grant
        elif need.asks:
            self.lent[need.id] = need.grant
        return block.with_need(need).with_answer(answer)

    def _build_need_question(self, block: PendingBlock, need: Need) -> Question:
        if not need.asks:
            runs = self.interpreters.format_warning(block.tagged_call) if need.grant.network else ""
            text = f"This block needs {need.what}.{runs} Allow it once?"
            saves = need.saves and not need.new
            diff = _preview_external_diff(block, need.grant.write[0]) if saves else ()
            return Question(need.id, text, need.what, need.why, diff=diff)
        risks = risky.find_risks(block.tagged_call, block.context.workspace.root)
        says = (
            []
            if block.typed or self.asking.yes
            else _summarize_risks([risk for risk in risks if not risk.needs])
        )
        return Question(need.id, " ".join((*says, need.asks)), need.what, need.why, "yns")

    def _find_need(self, block: PendingBlock, result: Result) -> Need | None:
        if lacking := home_folders.find_need(result, block.tagged_call, block.context):
            return lacking
        if result.ok and not self.asking.person:
            return None
        if saving := needs.find_refused_save(result, block.tagged_call, block.context.workspace.root):
            return saving
        if self.asking.person and (closed := needs.find_closed_ports(result)):
            return closed
        return needs.find_need(result, block.context.workspace.root, block.context.grant, block.call.body)

    def ask_user(self, block: PendingBlock, question: Question, edit: str = "") -> Answering:
        """Ask the user; beside words from outside, what was allowed before does not count."""
        question = replace(question, diff=question.diff or block.preview_diff())
        person = Approver(self.asking) if block.context.outside.sources and not block.typed else self.person
        return (yield from person.ask_question(question, block.call, block.context.workspace, edit))

    def _get_risk_kind(self, risk: Risk, block: PendingBlock) -> str:
        """Say what a yes for the session is for: with network that is this very block."""
        if not risk.needs:
            return risk.id
        same = fingerprint_block(block.call, block.context.workspace)
        return f"{risk.id} {same} {self.interpreters.fingerprint_changes(block.tagged_call)}"

    def _merge_grants(self) -> Grant:
        grants = [*self.given.values(), *self.lent.values()]
        write = tuple(path for grant in grants for path in grant.write if _is_there(path))
        opened = frozenset[str]().union(*(grant.opened for grant in grants))
        return Grant(any(grant.network for grant in grants), write, opened=opened) if grants else NOTHING


def _is_there(path: Path) -> bool:
    """Tell whether a path is still what was allowed; a link would lead a block to another one."""
    return is_real(path) and path.exists()


def _find_parts(block: PendingBlock) -> ScriptParts:
    """Find the installs and commits of a shell block; no other one has any."""
    if block.tool.tag != SHELL or block.call.path:
        return ScriptParts()
    return split_script(block.call.body, block.context.workspace)


def _is_read_only(block: PendingBlock) -> bool:
    return block.context.offers and block.context.mode == "read"


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


def _summarize_risks(risks: Sequence[Risk]) -> list[str]:
    """Give the sentences for a question, which must stay short."""
    says = list(dict.fromkeys(risk.say for risk in risks))
    more = len(says) - SAID
    return [*says[:SAID], MORE.format(count=more)] if more > 0 else says


def _format_need_verdict(need: Need, answer: Result) -> str:
    """Word for the model what it may not have."""
    return answer.verdict if answer.outcome == "forbidden" else f"needs {need.what}: {answer.verdict}"


def _preview_external_diff(block: PendingBlock, path: Path) -> Diff:
    """Give what the block would change of the file; nothing of one that is too large."""
    context, body = block.context, f"{block.call.body}\n".encode("utf-8", "replace")
    with suppress(OSError):
        request = RunRequest(["cat", str(path)], context.mode, SECONDS, grant=Grant(write=(path,)))
        there = drain_output(context.box.run(request))
        if not (there.status or there.dropped):
            old = there.head + there.tail
            glue = b"\n" if old and not old.endswith(b"\n") else b""
            new = old + glue + body if block.tool.tag == "append" else body
            return tuple((line.tone, line.text) for line in diff_contents(path.name, old, new))
    return ()

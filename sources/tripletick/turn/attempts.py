"""What a turn counts, and what a failed attempt is told besides its error.

Not covered: when a turn ends without an answer (endings), known errors and their advice (advice), how the
turn starts over (restart), how results are worded (dialects).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tripletick.config.schema import HarnessSection
from tripletick.messages import Call, Problem, Result
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.shell import SILENT_VERDICTS
from tripletick.turn.advice import choose_advice, suggest_nothing
from tripletick.turn.losses import BACK

STEPS = {
    3: "Take another way than the one that failed three times.",
    4: "Take one smaller step: send the shortest block that shows the cause.",
}
"""What each attempt is told after its error, by its number; the first two have their error's own advice
alone. The third is told its own where the turn does not start over.
"""
ANEW = 3
"""The failure in a row with which a turn starts over, and warmer: of five repairs the first two give nearly
all (arXiv 2604.10508), and what stands in the history is what small models write again.
"""
NUDGE = "Your answer was empty. The request was: {request}"
IN_WORDS = "Nothing was run. Answer in words, without any block. The request was: {request}"
NO_QUESTION = "You wrote REQUEST_CLARIFICATION without a question. Do the task, or ask it."
MORE_QUESTIONS = "That is one question too many. Do the task with what you know."
QUESTIONS = 2
"""Questions to the user in one turn."""
GENERAL = "Read the error, change what it names, and send the corrected block."
AGAIN = "The same block gave the same result before. Do something else, or answer."
POINTER = lazy_regex(
    rf"Try '[^']+ --help' for more information\.|{re.escape(BACK)}|For more details see "
    r"|\s+at \S|Node\.js v\d"
)
"""A last line that names no cause, but where to read, or the way to it and who walked it."""
LOOPED = 0.7
"""What the temperature is raised by after a block that was sent again: less gives the same once more."""
SAMPLED = 1.0
"""The same for the later samples of a program: by then less gives those of before."""
REMARKS = frozenset(
    {
        *("untagged", "unowned", "nested-in-unowned", "quoted", "inline", "placeholder", "repeat"),
        *("fenced-call", "inline-call"),
    }
)
"""Problems of what may well be a final answer: told once a turn, and only while nothing has run; no
failures.
"""
NO_FAILURES = REMARKS | {"invented-result", "prompt-example", "leaked-turn"}
"""Problems that do not make a failed attempt where the reply's blocks ran."""

UNREAD = {
    "unclosed": "Send one short block and nothing else; its last line is ``` alone.",
    "unclosed-think": "Write the block or the answer at once, without thinking it over.",
    "ambiguous-nesting": "Leave the ``` lines out of that file, or indent them by four spaces.",
    "transcript": "Send one command alone in a block.",
    "unread-call": "Send one short call and nothing else, each argument by its name.",
    "unclosed-call": "Send one short call and nothing else, to its end.",
    "wrong-arguments": "Send one call with the arguments that must be there and no others.",
    "unknown-tool": "Use one of the tools that are named, or answer in words.",
    "foreign-call": "Begin the answer with ``` and the tag; write no braces and no angle brackets around it.",
}
"""What a reply is told that has the same problem as the one before; the sentence of the problem is there
already.
"""
UNCHANGED_ALIKE = ("empty", "unfinished-literal")
"""Problems that stand in a block's content: read again, the model writes it again."""
OTHER_FORM = "Answer with one block only: ``` and the tag, the content below, ``` alone on the last line."

Results = Sequence[tuple[Call, Result]]


@dataclass(slots=True)
class Attempts:
    """The counters of one turn."""

    max_attempts: int = 5
    max_steps: int = 25
    steps: int = 0
    failures: int = 0
    ran: bool = False
    remarked: bool = False
    silent: int = 0
    questions: int = 0
    error: str = ""
    unread: str = ""
    """Code of the problem that made the last attempt fail …"""
    again: bool = False
    """… and whether it was that of the attempt before, too."""
    printed: str = ""
    """What the last program printed, where it ran well."""
    reminded: bool = False
    """The model was told this turn that a file is not there yet."""
    idle: bool = False
    """A reply of this turn came to nothing: it printed nothing and changed nothing."""
    changed: bool = False
    """A reply of this turn has changed files."""
    flawed: bool = False
    """The model was told this turn that a file is not as the request wants it."""
    explains: bool = False
    """The model was asked this turn for a sentence on what is wrong."""
    sent_back: bool = False
    """The model was told this turn that no file was changed yet."""
    due: str = ""
    """What the model was told of its last blocks that speaks against an answer now …"""
    mending: str = ""
    """… and the block that was shown with it."""
    offered: Call | None = None
    """The block that was shown because it puts right what came of the last ones."""
    achieved: bool = False
    """The blocks of the last reply succeeded, and nothing speaks against what they did."""
    looped: bool = False
    """The last reply did again what had come to nothing before."""
    anew: bool = False
    """The turn has started over."""
    proven_wrong: bool = False
    """The last failure was an example that does not hold."""
    repairs: int = 0
    """Failures in a row since the turn began or started over."""
    unexplained: bool = False
    """Nothing that the last failure was told says how an example would hold."""
    unproven: list[tuple[int, Call]] = field(default_factory=list)
    """Programs since the last success that break examples, and how many each breaks, as far as that is
    counted.
    """
    known: str = ""
    """The advice on the last error."""
    alone: bool = False
    """True where nobody is there to be asked."""
    trial: HarnessSection = field(default_factory=HarnessSection)
    suggest: Callable[[str], str | None] = suggest_nothing
    """Names what is there and may be meant by a name that is not; None of what is only to be made."""
    results: Counter[tuple[Call, Result]] = field(default_factory=Counter)
    done: list[tuple[Call, Result]] = field(default_factory=list)
    """What the blocks came to, from the request on or from where the turn started over."""
    kept: int = 0
    """How many of them a fresh start keeps."""
    checked: Literal["", "passed", "failed"] = ""
    """What came of the check …"""
    failed_checks: int = 0
    """… and how often it has failed since it last passed."""
    doubted: bool = False
    """The model was told that its answer claims what has not happened."""
    refusals: Counter[str] = field(default_factory=Counter)

    def add_reply(self, results: Results, problems: Sequence[Problem]) -> bool:
        """Count a reply and what came of it; True where it was a failed attempt."""
        self.steps += 1
        self.done += results
        self.ran = self.ran or bool(results)
        for call, result in results:
            if "example" in result.flags and call.path:
                self.unproven.append((len(result.text.splitlines()), call))
            if result.outcome in ("denied", "forbidden"):
                self.refusals[result.verdict] += 1
            elif result.outcome != "skipped" and self.trial.repeats:
                self.results[_make_result_key(call, result)] += 1
        self.looped = any(self.results[_make_result_key(*pair)] > 1 for pair in results)
        last = results[-1][1] if results else None
        broken = [result for _, result in results if "example" in result.flags]
        self.proven_wrong = bool(broken)
        self.unexplained = not broken or any("unexplained" in result.flags for result in broken)
        spoke = last is not None and last.ok and last.exit is not None and last.verdict not in SILENT_VERDICTS
        self.printed = last.text if last and spoke else ""
        self.error = format_error_line(results, problems)
        self.failures = self.failures + 1 if self.error else 0
        self.repairs = self.repairs + 1 if self.error else 0
        if not self.error:
            self.unproven.clear()
        code = find_unread_code(results, problems)
        self.again, self.unread = bool(code) and code == self.unread, code
        return bool(self.error)

    def find_better_program(self) -> Call | None:
        """Give the save of the program that breaks the fewest examples, the first of several; None where that
        is the last one. Later ones are warmer, and no better where the example itself is wrong.
        """
        if not self.unproven:
            return None
        _, best = min(self.unproven, key=lambda tried: tried[0])
        same = self.proven_wrong and best.body == self.unproven[-1][1].body
        return None if same else Call("write", best.body, best.path)

    @property
    def is_stuck(self) -> bool:
        """Tell whether the last reply was that of before: the same block, or one that is unreadable alike."""
        return self.looped or (self.again and self.unread in UNCHANGED_ALIKE)

    @property
    def limit(self) -> int:
        """Give how many failures in a row end the turn: twice as many where an example tells whether a
        program is right, since each further one is a new sample and no repair; one where one is allowed.
        """
        samples = bool(self.unproven) and self.trial.fresh_start and self.max_attempts > 1
        return self.max_attempts * (2 if samples else 1)

    @property
    def should_resample(self) -> bool:
        """Tell whether what comes next is written afresh: an example tells good from bad, and a small model
        rather finds another program than the fault in its own: shown only that a value is wrong, 1.5B sent 26
        of 27 programs again as they were, and 32 of 86 samples were right.
        """
        return bool(self.unproven) and (self.repairs > 1 or self.unexplained)

    @property
    def can_mend(self) -> bool:
        """Tell whether a program that was shown in its one right form is worth having: it was not sent again,
        and what it computes is not wrong besides.
        """
        return not self.is_stuck and not (self.proven_wrong and self.unexplained)

    @property
    def temperature_boost(self) -> float:
        """What the next reply's temperature is raised by: the first tries are the most likely ones, and one
        that was made before is made again.
        """
        lost = self.is_stuck or self.should_resample or self.unread == "repeated"
        if lost and self.trial.heat:
            later = self.should_resample and self.failures >= self.max_attempts
            return max(self.trial.heat, SAMPLED if later else LOOPED)
        return self.trial.heat if self.failures >= ANEW else 0.0

    @property
    def needs_restart(self) -> bool:
        """Tell whether the turn is to start over: once, after the third failure in a row, or as soon as one
        is sent again: what a small model has before it, it copies. Where examples fail, from the second on.
        """
        if self.should_resample:
            return self.trial.fresh_start
        due = self.failures >= ANEW or (bool(self.error) and self.is_stuck)
        return self.trial.fresh_start and due and not self.anew

    def record_check(self, result: Result) -> None:
        """Count what came of the check."""
        self.checked = "passed" if result.ok else "failed"
        self.failed_checks = 0 if result.ok else self.failed_checks + 1
        self.steps += not result.ok
        if not result.ok:
            self.error = format_error_line([(Call("check", ""), result)], ())

    @property
    def has_passed_check(self) -> bool:
        return self.checked == "passed"

    def record_doubt(self) -> bool:
        """Count that an answer is in doubt; True where the model is to be told, which is once a turn."""
        first, self.doubted = not self.doubted, True
        self.steps += first
        return first

    def record_empty_reply(self, request: str, *, told: bool = False) -> str:
        """Count an empty reply, or one without words where something is to be `told`; gives what the model is
        told of it.
        """
        self.silent += 1
        self.steps += 1
        return (IN_WORDS if told else NUDGE).format(request=request.partition("\n")[0])

    def reset_for_restart(self) -> None:
        """Forget what the model does not know any more; failures and steps go on to count."""
        self.results.clear()
        del self.done[self.kept :]
        self.changed = bool(self.kept)
        self.anew = True
        self.ran = self.remarked = self.again = False
        self.unread, self.due, self.repairs = "", "", 0

    def check_question(self, asked: str | None, *, calls: bool) -> tuple[str | None, tuple[Problem, ...]]:
        """Give the model's question, or what is wrong with it: it has no words, or is one too many. Beside
        blocks that ran it is none.
        """
        if asked is None or calls:
            return None, ()
        self.questions += bool(asked)
        told = NO_QUESTION if not asked else MORE_QUESTIONS if self.questions > QUESTIONS else ""
        return (None, (Problem("no-question", 0, told),)) if told else (asked, ())

    def select_problems(
        self, problems: Sequence[Problem], *, calls: bool, owner: bool
    ) -> tuple[Problem, ...]:
        """Choose the problems that the model is told: `calls` says that blocks ran, `owner` that the agent
        has tags.
        """
        told = [problem for problem in problems if problem.text and owner]
        if calls:
            return tuple(problem for problem in told if problem.code not in ("untagged", "unowned"))
        if self.ran or self.remarked:
            told = [problem for problem in told if problem.code not in REMARKS]
        self.remarked = self.remarked or any(problem.code in REMARKS for problem in told)
        return tuple(told)


def format_error_line(results: Results, problems: Sequence[Problem]) -> str:
    """Give the failed attempt's error in one line; "" where nothing failed."""
    for call, result in results:
        if result.outcome == "failed":
            lines = [line for line in result.text.splitlines() if line.strip()]
            last = next((line for line in reversed(lines) if not POINTER.match(line)), "")
            return f"{call.tool} {result.verdict}" + (
                f": {last.strip()[:160]}" if last and result.exit is not None else ""
            )
    return next((problem.text.partition("\n")[0] for problem in _find_unread(results, problems)), "")


def find_unread_code(results: Results, problems: Sequence[Problem]) -> str:
    """Give the code of the problem that makes a reply a failed attempt; "" where none does."""
    return next((problem.code for problem in _find_unread(results, problems)), "")


def _find_unread(results: Results, problems: Sequence[Problem]) -> list[Problem]:
    free = NO_FAILURES if results else REMARKS
    return [problem for problem in problems if problem.text and problem.code not in free]


def choose_hint(tries: Attempts, results: Results) -> str:
    """Choose the one hint that goes with this feedback; "" where none is due."""
    again = any(
        count > 1
        for key, count in tries.results.items()
        if key in {_make_result_key(*pair) for pair in results}
    )
    failed = [pair for pair in results if pair[1].outcome == "failed"]
    tries.known = known = (
        next((choose_advice(*pair, tries.suggest) for pair in failed), "") if tries.trial.advice else ""
    )
    if again:
        return " ".join(filter(None, (AGAIN, known)))
    if tries.again and not known:
        known = UNREAD.get(tries.unread, OTHER_FORM)
    if not tries.failures:
        return known
    step = STEPS.get(tries.failures, "")
    return " ".join(filter(None, (known or (GENERAL if failed and not step else ""), step)))


def _make_result_key(call: Call, result: Result) -> tuple[Call, Result]:
    """Reduce a call and its result to what makes two of them equal; where in its reply it stood does not."""
    key = Call(call.tool, call.body, call.path, call.args)
    return key, Result(result.outcome, result.verdict, result.text)

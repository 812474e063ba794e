"""Checks what a model did of a family's request against the family's own play of it: files, programs, answer.

Both began in the same folder. Files must be the same but for blanks at ends; a program that is written
otherwise must print the same; where nothing was to change the answer must have what the family's has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from training.forms import PROGRAMS, RUNS
from training.scene import quote_text
from training.script import Ask, Line, Reply, ReplyResult, Script, UserAnswer

Tree = Mapping[str, bytes | None]
"""Paths and what they hold, None for a folder."""
Run = Callable[[Tree, str], str]
"""Runs a command in such a folder and gives what it printed, "" where it failed."""
PASSED_OVER = (".git", "__pycache__", ".tripletick")
BRIEF = 80
"""Words of an answer to talk; more is a lecture."""
SHORT = 3
"""Letters of words that say nothing by themselves."""
_SURE = re.compile(r"[\d./_A-Z]")
"""What is in numbers, names and paths; other words can be put otherwise."""
_WORD = re.compile(r"[\w][\w./:%-]*[\w%]|\w")
_COMMAND = re.compile(r"^```bash\n((?s:.*?))\n```$", re.M)
_SHOWN = re.compile(r"^```text\n(?s:.*?)\n```$", re.M)
_NO = re.compile(
    r"\b(?:no|not|none|nothing|never|cannot|can.t|isn.t|doesn.t|don.t|aren.t|unable|missing|empty|0|zero)\b",
    re.I,
)
_NAME = re.compile(r"(?<![.!?:\"] )(?<!^)\b[A-Z]\w+")


class CannotCompareError(Exception):
    """The play has nothing by which another could be judged."""


@dataclass(slots=True)
class Play:
    """What was said while a family was played, and what the folder held before and after."""

    asks: list[Ask] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    asked_back: bool = False
    before: Tree = field(default_factory=dict)
    after: Tree = field(default_factory=dict)

    @property
    def answer(self) -> str:
        return self.replies[-1]

    @property
    def talks(self) -> bool:
        """Whether it needs no block."""
        return not self.results

    def trace(self, script: Script) -> Script:
        """Play a family, and note what it says and sees."""
        line: Line | None = next(script)
        while line is not None:
            self._add_line(line)
            seen: ReplyResult = yield line
            self.results += [result.text for result in seen.results]
            try:
                line = script.send(seen)
            except StopIteration:
                line = None

    def _add_line(self, line: Line) -> None:
        if isinstance(line, Ask):
            self.asks.append(line)
        elif isinstance(line, UserAnswer):
            self.asked_back = True
        else:
            self.replies.append(line.text if isinstance(line, Reply) else line)


def read_tree(root: Path) -> dict[str, bytes | None]:
    """Read a folder whole, but for what programs leave behind."""
    found: dict[str, bytes | None] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if not any(part in PASSED_OVER for part in name.parts) and not path.is_symlink():
            found[str(name)] = path.read_bytes() if path.is_file() else None
    return found


def write_tree(tree: Tree, root: Path) -> None:
    """Put a folder's content down."""
    for name, data in tree.items():
        target = root / name
        (target if data is None else target.parent).mkdir(parents=True, exist_ok=True)
        if data is not None:
            target.write_bytes(data)


def find_fault(play: Play, after: Tree, answer: str, run: Run) -> str:
    """Say what of a model's work is not as it is in the play, "" where all is. Raises CannotCompareError."""
    if has_block(answer):
        return "a block in the answer"
    if play.talks:
        return _check_talk(play, answer)
    if missing := sorted(play.after.keys() ^ after.keys()):
        return f"one has it alone: {missing[0]}"
    other = [name for name, data in play.after.items() if _strip_blanks(data) != _strip_blanks(after[name])]
    for name in other:
        if fault := _check_program(name, play, after, run):
            return fault
    return "" if play.after != play.before else _check_answer(play, answer)


def has_block(reply: str) -> bool:
    """Tell whether a reply has a block that would be run; one of the tag text is only shown."""
    return "```" in _SHOWN.sub("", reply)


def _check_talk(play: Play, answer: str) -> str:
    if len(answer.split()) > BRIEF:
        return "a lecture"
    own = _SHOWN.sub("", play.answer)
    wanted = _NAME.findall(own) + re.findall(r"\d+", own)
    return _find_missing(wanted, play.asks[0].text, answer)


def _check_program(name: str, play: Play, after: Tree, run: Run) -> str:
    """Run a program that is not the play's to the letter, in both folders."""
    runner = RUNS.get(PROGRAMS.get(Path(name).suffix, ""))
    if not runner or play.before.get(name) == after[name]:
        return f"another content: {name}"
    own = [found for reply in play.replies for found in _COMMAND.findall(reply) if name in found]
    command = own[-1] if own else f"{runner} {quote_text(name)}"
    wanted = run(play.after, command).strip()
    if not wanted:
        raise CannotCompareError("a program that prints nothing")
    return "" if run(after, command).strip() == wanted else f"it prints something else: {name}"


def _check_answer(play: Play, answer: str) -> str:
    """See that an answer has what the play's has of what was printed, and says no where that does."""
    printed = {_normalize_word(word) for text in play.results for word in _WORD.findall(text)}
    wanted = [word for word in _WORD.findall(play.answer) if _normalize_word(word) in printed]
    new = [word for word in wanted if _normalize_word(word) not in _find_words(play.asks[0].text)]
    told = [word for word in new if _SURE.search(word)] or [word for word in new if len(word) > SHORT]
    if not told and not _NO.search(play.answer):
        raise CannotCompareError("an answer in free words")
    if bool(_NO.search(play.answer)) != bool(_NO.search(answer)) and not told:
        return "a yes for a no"
    return _find_missing(told, play.asks[0].text, answer)


def _find_missing(wanted: Sequence[str], request: str, answer: str) -> str:
    there = _find_words(answer)
    lost = [
        word
        for word in wanted
        if _normalize_word(word) not in there and _normalize_word(word) not in _find_words(request)
    ]
    return f"the answer lacks {lost[0]}" if lost else ""


def _find_words(text: str) -> set[str]:
    return {_normalize_word(word) for word in _WORD.findall(text)}


def _normalize_word(word: str) -> str:
    return word.casefold().removeprefix("./").removeprefix("0x").rstrip("/")


def _strip_blanks(data: bytes | None) -> list[bytes] | None:
    return None if data is None else [line.rstrip() for line in data.rstrip().splitlines()]

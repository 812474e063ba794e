"""What passes between user, model and tools: frozen values, equal when their fields are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length"]
OUTSIDE = "outside"
"""The flag of a result that holds what strangers wrote: data, and no word of the person's."""
Outcome = Literal["ok", "failed", "denied", "forbidden", "skipped"]
"""`failed` counts as an attempt; `denied` is the person's no, `forbidden` a permission that is missing
(network, a person for a question), `skipped` a block that was not reached: none of these three does."""
DONE, DOUBTFUL, GAVE_UP, STOPPED = "done", "doubtful", "gave up", "stopped"
"""How a turn ended, the same words wherever that is shown. The answer of a doubtful one claims what the turn
does not bear out; one that was stopped was ended by the user, or with its program."""
INTERRUPTED = 130
"""The exit code of what the user stopped."""
IN_DOUBT = "The answer is in doubt: {reasons}."
NAMED = 2
"""Paths that a receipt names; more are counted."""
Status = Literal["pending", "running", "done", "failed", "skipped"]


def name_outcome(exit: int, code: str = "") -> str:
    """Give the word for how a turn ended, by its exit code and the code of its error."""
    words = {0: DONE, INTERRUPTED: STOPPED}
    return words.get(exit, DOUBTFUL if code == DOUBTFUL else GAVE_UP)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as an engine with function calling hands it over: `arguments` is JSON as the model wrote it."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of the `ToolCall` with this id and name, for the engine."""

    id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of the workspace for a model that sees.

    `kind` is its media type, `data` its bytes, none where it is no longer what it was.
    """

    path: str
    sha256: str
    kind: str
    data: bytes = field(default=b"", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the conversation, as the engine gets it.

    `calls` are the model's, `results` answer those of the message before and come before the text.
    """

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    pictures: tuple[Picture, ...] = ()

    @property
    def all_text(self) -> str:
        """All of its words, those of calls and results too."""
        calls = (f"{call.name} {call.arguments}" for call in self.calls)
        return "\n".join(filter(None, (*(result.text for result in self.results), self.text, *calls)))


@dataclass(frozen=True, slots=True)
class Counts:
    """What the engine says of one reply: tokens and seconds. `cached` is None where it does not tell."""

    prompt: int = 0
    output: int = 0
    cached: int | None = None
    load_seconds: float = 0.0
    prompt_seconds: float = 0.0
    output_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """What an engine does before its first token: it loads the model, or reads the prompt, of which it has
    `done` of `total` tokens; 0: it does not say.
    """

    stage: Literal["loading", "reading"]
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a streamed reply; the last one, and only it, carries `finish` and `counts`."""

    text: str = ""
    thought: str = ""
    finish: Finish | None = None
    counts: Counts | None = None
    calls: tuple[ToolCall, ...] = ()
    progress: Progress | None = None
    """With it a chunk holds nothing else."""


@dataclass(frozen=True, slots=True)
class Call:
    """The model asks for one tool: `bash`, or `write` with a path.

    `tool` is the canonical tag, `body` the content without its last newline, `path` as the model wrote it.
    `args` are the other words of the info string, in their order: `timeout=600`, `all`, `append`, `read`.
    `line` counts from 1 in the raw reply. `timid` marks a path that only a first comment named: it may
    create a file, never replace one that this turn did not make. `id` is that of its `ToolCall`, if it came
    as one.
    """

    tool: str
    body: str
    path: str | None = None
    args: tuple[str, ...] = ()
    line: int = 0
    timid: bool = False
    id: str = ""
    meant: str = ""
    """The one path in the words before a block without one that its tag fits."""

    def get_option(self, name: str) -> str | None:
        """Give the value of `name=value` in the info string, None where it is absent."""
        return next((word.partition("=")[2] for word in self.args if word.startswith(name + "=")), None)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the reader refused, by its code (FENCES in docs), with the sentence for the model."""

    code: str
    line: int
    text: str
    """Empty: for the log only."""
    tag: str = ""
    """The tag of the block that could not be read, whose example then teaches; "" where there is none."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that a tool wrote or a turn changed: its path relative to the workspace."""

    path: str
    action: Literal["created", "changed", "deleted", "renamed"]
    old: str = ""
    """The path that a renamed file had."""
    replaced: bool = False
    """Another file had this path, and this one was moved or copied over it."""

    @property
    def as_json(self) -> dict[str, str]:
        """Give it as `-o json` does."""
        return {"path": self.path, "action": self.action} | ({"from": self.old} if self.old else {})


@dataclass(frozen=True, slots=True)
class LineCount:
    """One file that a block changed, with the lines that it added and removed; None where those were not
    counted: it is no text, too large, or was only renamed.
    """

    file: FileChange
    added: int | None = None
    removed: int | None = None

    def __str__(self) -> str:
        if self.file.action == "renamed":
            return f"renamed {self.file.old} to {self.file.path}"
        counts = (
            f"{sign}{count}" for sign, count in (("+", self.added), ("-", self.removed)) if count is not None
        )
        return " ".join((self.file.action, self.file.path, *counts))


def format_line_counts(files: Sequence[LineCount]) -> str:
    """Say in one line what a block changed: each of a few files, of more how many and how many lines."""
    if len(files) <= NAMED + 1:
        return " · ".join(map(str, files))
    actions = Counter(each.file.action for each in files)
    kinds = [
        f"{action} {count} files" if count > 1 else f"{action} 1 file" for action, count in actions.items()
    ]
    added, removed = (sum(getattr(each, name) or 0 for each in files) for name in ("added", "removed"))
    return " · ".join([*kinds, f"+{added} -{removed}"])


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a turn did, by its blocks and its snapshots alone, and what speaks against its answer."""

    ran: int = 0
    """Blocks that ran a program …"""
    failed: int = 0
    """… those of all blocks that failed …"""
    last_failed: bool = False
    """… and whether the last of all did, with nothing after it."""
    last_not_run: bool = False
    """The last block was refused or not allowed, and nothing ran after it."""
    saved: tuple[str, ...] = ()
    """Paths that blocks saved themselves."""
    files: tuple[FileChange, ...] | None = ()
    """What differs from before the turn; None where that is not known."""
    folders: bool = False
    """Folders came or went."""
    lost: tuple[str, ...] = ()
    """Files whose content is nowhere any more after others were renamed."""
    elsewhere: bool = False
    """A tool worked on something else than the folder."""
    tests: int = 0
    """Tests that the last run of any counted …"""
    passed: int = 0
    """… and that passed."""
    check: Literal["", "passed", "failed"] = ""
    """What came of the user's own check."""
    doubt: tuple[str, ...] = ()
    """Reasons, for a person, why the answer is not to be believed."""

    @classmethod
    def from_record(cls, told: Mapping[str, Any]) -> Receipt:
        """Take it from the record of an event."""
        kept: dict[str, Any] = {
            k: tuple(each) if isinstance(each, list) else each for k, each in told.items()
        }
        if kept["files"] is not None:
            kept["files"] = tuple(FileChange(**one) for one in kept["files"])
        return cls(**kept)

    @property
    def verified(self) -> bool:
        """Tell whether something was done, the last block succeeded, and nothing is in doubt."""
        did = bool(self.ran or self.saved or self.files or self.elsewhere)
        ended = not (self.last_failed or self.last_not_run)
        passed = self.check == "passed" or (ended and self.passed == self.tests)
        return did and passed and self.check != "failed" and not self.doubt

    @property
    def complaint(self) -> str:
        """Say that the answer is in doubt, and why; "" where it is not."""
        return IN_DOUBT.format(reasons="; ".join(self.doubt)) if self.doubt else ""

    def __str__(self) -> str:
        return " · ".join(self._format_parts())

    def _format_parts(self) -> Iterator[str]:
        if self.ran or self.failed:
            failed = (
                ", the last failed" if self.last_failed else f", {self.failed} failed" * bool(self.failed)
            )
            yield f"ran {self.ran}{failed}" if self.ran else failed.removeprefix(", ")
        if self.saved:
            yield _format_paths("saved", self.saved)
        for action in ("created", "changed", "deleted", "renamed"):
            files = [each for each in self.files or () if each.action == action]
            paths = [
                each.path
                for each in files
                if action == "deleted" or not (each.replaced or each.path in self.saved)
            ]
            if action == "renamed" and len(files) == 1:
                yield f"renamed {files[0].old} to {files[0].path}"
            elif paths:
                yield _format_paths(action, paths)
        over = [each.path for each in self.files or () if each.replaced and each.path not in self.saved]
        if over:
            yield _format_paths("overwrote", over) + " (tripletick undo restores it)"
        if self.tests:
            yield f"tests {self.passed} of {self.tests} passed"
        if self.check:
            yield f"check {self.check}"


def _format_paths(word: str, paths: Sequence[str]) -> str:
    """Name a path or two, count more."""
    return f"{word} {', '.join(paths) if len(paths) <= NAMED else len(paths)}"


@dataclass(frozen=True, slots=True)
class Task:
    """One part of a plan: what `agent` does once the tasks are done whose ids stand in `needs`."""

    id: str
    agent: str
    task: str
    needs: tuple[str, ...] = ()
    status: Status = "pending"
    result: str = ""
    """In short, what came of it: its answer, or why there is none."""
    files: tuple[FileChange, ...] = ()
    surprise: str = ""
    """What went otherwise than meant although the task is done; the plan is then looked at again."""
    replaced: bool = False
    """It was not done, and the plan was changed so that others do its work."""

    @property
    def name(self) -> str:
        """What the person and the model call it."""
        return f"task {self.id} ({self.agent})"


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gives back.

    `verdict` is the first line's end: `ok, saved hello.py`, `failed, exit 1`. `text` is what the model reads
    below it, `view` what the person sees ("" = the same). `exit` is the program's status, None where none
    ran. `flags` say how it ended where the status cannot: `timeout memory output disk file processes signal
    refused not-found saved unstarted unchanged arguments example unexplained syntax outside`, `closed
    HOST:PORT`. `tool` names whose example teaches after a failure ("" = none).
    """

    outcome: Outcome
    verdict: str
    text: str = ""
    view: str = ""
    exit: int | None = None
    flags: frozenset[str] = frozenset()
    files: tuple[FileChange, ...] = ()
    tool: str = ""
    way: str = ""
    """A command of ours that does what was to be done; never one that a program has printed."""

    @property
    def ok(self) -> bool:
        return self.outcome == "ok"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person chose when asked: `y n s e ?` or, to an open question, `text`."""

    choice: str = "n"
    text: str = ""
    there: bool = True
    """False where nobody was there to be asked; the choice is then `n`."""
    said: bool = field(default=True, compare=False)
    """False where the person left the question by Ctrl-C or the end of input: a no that is not to be kept."""
    shown: bool = field(default=False, compare=False)
    """The question had the diff of what a yes changes."""

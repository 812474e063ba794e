"""Commits what turns have changed, and none of the user's own changes: `/commit`, and `[git] commit = turn`.

git runs in the box alone, with .git writable and the folder read-only, and without what the repository could
have it run: hooks, filters, signing, fsmonitor, the user's settings. A file is committed whole or not at all:
it must have been as in the last commit before the turns, and be as they left it. Not covered: what blocks
commit themselves (approval).
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from tripletick.checkpoint.diffs import DiffLine, count_line_changes, diff_contents
from tripletick.checkpoint.undo_plan import is_folder, is_placeholder
from tripletick.checkpoint.values import Change, State
from tripletick.errors import TripletickError
from tripletick.events import Ask, Drafting, Event, Notice, Reply
from tripletick.messages import LineCount, format_line_counts
from tripletick.permission import commits
from tripletick.sandbox.box import NOTHING, Finished, Grant, RunRequest
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.redaction import KNOWN
from tripletick.system.text import describe_os_error
from tripletick.tools.syntax_check import drain_output
from tripletick.tools.tool import ToolContext
from tripletick.turn import script_steps, side_query
from tripletick.turn.loop import Loop, Turn

NOT_COMMITTED = "Nothing was committed: {why}."
NO_GIT = "there is no .git here (git init creates one)"
ABOVE = "the repository is {root}. Start tripletick there: tripletick -C {typed}"
LINKED = "worktrees and submodules (.git is a file) are not supported. Commit it yourself: git commit"
NO_CHANGES = "no turn has uncommitted changes"
NO_BOX = "there is no sandbox for git to run in. Commit it yourself: git add FILE, then git commit"
ANSWERED_NO = "Nothing was committed."
LEFT_OUT = "Not committed: {path}: {why}."
QUESTION = "Commit “{message}” ({counts})?"
WHY = "Only these files are committed; hooks, filters and signing are off. e: edit the message."
DONE = "Committed {hash} “{message}”: {counts}."
BACK = " To undo it: git reset --soft HEAD~1"
CHANGED_SINCE = "it was changed again after the turn"
NOT_OURS = "it also has changes that were not made by a turn"
STAGED = "another version of it is staged"
HIDDEN = "it is hidden from the model"
SECRET = "it looks like a secret"
LARGE = "it is too large to compare"
FILTERED = "a git filter applies to it"
IGNORED = "git ignores it"
CONFLICT = "it has a merge conflict"
SECRETS = lazy_regex(
    r"(?i)(?:^|/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.netrc|\.npmrc|\.pypirc|\.htpasswd|\.git-credentials"
    r"|credentials(?:\.\w+)?|[^/]+\.(?:pem|key|p12|pfx|jks|keystore|kdbx))$"
)
PRIVATE_KEY = lazy_regex(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----")
FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"
NO_FILTER = ("unspecified", "unset", "")
QUIET = ("diff.ignoreSubmodules=all", "diff.external=")
STDIN = 'printf "%s" "$1" | { shift; exec "$@"; }'
LENGTH = 16 << 10
"""Characters of paths in one command: its output is kept whole then."""
SUBJECT, TOKENS = 72, 60
"""Characters of a message from the model, and tokens that it may take."""
SHARE = 4
"""The diff takes at most this part of the context."""
CUT = "… {count} more lines"
VERBS = {"created": "Add", "changed": "Change", "deleted": "Delete", "renamed": "Rename"}
_QUOTES = "\"'`“”*# "
_LABEL = lazy_regex(r"(?i)^(?:the )?(?:git )?commit(?: message)?:\s*|^(?:message|subject):\s*")


@dataclass(slots=True)
class CommitSelection:
    """What is committed: the changes as one each, and why others are not, by their paths."""

    changes: list[Change] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)
    """Paths among them that git does not know yet."""


@dataclass(frozen=True, slots=True)
class GitRepository:
    """The repository of the folder, asked in the box. Raises OSError with a sentence where git fails."""

    context: ToolContext
    env: Mapping[str, str]

    def run_git(self, *words: str, grant: Grant = NOTHING, message: str | None = None) -> Finished:
        author = script_steps.find_missing_author(self.context) if grant.git else {}
        settings = {**dict(each.split("=", 1) for each in QUIET), **author}
        command = commits.build_command(words, settings, pathspecs="--literal-pathspecs")
        if message is not None:
            command = ["sh", "-c", STDIN, "sh", message, *command]
        mode = self.context.mode if grant.git else "read"
        return drain_output(self.context.box.run(RunRequest(command, mode, env=self.env, grant=grant)))

    def read_output(self, *words: str) -> str:
        finished = self.run_git(*words)
        if finished.status or finished.dropped:
            raise OSError(last_output_line(finished))
        return (finished.head + finished.tail).decode("utf-8", "surrogateescape")

    def read_path_fields(self, paths: Sequence[str], *words: str) -> Iterator[str]:
        """Give the fields, separated by NUL, that a command prints about these paths."""
        batch, length = list[str](), 0
        for number, path in enumerate(paths, 1):
            batch.append(path)
            length += len(path) + 80
            if length > LENGTH or number == len(paths):
                yield from self.read_output(*words, "--", *batch).split("\0")[:-1]
                batch, length = [], 0


def last_output_line(finished: Finished) -> str:
    """Give the last line of what git says."""
    lines = (finished.head + finished.tail).decode("utf-8", "replace").strip().splitlines()
    last = lines[-1] if lines else f"git exited with status {finished.status}"
    return last.removeprefix("fatal: ").removeprefix("error: ").rstrip(".")


def commit_turns(loop: Loop, message: str = "", *, asks: bool = True, last: bool = False) -> Turn:
    """Commit what the turns have changed, `last`: what the last one has; without `message` the model writes
    one. `asks`: only after the user's yes.
    """
    try:
        yield from _commit_selection(loop, message, asks=asks, last=last)
    except OSError as error:
        if asks or not _has_no_git(loop.context):
            yield Notice(NOT_COMMITTED.format(why=describe_os_error(error)))


def _commit_selection(loop: Loop, message: str, *, asks: bool, last: bool) -> Turn:
    if not loop.context.box.holds:
        raise OSError(NO_BOX)
    _check_git(loop.context)
    repository = _open_repository(loop.context)
    chosen = select_changes(loop, repository, last=last)
    yield from (Notice(LEFT_OUT.format(path=path, why=why)) for path, why in chosen.left_out.items())
    if not chosen.changes:
        if asks or chosen.left_out:
            raise OSError(NO_CHANGES)
        return
    counts = count_line_changes(chosen.changes, loop.checkpoints.read_content)
    lines = list(_diff_lines(loop, chosen.changes))
    message = message or (yield from _draft_message(loop, lines, counts))
    if asks:
        diff = tuple((line.tone, line.text) for line in lines)
        question = QUESTION.format(counts=format_line_counts(counts), message=message)
        root = str(loop.context.workspace.root)
        answer = yield Ask(question, "yne?", WHY, edit=message, workspace=root, diff=diff)
        if answer is None or answer.choice not in ("y", "e"):
            yield Notice(ANSWERED_NO)
            return
        message = answer.text.strip() if answer.choice == "e" else message
    name, parent = _create_commit(repository, chosen, message)
    subject = message.splitlines()[0]
    yield Notice(DONE.format(hash=name, message=subject, counts=format_line_counts(counts)) + BACK * parent)


def _open_repository(context: ToolContext) -> GitRepository:
    """Turn off what the repository's settings would have git run."""
    repository = GitRepository(context, commits.ENV)
    finished = repository.run_git("config", "-z", "--name-only", "--get-regexp", FILTERS)
    names = (finished.head + finished.tail).decode("utf-8", "surrogateescape").split("\0")[:-1]
    if finished.status not in (0, 1) or finished.dropped:
        raise OSError(last_output_line(finished))
    env = {"GIT_CONFIG_COUNT": str(len(names)), "GIT_NO_LAZY_FETCH": "1"}
    for number, name in enumerate(names):
        env |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": ""}
        if name.endswith(".required"):
            env[f"GIT_CONFIG_VALUE_{number}"] = "false"
    return replace(repository, env={**commits.ENV, **env})


def _has_no_git(context: ToolContext) -> bool:
    return context.workspace.get_kind(".git") == "missing"


def _check_git(context: ToolContext) -> None:
    """Raise OSError with a sentence where the folder itself is no repository that git may be run in."""
    if context.workspace.get_kind(".git") == "file":
        raise OSError(LINKED)
    if _has_no_git(context):
        above = context.workspace.root.parents
        root = next((each for each in above if os.path.lexists(each / ".git")), None)
        raise OSError(ABOVE.format(root=root, typed=shlex.quote(str(root))) if root else NO_GIT)


def select_changes(loop: Loop, repository: GitRepository, *, last: bool) -> CommitSelection:
    """Choose the files that hold what turns have made of the last commit, and nothing else."""
    turns, now = loop.checkpoints.load_done_turns()
    steps: dict[str, list[Change]] = defaultdict(list)
    for turn in turns[-1:] if last else turns:
        for change in turn.changes:
            steps[change.path].append(change)
    paths = sorted(path for path, several in steps.items() if not any(map(_is_folder, several)))
    head = repository.run_git("rev-parse", "-q", "--verify", "HEAD")
    committed = (
        _parse_blob_names(repository.read_path_fields(paths, "ls-tree", "-z", "HEAD"))
        if not head.status
        else {}
    )
    method = "sha256" if len(head.head.strip()) == 64 else "sha1"
    names = BlobNames(loop.checkpoints.read_content, method)
    chosen, hides = CommitSelection(), loop.context.workspace.make_hidden_check()
    for path in paths:
        oid, left = committed.get(path, ""), steps[path][-1].left
        if names.has_name(left, oid):
            continue
        start = names.find_start_state(steps[path], oid)
        why = HIDDEN if hides(path) else _find_obstacle(loop, path, steps[path], now.get(path), start)
        if why:
            chosen.left_out[path] = why
        else:
            chosen.changes.append(Change(path, start[0] if start else None, left))
    _filter_by_index(repository, chosen, committed, names)
    return chosen


@dataclass(frozen=True, slots=True)
class BlobNames:
    """The names that git has for contents (gitformat-objects: their hash behind a short head)."""

    read: Callable[[State | None], bytes]
    method: str

    def has_name(self, state: State | None, oid: str) -> bool:
        """Tell whether a state has this name, "" for no file; git may store other line ends."""
        if state is None or is_placeholder(state) or not oid:
            return state is None and not oid
        data = self.read(state)
        return oid in (self._hash_blob(data), self._hash_blob(data.replace(b"\r\n", b"\n")))

    def find_start_state(self, steps: Sequence[Change], oid: str) -> tuple[State | None] | None:
        """Go back from the last step to the state of this name, by steps that follow one another; None where
        something else lies between.
        """
        after = steps[-1].left
        for change in reversed(steps):
            if change.left != after:
                return None
            after = change.was
            if self.has_name(after, oid):
                return (after,)
        return None

    def _hash_blob(self, data: bytes) -> str:
        return hashlib.new(self.method, b"blob %d\0" % len(data) + data).hexdigest()


def _is_folder(change: Change) -> bool:
    return is_folder(change.was) or is_folder(change.left)


def _find_obstacle(
    loop: Loop, path: str, steps: Sequence[Change], now: State | None, start: tuple[State | None] | None
) -> str:
    """Say why a file is not committed, "" where it may be."""
    data = loop.checkpoints.read_content(steps[-1].left)
    text = data.decode("utf-8", "replace")
    if SECRETS.search(path) or PRIVATE_KEY.search(data) or KNOWN.redact(text) != text:
        return SECRET
    if any(is_placeholder(state) for change in steps for state in (change.was, change.left)):
        return LARGE
    if now != steps[-1].left:
        return CHANGED_SINCE
    return "" if start else NOT_OURS


def _parse_blob_names(fields: Iterable[str]) -> dict[str, str]:
    """Read lines of ls-tree and ls-files: give the names of contents by their paths; a conflict has none."""
    found: dict[str, str] = {}
    for line in fields:
        words, _, path = line.partition("\t")
        found[path] = "" if path in found else next(word for word in words.split() if len(word) >= 40)
    return found


def _filter_by_index(
    repository: GitRepository, chosen: CommitSelection, committed: Mapping[str, str], names: BlobNames
) -> None:
    """Leave out what is staged otherwise, ignored, or gone through a filter."""
    paths = [change.path for change in chosen.changes]
    index = _parse_blob_names(repository.read_path_fields(paths, "ls-files", "-s", "-z"))
    attributes = list(repository.read_path_fields(paths, "check-attr", "-z", "filter"))
    filtered = {
        path for path, value in zip(attributes[::3], attributes[2::3], strict=True) if value not in NO_FILTER
    }
    ignored = set(repository.read_path_fields(paths, "ls-files", "-z", "-o", "-i", "--exclude-standard"))
    for change in list(chosen.changes):
        path, staged = change.path, index.get(change.path)
        reasons = {
            FILTERED: path in filtered,
            IGNORED: path in ignored,
            CONFLICT: staged == "",
            STAGED: (staged or "") != committed.get(path, "")
            and not names.has_name(change.left, staged or ""),
        }
        if why := next((each for each, applies in reasons.items() if applies), ""):
            chosen.left_out[path] = why
            chosen.changes.remove(change)
        elif staged is None and change.left:
            chosen.new.append(path)


def _create_commit(repository: GitRepository, chosen: CommitSelection, message: str) -> tuple[str, bool]:
    """Commit; gives the short name of the commit, and whether there is one before it."""
    grant, paths = Grant(git=True), [change.path for change in chosen.changes]
    if chosen.new and (added := repository.run_git("add", "--", *chosen.new, grant=grant)).status:
        raise OSError(last_output_line(added))
    words = ("commit", "-q", "--no-verify", "--only", "-F", "-", "--", *paths)
    done = repository.run_git(*words, grant=grant, message=message)
    if done.status:
        if chosen.new:
            repository.run_git("rm", "-q", "--cached", "--", *chosen.new, grant=grant)
        nameless = script_steps.NAMELESS in (done.head + done.tail).decode("utf-8", "replace")
        raise OSError(script_steps.TO_NAME if nameless else last_output_line(done))
    parent = not repository.run_git("rev-parse", "-q", "--verify", "HEAD~1").status
    return repository.read_output("rev-parse", "--short", "HEAD").strip(), parent


def _diff_lines(loop: Loop, changes: Sequence[Change]) -> Iterator[DiffLine]:
    for change in changes:
        old, new = (loop.checkpoints.read_content(state) for state in (change.was, change.left))
        yield from diff_contents(change.path, old, new)


def _draft_message(
    loop: Loop, lines: Sequence[DiffLine], counts: Sequence[LineCount]
) -> Generator[Event, Reply, str]:
    """Have the model write the message; where nothing usable comes, the files are named."""
    yield Drafting()
    replies, budget = loop.replies, loop.replies.budget
    diff = KNOWN.redact(_clip_diff(lines, int(budget.window / SHARE / budget.rate)))
    asked = side_query.append_question(
        replies.conversation.build_messages(), replies.draft.replace("{diff}", diff)
    )
    sampling = replace(replies.sampling, output=TOKENS, temperature=0.0, think=False)
    text = ""
    if budget.count_left(asked) > TOKENS:
        with suppress(TripletickError):
            text = (
                yield from side_query.ask_question(replies.model, replies.dialect, asked, sampling, budget)
            ).text
    return _extract_subject(text) or _describe_files(counts)


def _clip_diff(lines: Sequence[DiffLine], most: int) -> str:
    for number, line in enumerate(lines):
        most -= len(line.text) + 1
        if most < 0:
            return "\n".join([*(each.text for each in lines[:number]), CUT.format(count=len(lines) - number)])
    return "\n".join(line.text for line in lines)


def _extract_subject(text: str) -> str:
    """Take the first line that says something."""
    for line in text.splitlines():
        plain = "".join(filter(str.isprintable, line)).strip(_QUOTES)
        words = _LABEL.sub("", plain).strip(_QUOTES).rstrip(".")
        if re.search(r"\w", words) and not line.lstrip().startswith(("```", "~~~")):
            return (
                words if len(words) <= SUBJECT else words[: SUBJECT + 1].rpartition(" ")[0] or words[:SUBJECT]
            )
    return ""


def _describe_files(counts: Sequence[LineCount]) -> str:
    actions = {each.file.action for each in counts}
    verb = VERBS[actions.pop()] if len(actions) == 1 else VERBS["changed"]
    return f"{verb} {counts[0].file.path if len(counts) == 1 else f'{len(counts)} files'}"

"""Runs the installs and commits of a script, each asked for and in its own box.

Not covered: what they are (permission/installs, permission/commits); how they are confined (the grant).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence

from tripletick.events import Ask, Looking, Notice, Output
from tripletick.messages import Answer, Result
from tripletick.permission import commits
from tripletick.permission.block import PendingBlock, add_edit_note
from tripletick.permission.environments import EnvironmentTracker
from tripletick.permission.installs import NO_WHEEL, Install
from tripletick.permission.questions import YES, Answering, Question, Working
from tripletick.permission.script_parts import ScriptParts, split_script
from tripletick.sandbox.box import NOTHING, Finished, Grant, RunRequest
from tripletick.tools import output
from tripletick.tools.code import Step, stream_output
from tripletick.tools.syntax_check import drain_output
from tripletick.tools.tool import ToolContext
from tripletick.turn.snapshots import run_with_progress, snapshot_after, snapshot_before

Asks = Callable[[PendingBlock, Question, str], Answering]
INSTALL_WHY = "The command can see {paths} and a package cache, and nothing else in this folder; {how}."
HOWS = {"pip": "prebuilt packages only, no setup code runs", "npm": "install scripts do not run"}
BUILD = "No prebuilt package fits {names}. Build it from source in the sandbox? Its setup code runs there."
INSTALLED = {
    "pip": "ok, installed into {folder}; start programs with {folder}/bin/python",
    "npm": "ok, installed into {folder}; install scripts did not run",
}
COMMIT_WHY = "Only the lines shown here run, in a sandbox that can write to .git; hooks and signing are off."
LINKED = "{path} is a link, and what it points to is not known to be a place for packages"
UNMADE = "{folder} could not be made: {why}"
UNTRACKED = "[ -e {folder}/.gitignore ] || echo '*' > {folder}/.gitignore"
"""What Python 3.13 and uv do, too: packages are in no commit."""
NAMELESS = "Please tell me who you are"
"""What git says where neither the repository nor the user's settings have a name."""
NO_NAME = "was not committed: git does not know the person's name, and only the person can say it"
TO_NAME = (
    'Git does not know your name and address. Set them: git config --global user.name "Your Name"; git '
    "config --global user.email you@example.org"
)
UNREADABLE = "refused by the person: his own lines could not be read"


def run_install(
    asks: Asks, block: PendingBlock, wanted: Install, interpreters: EnvironmentTracker
) -> Working:
    """Ask for an install and run it in a box that sees the packages' folder alone."""
    workspace = block.context.workspace
    why = INSTALL_WHY.format(paths=", ".join(wanted.paths), how=HOWS[wanted.manager])
    line = " ".join([wanted.manager, "install", *wanted.packages])
    kind = f"install {line} {interpreters.fingerprint_changes(wanted.folder)}"
    text = wanted.format_question(workspace, interpreters.format_changes(wanted.folder))
    question = Question(kind, text, "installing packages", why)
    answer = yield from asks(block, question, line)
    if isinstance(answer, Result):
        return answer
    if answer.choice == "e":
        own = split_script(answer.text, workspace)
        if own.sole_kind != "install":
            return Result("denied", UNREADABLE)
        (wanted,) = own.installs
    yield from _prepare_folder(block, wanted)
    yield from snapshot_before(block)
    result = yield from _install_packages(asks, block, wanted, interpreters.find_interpreter(wanted.folder))
    interpreters.record_folder(wanted.folder)
    yield from snapshot_after(block)
    return add_edit_note(result, answer)


def _prepare_folder(
    block: PendingBlock, wanted: Install
) -> Generator[Looking | Output | Ask | Notice, Answer | None, None]:
    """Make what the install is to see. Raises OSError where that fails.

    What is made is ours and the same each time: nobody is told that it runs later.
    """
    kinds = {path: block.context.workspace.get_kind(path) for path in wanted.paths}
    if wrong := [path for path, kind in kinds.items() if kind == "other"]:
        raise OSError(LINKED.format(path=wrong[0]))
    if "missing" not in kinds.values():
        return
    yield from snapshot_before(block)
    made = yield from _run_command(block, wanted.build_prepare_command(), NOTHING)
    if not made.status:
        yield from _run_command(block, ["sh", "-c", UNTRACKED.format(folder=wanted.folder)], NOTHING)
    lines = yield from run_with_progress(block.points, block.points.snapshot_after_block)
    yield from (Notice(line) for line in lines if f"{wanted.folder}/" not in line)
    if made.status:
        raise OSError(UNMADE.format(folder=wanted.folder, why=output.clip_output(made, block.context)[-200:]))


def _install_packages(asks: Asks, block: PendingBlock, wanted: Install, interpreter: str) -> Working:
    grant = Grant(network=True, only=tuple(block.context.workspace.root / path for path in wanted.paths))
    finished = yield from _run_command(block, wanted.build_install_command(interpreter), grant)
    if (
        finished.status
        and wanted.manager == "pip"
        and NO_WHEEL.search(output.clip_output(finished, block.context))
    ):
        names = ", ".join(wanted.names[:5])
        question = Question(f"build {names}", BUILD.format(names=names), "building a package", choices="yn")
        answer = yield from asks(block, question, "")
        if isinstance(answer, Result):
            return answer
        finished = yield from _run_command(
            block, wanted.build_install_command(interpreter, building=True), grant
        )
    return _build_result(block, finished, INSTALLED[wanted.manager].format(folder=wanted.folder))


def run_commits(asks: Asks, block: PendingBlock, parts: ScriptParts) -> Working:
    """Ask for the commits of a block and run them in a box that may write .git."""
    line = parts.committing
    lines, text, answer = parts.commits, " ".join(line.split()), YES
    if not block.typed:
        question = Question("", f"{text}?", "git commit", COMMIT_WHY, choices="yne")
        said = yield from asks(block, question, line)
        if isinstance(said, Result):
            return said
        answer = said
        if answer.choice == "e":
            own = split_script(answer.text, block.context.workspace)
            lines = own.commits if own.sole_kind == "commit" else ()
    if not lines:
        return Result("denied", UNREADABLE)
    return add_edit_note((yield from _run_git_commands(block, lines)), answer)


def _run_git_commands(block: PendingBlock, lines: Sequence[Sequence[str]]) -> Working:
    author = find_missing_author(block.context)
    finished = Finished(0, b"")
    for texts in lines:
        words = commits.build_command(texts, author)
        finished = output.join_runs(
            finished, (yield from _run_command(block, words, Grant(git=True), commits.ENV))
        )
        if finished.status:
            break
    result = _build_result(block, finished, "ok, committed" if lines[-1][0] == "commit" else "ok")
    if not result.ok and NAMELESS in result.text:
        yield Notice(TO_NAME)
        return Result("forbidden", NO_NAME)
    return result


def find_missing_author(context: ToolContext) -> dict[str, str]:
    """Give what the user's settings say of them and the repository's own do not."""
    asked = ["git", "config", "--name-only", "--get-regexp", r"^user\.(name|email)$"]
    finished = drain_output(context.box.run(RunRequest(asked, "read", env=commits.ENV)))
    own = finished.head.decode("utf-8", "replace").split()
    if len(own) == 2:
        return {}
    author = commits.find_author(context.workspace.root)
    return {name: value for name, value in author.items() if name not in own}


def _run_command(
    block: PendingBlock, words: Sequence[str], grant: Grant, env: Mapping[str, str] | None = None
) -> Step:
    context = block.context
    request = RunRequest(words, context.mode, context.limits.max_timeout, env or {}, grant)
    return (yield from stream_output(context.box.run(request)))


def _build_result(block: PendingBlock, finished: Finished, ok: str) -> Result:
    how = output.format_verdict(finished, block.context.limits)
    text = output.clip_output(finished, block.context)
    if how == "ok":
        return Result("ok", ok, text, exit=0)
    return Result("failed", how, text, exit=finished.status, flags=output.collect_flags(finished))

"""`/run FILE`: run a program in the user's own terminal without a sandbox, with keys, display and network.

The user is asked with the file's name and hash, and what is run is what was asked about. The model is told
how it ended. A page opens in the browser. Not covered: what blocks run (tools/code.py), always in the box.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tripletick.chat.commands.chat_context import ChatContext
from tripletick.errors import UsageError, WorkspaceError
from tripletick.events import Ask
from tripletick.languages.registry import Language, detect_language, fill_command
from tripletick.paths import PathRefused, Workspace
from tripletick.session import builder, manual_actions
from tripletick.system.text import describe_os_error
from tripletick.tools.file_walk import find_closest_paths
from tripletick.tools.program_parts import find_parts, find_project_folder
from tripletick.tools.syntax_check import build_variables

LARGEST = 256 << 20
PAGES = frozenset({"html", "svg"})
"""What a browser shows."""
QUESTION = "NO SANDBOX: run {path} (sha256 {digest}) with {program}, as you, in this terminal?"
PAGE = "NO SANDBOX: open {path} (sha256 {digest}) in your browser?"
WHY = (
    "It can read and change everything you can, and use the network; so can anything it loads from "
    "this folder."
)
CHANGED = "The file changed after the question was asked."
HOW = "/run FILE, a program or page of this folder"


@dataclass(frozen=True, slots=True)
class RunnableFile:
    """A file that can be run: its path, the first digits of its hash, its language."""

    path: str
    digest: str
    language: Language


def run_file(desk: ChatContext, name: str) -> None:
    """Run a file of the workspace as the user would. Raises UsageError, WorkspaceError."""
    if not name or not desk.screen.person:
        raise UsageError(
            "Nothing was run.",
            "No file was named." if not name else "There is no terminal to ask for confirmation.",
            HOW,
        )
    loop = desk.open_loop()
    if loop is None:
        return
    workspace = loop.context.workspace
    ready = _check_runnable(workspace, name)
    page = ready.language.tag in PAGES
    programs = [] if page else _find_programs(ready.language, workspace.root)
    words = PAGE if page else QUESTION
    question = words.format(
        path=ready.path, digest=ready.digest, program=_format_programs(programs, workspace.root)
    )
    if desk.ask_user(Ask(question, "yn?", WHY)).choice != "y":
        return
    if _check_runnable(workspace, name) != ready:
        raise UsageError(f"{ready.path} was not run.", CHANGED, f"/run {name}")
    with desk.ahead.pause_capture():
        told = _open_page(workspace.root / ready.path) if page else _run_program(workspace, ready, programs)
    if page:
        desk.screen.say(told)
    else:
        desk.run_turn(manual_actions.report_program(loop, told))


def _check_runnable(workspace: Workspace, name: str) -> RunnableFile:
    """Look at a file. Raises UsageError where it is none that can be run."""
    try:
        path = workspace.resolve_path(name).path
        if workspace.get_kind(path) == "missing":
            near = find_closest_paths(name, workspace)
            raise UsageError(
                f"There is no file {name} here.", f"Similar names: {', '.join(near)}." * bool(near), HOW
            )
        data = workspace.read_bytes(path, LARGEST + 1)
    except PathRefused as refused:
        raise UsageError(f"{name} was not run.", f"{refused}.", HOW) from refused
    language = detect_language(path)
    if language is None or not (language.is_runnable or language.tag in PAGES):
        raise UsageError(f"{name} was not run.", "Its name is not that of a program.", HOW)
    if len(data) > LARGEST:
        raise UsageError(f"{name} was not run.", "It is too large.", HOW)
    return RunnableFile(path, hashlib.sha256(data).hexdigest()[:12], language)


def _find_programs(language: Language, root: Path) -> list[str]:
    """Choose the programs that build and run a language. Raises UsageError where one is not installed."""
    look, found = builder.make_program_lookup(root), []
    for command in filter(None, (language.build, language.run)):
        names = command[0].format(interpreter=sys.executable).split("|")
        there = (str(root / name) if "/" in name else look(name) for name in names)
        program = next((path for path in there if path and os.access(path, os.X_OK)), None)
        if program is None:
            remedy = f"apt install {language.package}" if language.package else ""
            raise UsageError(f"{names[0]} is not installed here.", "", remedy)
        found.append(program)
    return found


def _format_programs(programs: list[str], root: Path) -> str:
    """Name programs as the user knows them: those of the folder by their path there."""
    inside = {path: str(path.relative_to(root)) for path in map(Path, programs) if path.is_relative_to(root)}
    return ", ".join(inside.get(Path(program), Path(program).name) for program in programs)


def _run_program(workspace: Workspace, ready: RunnableFile, programs: list[str]) -> str:
    """Build and run in the foreground; gives how it ended. Raises WorkspaceError."""
    root, language = workspace.root, ready.language
    with tempfile.TemporaryDirectory(prefix="tripletick-") as out, _hand_over_terminal():
        names = build_variables(ready.path, root) | {"out": out}
        source = (root / ready.path).read_text("utf-8", "replace")
        names |= language.extract_words(source)
        env = os.environ | {key: fill_command(("/", value), names)[1] for key, value in language.env.items()}
        whole = names | {"file": str(root / ready.path)}
        parts = [str(root / part) for part in find_parts(language, ready.path, workspace, set())]
        steps = [(language.build, whole, root / find_project_folder(language, ready.path, workspace))]
        steps = [*(steps if language.build else ()), (language.run, names, root)]
        status = 0
        for program, (command, known, folder) in zip(programs, steps, strict=True):
            words = fill_command(("/", *command[1:]), known, parts)[1:]
            try:
                status = subprocess.run([program, *words], cwd=folder, env=env, check=False).returncode
            except OSError as error:
                raise WorkspaceError(
                    f"{program} cannot be started.", f"{describe_os_error(error)}."
                ) from error
            if status:
                break
    how = f"was ended by signal {-status}" if status < 0 else f"ended with exit {status}"
    return f"{ready.path} {how}."


@contextmanager
def _hand_over_terminal() -> Iterator[None]:
    """Leave Ctrl+C and the terminal to the program, and set both right after it."""
    before = termios.tcgetattr(sys.stdin)
    # not SIG_IGN, which the program would inherit
    usual = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        termios.tcsetattr(sys.stdin, termios.TCSANOW, before)


def _open_page(path: Path) -> str:
    import webbrowser

    opened = webbrowser.open(path.as_uri())
    return f"Opened {path.name} in your browser." if opened else f"No browser was found for {path.as_uri()}"

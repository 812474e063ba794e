"""`git add` and `git commit`, parsed: only these words run, in a sandbox that may write .git.

Hooks, signatures and the user's settings do not; the author is the repository's, else the user's. Not
covered: every other command of git, for which .git stays read-only.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tripletick.permission.risky import strip_options
from tripletick.permission.shell_commands import ResolvedCommand
from tripletick.permission.shell_parser import ShellWord
from tripletick.system.lazy_regex import lazy_regex

HARD = (
    "core.hooksPath=/dev/null",
    "commit.gpgsign=false",
    "core.fsmonitor=",
    "gc.auto=0",
    "maintenance.auto=false",
)
ENV = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "false",
    "GIT_OPTIONAL_LOCKS": "0",
}
ADD = {"-A", "--all", "-u", "--update", "-f", "--force", "-v", "--verbose", "-N", "--intent-to-add", "--"}
COMMIT = {
    "-a",
    "--all",
    "-q",
    "--quiet",
    "-s",
    "--signoff",
    "--amend",
    "--no-edit",
    "--allow-empty",
    "-v",
    "--no-verify",
    "-n",
}
MESSAGES = ("-m", "--message", "-am", "-qm", "-sm", "-qam", "-asm")
LOOKS = {"status", "log", "show", "diff", "rev-parse", "ls-files", "branch"}
"""What may follow a commit in its block."""
_DOCUMENT = lazy_regex(r"\$\(cat <<-?\s*(['\"])(\w+)\1\n(.*?)\n?\s*\2\s*\n?\s*\)", re.DOTALL)


def parse_git_command(act: ResolvedCommand) -> tuple[str, ...] | None:
    """Give the words after `git`; None where it is no plain `git add` or `git commit`."""
    if (
        not act.command
        or act.command.redirected
        or act.command.depth
        or act.command.argv[0] != "git"
        or len(act.words) < 2
    ):
        return None
    words = tuple(map(unwrap_heredoc, act.words[1:]))
    if not all(word.plain for word in words):
        return None
    texts = tuple(word.text for word in words)
    checks = {"add": _is_add, "commit": _is_commit}
    return texts if texts[0] in checks and checks[texts[0]](texts[1:]) else None


def unwrap_heredoc(word: ShellWord) -> ShellWord:
    """Take a message out of the here-document that it is written in."""
    match = _DOCUMENT.fullmatch(word.text)
    return ShellWord(match[3]) if match and not word.plain else word


def _is_add(texts: Sequence[str]) -> bool:
    return bool(texts) and all(text in ADD or not text.startswith("-") for text in texts)


def _is_commit(texts: Sequence[str]) -> bool:
    words = iter(texts)
    told = False
    for text in words:
        if text in MESSAGES:
            told = next(words, None) is not None
        elif text.startswith("--message=") or text in ("--amend", "--no-edit"):
            told = True
        elif text not in COMMIT:
            return False
    return told


def format_command(texts: Sequence[str]) -> str:
    """Give the line that stands for the words after `git`: it says what runs, its variables filled in."""
    return shlex.join(["git", *texts])


def is_inspection(act: ResolvedCommand) -> bool:
    """Tell whether a command only shows what git keeps."""
    return (act.name == "git" and len(act.words) > 1 and act.words[1].text in LOOKS) or act.name == "echo"


def is_push(act: ResolvedCommand) -> bool:
    return strip_options(act)[:2] == ["git", "push"]


def build_command(
    texts: Sequence[str], author: Mapping[str, str], *, pathspecs: str = "--glob-pathspecs"
) -> list[str]:
    """Give the hardened command for the words after `git`."""
    settings = [*HARD, *(f"{name}={value}" for name, value in author.items())]
    return ["git", *(word for one in settings for word in ("-c", one)), pathspecs, *texts]


def find_author(workspace: Path) -> dict[str, str]:
    """Read the user's name and address from their own git settings, never from the workspace's."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    safe = [
        one for one in folders if one.startswith("/") and not Path(one).resolve().is_relative_to(workspace)
    ]
    git = shutil.which("git", path=os.pathsep.join(safe))
    names = ("user.name", "user.email")
    found = {name: _read_git_setting(git, name) for name in names} if git else {}
    return {name: value for name, value in found.items() if value}


def _read_git_setting(git: str, name: str) -> str:
    env = {key: os.environ[key] for key in ("HOME", "XDG_CONFIG_HOME", "PATH") if key in os.environ}
    words = [git, "config", "--global", "--get", name]
    done = subprocess.run(
        words, cwd="/", env=env, capture_output=True, stdin=subprocess.DEVNULL, timeout=10, check=False
    )
    return done.stdout.decode("utf-8", "replace").strip()

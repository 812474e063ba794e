"""Parts a shell block into installs at its beginning, commits at its end, and the rest.

Only what stands plainly in lines of its own is parted; everything else stays in the rest, whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from tripletick.paths import Workspace
from tripletick.permission import commits, installs
from tripletick.permission.installs import Install
from tripletick.permission.risky import load_table
from tripletick.permission.shell_commands import ResolvedCommand, resolve_commands

APART = ("", "\n", ";", "&&")
ALONE = "not run: send `{line}` as a plain line at the beginning of a block of its own"
PUSHED = "not run: git push is left to the person, who is shown the command; send the block without it"
MOVES = frozenset({"cd", "pushd", "popd"})
LATE = "not run: send git add and git commit as plain last lines of the block, with nothing else between them"
SETTING_UP = frozenset({"set", "source", ".", "venv"})


@dataclass(frozen=True, slots=True)
class ScriptParts:
    """A block in its parts; `problem` is for the model where something stands where it cannot be parted."""

    installs: tuple[Install, ...] = ()
    rest: str = ""
    commits: tuple[tuple[str, ...], ...] = ()
    committing: str = ""
    """The commits as they will run."""
    looks: str = ""
    """What shows the commits after them."""
    pushes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def sole_kind(self) -> str:
        """Give `install` or `commit` where there is one install alone, or commits alone; else ""."""
        if self.rest or self.looks or self.pushes or self.problem:
            return ""
        if self.commits:
            return "" if self.installs else "commit"
        return "install" if len(self.installs) == 1 else ""

    @property
    def is_whole(self) -> bool:
        """True where there is nothing to part."""
        return not (self.installs or self.commits or self.pushes or self.problem)


def split_script(script: str, workspace: Workspace) -> ScriptParts:
    """Part a script."""
    script = script.replace("\r\n", "\n")
    found = list(resolve_commands(script, load_table().wraps))
    top = [act for act in found if act.command and not act.command.depth]
    leading = _find_leading_installs(top, workspace)
    looks, ending = _find_trailing_commits(top)
    pushes = [act for act in found if commits.is_push(act)]
    if not _can_commit(top, ending, found, workspace):
        looks, ending = (), tuple(act for act in ending if act in pushes)
    taken = [*leading, *ending, *looks]
    committing = [act for act in ending if act not in pushes]
    return ScriptParts(
        tuple(
            installs.choose_folder(one, workspace)
            for act in leading
            if (one := installs.parse_install(act, workspace))
        ),
        _remove_commands(script, taken),
        tuple(texts for act in committing if (texts := commits.parse_git_command(act))),
        " && ".join(
            commits.format_command(texts) for act in committing if (texts := commits.parse_git_command(act))
        ),
        "\n".join(_get_source(act, script) for act in looks),
        tuple(act.quoted_line for act in pushes),
        _find_problem(found, taken, workspace),
    )


def _find_problem(
    found: Sequence[ResolvedCommand], taken: Sequence[ResolvedCommand], workspace: Workspace
) -> str:
    """Say what stands where it cannot be parted."""
    committed = any(commits.parse_git_command(act) for act in taken)
    for act in found:
        if act not in taken and commits.is_push(act):
            return PUSHED
        if committed and act not in taken and act.line.startswith(("git add", "git commit")):
            return LATE
        written = act.command is not None and act.command.in_document
        if act not in taken and not written and installs.parse_install(act, workspace):
            return ALONE.format(line=act.line)
    return ""


def _find_leading_installs(top: Sequence[ResolvedCommand], workspace: Workspace) -> list[ResolvedCommand]:
    """Give the installs that come before everything but what sets them up."""

    def is_early(act: ResolvedCommand) -> bool:
        return _is_standalone(act) and (act.name in SETTING_UP or _is_install(act, workspace))

    return [act for act in takewhile(is_early, top) if act.name not in SETTING_UP]


def _is_install(act: ResolvedCommand, workspace: Workspace) -> bool:
    # With a variable before it, it is meant to run in a way of its own.
    plain = act.command is not None and act.command.is_plain and "=" not in act.command.argv[0]
    return plain and installs.parse_install(act, workspace) is not None


def _find_trailing_commits(
    top: Sequence[ResolvedCommand],
) -> tuple[tuple[ResolvedCommand, ...], tuple[ResolvedCommand, ...]]:
    """Give what only looks, at the very end or between the commits, and the commits and pushes themselves."""
    last = tuple(takewhile(lambda act: _is_standalone(act) and commits.is_inspection(act), reversed(top)))
    before = reversed(top[: len(top) - len(last)])
    ending = tuple(
        takewhile(
            lambda act: _is_standalone(act) and (_is_commit_or_push(act) or _is_movable_inspection(act)),
            before,
        )
    )[::-1]
    first = next((number for number, act in enumerate(ending) if _is_commit_or_push(act)), len(ending))
    made = tuple(act for act in ending[first:] if _is_commit_or_push(act))
    looks = tuple(act for act in ending[first:] if not _is_commit_or_push(act))
    return ((*looks, *last[::-1]), made) if made else ((), ())


def _is_commit_or_push(act: ResolvedCommand) -> bool:
    return bool(commits.parse_git_command(act)) or commits.is_push(act)


def _is_movable_inspection(act: ResolvedCommand) -> bool:
    """Tell a look that may as well come after the commits."""
    return commits.is_inspection(act) and act.command is not None and act.command.is_plain


def _can_commit(
    top: Sequence[ResolvedCommand],
    ending: Sequence[ResolvedCommand],
    found: Sequence[ResolvedCommand],
    workspace: Workspace,
) -> bool:
    """Tell whether the commits are for the repository that the folder is, and the script comes to them: not
    where `cd` leads elsewhere, or it may have ended well before.
    """
    made = any(act.name == "git" and "init" in [word.text for word in act.words[1:3]] for act in found)
    there = made or workspace.get_kind(".git") != "missing"
    leads_away = any(act.name in MOVES for act in top if act not in ending)
    return there and not leads_away and not any(map(_may_exit_early, found))


def _may_exit_early(act: ResolvedCommand) -> bool:
    """Tell a command after which the script may be over without having failed."""
    if not act.command or act.command.argv[0] == "exec":
        return act.command is not None
    code = act.words[1].text if len(act.words) > 1 else "0"
    return act.name == "exit" and (not code.isdecimal() or int(code) % 256 == 0)


def _is_standalone(act: ResolvedCommand) -> bool:
    return act.command is not None and act.command.before in APART and act.command.after in APART


def _get_source(act: ResolvedCommand, script: str) -> str:
    assert act.command
    return script[act.command.start : act.command.end].strip()


def _remove_commands(script: str, taken: Iterable[ResolvedCommand]) -> str:
    """Cut acts out of a script, each with the operator after it."""
    kept, at = "", 0
    for command in sorted((act.command for act in taken if act.command), key=lambda one: one.start):
        kept += script[at : command.start]
        at = command.end + len(command.after)
    left = (kept + script[at:]).strip()
    return left.removesuffix("&&").removesuffix(";").strip() if kept or at else left

"""Completion for bash, zsh and fish, written from the commands' table and the flags' parser.

What the words are stands in the script, and sessions are the files of their logs. Models come and go: the
script asks `tripletick completion models` for them. The keys are in keys.py.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tripletick.agents import definitions
from tripletick.commands import COMMANDS, CommandSpec, shell_keys
from tripletick.commands import help as help_
from tripletick.commands.flags import shared_flags
from tripletick.commands.session_setup import load_settings
from tripletick.config.config import list_settings, load_config
from tripletick.errors import TripletickError, UsageError
from tripletick.models import catalog
from tripletick.system import dirs
from tripletick.system.lazy_regex import lazy_regex
from tripletick.ui.sanitize import write_lines

Rows = Mapping[str, CommandSpec]
USAGE = "tripletick completion bash|zsh|fish [--keys]"
MODELS = "tripletick completion models 2>/dev/null"
"""What the scripts ask for the models there are."""
SECONDS = 0.5
"""Until a server that does not answer counts as absent: somebody waits at a prompt."""
KEYS = "--keys"
FOLDERS = ("directory", "read")
"""Flags whose value is a folder."""
BASH = """\
# tripletick completion for bash: put `eval "$(tripletick completion bash)"` into ~/.bashrc
_tripletick() {{
    local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}"
    local before="${{COMP_LINE:0:COMP_POINT}}"
    local whole="${{before##*[[:space:]]}}"
    # bash splits words at a colon, which model names contain
    [[ "$whole" == *:* && "$COMP_WORDBREAKS" == *:* ]] || whole=
    if [ -n "$whole" ]; then
        read -r -a before <<<"${{before%"$whole"}}"
        cur="$whole" prev="${{before[${{#before[@]}}-1]}}"
    fi
    _tripletick_words
    [ -z "$whole" ] || COMPREPLY=("${{COMPREPLY[@]#"${{whole%"${{whole##*:}}"}}"}}")
}}
_tripletick_words() {{
    local word command= words=
    COMPREPLY=()
    case "$prev" in
{values}
    esac
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$word" in {names}) command="$word"; break ;; esac
    done
    case "$command" in
    "") words="{plain}" ;;
{words}
    esac
    case "$command,$prev" in models,use | models,show) words="$words $({ask})" ;; esac
    case "$command" in {resumed})
        for word in {logs}/*.jsonl; do
            [ -e "$word" ] && word="${{word##*/}}" && words="$words ${{word%.jsonl}}"
        done ;;
    esac
    case "$command,$cur" in
{alone}
    *,-*) words="$words {flags}" ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _tripletick tripletick
"""
ZSH = """\
#compdef tripletick
# tripletick completion for zsh: put `eval "$(tripletick completion zsh)"` into ~/.zshrc, after compinit
_tripletick() {{
    local word command=
    local -a commands flags
    commands=({commands})
    flags=({flags})
    case "$words[CURRENT-1]" in
{values}
    esac
    for word in "${{(@)words[2,CURRENT-1]}}"; do
        case "$word" in {names}) command="$word"; break ;; esac
    done
    case "$command" in
    "") [[ "$PREFIX" == -* ]] || _describe command commands ;;
{words}
    esac
    case "$command,$words[CURRENT-1]" in models,use | models,show) compadd -- ${{(f)"$({ask})"}} ;; esac
    case "$command" in {resumed}) compadd -- {logs}/*.jsonl(N:t:r) ;; esac
    [[ "$PREFIX" == -* ]] && _describe flag flags
    _files
}}
compdef _tripletick tripletick
"""
FISH_HEAD = """\
# tripletick completion for fish:
# tripletick completion fish > ~/.config/fish/completions/tripletick.fish
"""


PLAIN = lazy_regex(r"[\w.:/@+-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag: its spellings, its sentence, the words of its value (none: any), whether it is a folder or a
    model.
    """

    spelled: tuple[str, ...]
    says: str
    values: tuple[str, ...] = ()
    folder: bool = False
    takes: bool = False
    model: bool = False


def run_completion(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Write the script for a shell, that of its keys, or the names of the models for such a script."""
    if list(words) == ["models"]:
        # the server chooses the names, and a shell would run what stands in them
        plain = filter(PLAIN.fullmatch, _list_models(options))
        write_lines(sys.stdout, plain)
        return 0
    typed = [word for word in words if word != KEYS]
    shell, *more = typed or [Path(os.environ.get("SHELL", "")).name]
    if more or shell not in SHELLS:
        raise UsageError(
            f"completion {' '.join(words)}".strip() + " is not understood.",
            "Supported shells: bash, zsh and fish.",
            USAGE,
        )
    if KEYS in words:
        sys.stdout.write(shell_keys.SCRIPTS[shell])
        return 0
    sys.stdout.buffer.write(os.fsencode(_build_script(shell)))
    return 0


def _build_script(shell: str) -> str:
    found = dirs.find_dirs()
    names = (
        "auto",
        *definitions.load_prompts(found.prompts).agents,
        *definitions.load_user_agents(found.agents)[0],
    )
    topics = help_.list_topics(help_.find_pages(dirs.find_dirs().docs))
    known = COMMANDS["models"]
    rows = COMMANDS | {
        "help": COMMANDS["help"]._replace(words=tuple(topics)),
        "models": known._replace(words=(*known.words, *catalog.list_names())),
    }
    return SHELLS[shell](list(read_flags(names)), rows, shlex.quote(str(found.sessions)))


def _list_models(options: argparse.Namespace) -> Sequence[str]:
    """Give the models that `-m` takes."""
    from tripletick.session import model_list

    found = dirs.find_dirs()
    try:
        config = load_settings(options, found)
    except TripletickError:
        # a completion has no place for what is wrong there
        config = load_config([found.shipped_config], {}, {})
    return model_list.list_model_names(config, found.cache, SECONDS)


def read_flags(agent_names: tuple[str, ...]) -> Iterator[Flag]:
    """Read the flags that every command has; argparse has no public list of them."""
    modes = list_settings("sandbox")["mode"].metadata["allowed"]
    known = {"agent": agent_names, "sandbox": modes}
    for action in shared_flags()._actions:
        values = known.get(action.dest, tuple(map(str, action.choices or ())))
        yield Flag(
            tuple(action.option_strings),
            " ".join((action.help or "").split()),
            values,
            action.dest in FOLDERS,
            action.nargs != 0,
            action.dest == "model",
        )


def _list_resume_commands(rows: Rows) -> str:
    """Name the commands that take a session."""
    return "|".join(name for name, row in rows.items() if "ID" in row.takes)


def _build_bash(flags: Sequence[Flag], rows: Rows, logs: str) -> str:
    values = [
        f'    {"|".join(flag.spelled)}) COMPREPLY=($(compgen {_bash_values(flag)} -- "$cur")); return ;;'
        for flag in flags
        if flag.values or flag.folder or flag.model
    ]
    words = [f'    {name}) words="{" ".join(row.words)}" ;;' for name, row in rows.items() if row.words]
    alone = [f'    {name},-*) words="{" ".join(row.flags)}" ;;' for name, row in rows.items() if row.alone]
    own = [
        f'    {name},-*) words="{" ".join((*row.flags, *_list_spellings(flags)))}" ;;'
        for name, row in rows.items()
        if row.flags and not row.alone
    ]
    return BASH.format(
        values="\n".join(values),
        names="|".join(rows),
        plain=" ".join(rows),
        words="\n".join(words),
        alone="\n".join([*alone, *own]),
        resumed=_list_resume_commands(rows),
        ask=MODELS,
        logs=logs,
        flags=" ".join((*_list_spellings(flags), "--help", "--version")),
    )


def _bash_values(flag: Flag) -> str:
    if flag.model:
        return f'-W "$({MODELS})"'
    return "-d" if flag.folder else f'-W "{" ".join(flag.values)}"'


def _build_zsh(flags: Sequence[Flag], rows: Rows, logs: str) -> str:
    values = [f"    {'|'.join(flag.spelled)}) {_zsh_values(flag)}; return ;;" for flag in flags if flag.takes]
    words = [
        f"    {name}) compadd -- {' '.join((*row.words, *row.flags))} ;;"
        for name, row in rows.items()
        if row.words or row.flags
    ]
    return ZSH.format(
        commands=" ".join(_format_zsh_entry(name, row) for name, row in rows.items()),
        flags=" ".join(shlex.quote(f"{each}:{flag.says}") for flag in flags for each in flag.spelled),
        values="\n".join(values),
        names="|".join(rows),
        words="\n".join(words),
        resumed=_list_resume_commands(rows),
        ask=MODELS,
        logs=logs,
    )


def _zsh_values(flag: Flag) -> str:
    if flag.model:
        return f'compadd -- ${{(f)"$({MODELS})"}}'
    return "_files -/" if flag.folder else f"compadd -- {' '.join(flag.values)}" if flag.values else "_files"


def _format_zsh_entry(name: str, row: CommandSpec) -> str:
    return shlex.quote(f"{name}:{row.says}")


def _build_fish(flags: Sequence[Flag], rows: Rows, logs: str) -> str:
    lines = [
        f"complete -c tripletick -f -n __fish_use_subcommand -a {name} -d {shlex.quote(row.says)}"
        for name, row in rows.items()
    ]
    for name, row in rows.items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        lines += [f"complete -c tripletick -f {seen} -a '{' '.join(row.words)}'"] * bool(row.words)
        lines += [f"complete -c tripletick {seen} -l {flag.removeprefix('--')}" for flag in row.flags]
    taken = f"-n '__fish_seen_subcommand_from {_list_resume_commands(rows).replace('|', ' ')}'"
    found = f"for log in {logs}/*.jsonl; basename $log .jsonl; end"
    lines.append(f"complete -c tripletick -f {taken} -a {shlex.quote(f'({found})')}")
    models = "-n '__fish_seen_subcommand_from models; and __fish_seen_subcommand_from use show'"
    lines.append(f"complete -c tripletick -f {models} -a '({MODELS})'")
    lines += [_format_fish_flag(flag) for flag in flags]
    return FISH_HEAD + "".join(f"{line}\n" for line in lines)


def _format_fish_flag(flag: Flag) -> str:
    spelled = " ".join(f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in flag.spelled)
    if flag.folder:
        wanted = " -x -a '(__fish_complete_directories)'"
    elif flag.model:
        wanted = f" -x -a '({MODELS})'"
    elif flag.values:
        wanted = f" -x -a '{' '.join(flag.values)}'"
    else:
        wanted = " -r" * flag.takes
    return f"complete -c tripletick {spelled}{wanted} -d {shlex.quote(flag.says)}"


def _list_spellings(flags: Sequence[Flag]) -> list[str]:
    return [each for flag in flags for each in flag.spelled]


SHELLS: Mapping[str, Callable[[Sequence[Flag], Rows, str], str]] = {
    "bash": _build_bash,
    "zsh": _build_zsh,
    "fish": _build_fish,
}

"""The user's clipboard, by the programs that desktops have for it, and by OSC 52 (xterm's control sequences),
with which a terminal fills it over ssh too.

A terminal does not say whether it took it; so the sequence is sent only where it is known to be taken, and
through tmux, which hands it on where it was told to (tmux(1), allow-passthrough and set-clipboard).
"""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

MOST = 74_994
"""Bytes that every such terminal takes."""
REMOTE = ("SSH_TTY", "SSH_CONNECTION")
"""Over ssh there is no other way."""
TMUX, SCREEN = "TMUX", "STY"
"""Set by programs between us and the terminal; screen keeps the sequence to itself."""
PROGRAMS = frozenset({"iTerm.app", "WezTerm", "ghostty", "vscode", "rio"})
KINDS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour")


SECONDS = 5
"""What a program may take; one whose desktop is gone would wait for ever."""
TYPE = "{type}"
Programs = Sequence[tuple[str, tuple[str, ...]]]
"""The variable without which one cannot work, and its words."""
COPIERS: Programs = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("", ("pbcopy",)),
)
READERS: Programs = (
    ("WAYLAND_DISPLAY", ("wl-paste", "--type", TYPE)),
    ("DISPLAY", ("xclip", "-selection", "clipboard", "-o", "-t", TYPE)),
    ("", ("pngpaste", "-")),
)
Look = Callable[[str], str | None]
"""Finds a program."""


def find_programs(programs: Programs, env: Mapping[str, str], look: Look) -> list[tuple[str, ...]]:
    """Give the words of the programs that are there and have what they need."""
    found = [(look(words[0]), words) for needs, words in programs if not needs or env.get(needs)]
    return [(path, *words[1:]) for path, words in found if path]


def copy_text(text: str, env: Mapping[str, str], look: Look) -> bool:
    """Have a program put a text into the clipboard; False where none could."""
    data = text.encode("utf-8", "replace")
    return any(_run_program(words, data) is not None for words in find_programs(COPIERS, env, look))


def read_contents(types: Iterable[str], env: Mapping[str, str], look: Look) -> Iterator[bytes]:
    """Give what the clipboard holds as these media types, from each program that has something."""
    for words in find_programs(READERS, env, look):
        for kind in dict.fromkeys(tuple(word.replace(TYPE, kind) for word in words) for kind in types):
            if data := _run_program(kind, None):
                yield data


def _run_program(words: Sequence[str], data: bytes | None) -> bytes | None:
    """Give what a program prints, None where it fails. One that was given something stays behind to serve it:
    its output is not waited for, and no Ctrl+C of this terminal reaches it.
    """
    out = subprocess.PIPE if data is None else subprocess.DEVNULL
    try:
        done = subprocess.run(
            words,
            input=data,
            stdin=subprocess.DEVNULL if data is None else None,
            stdout=out,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout or b""


def make_osc52(text: str, env: Mapping[str, str]) -> str:
    """Give what the terminal must be sent, "" where it would not take it."""
    data = text.encode("utf-8", "replace")
    if len(data) > MOST or not can_use_osc52(env):
        return ""
    sequence = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\x07"
    # by itself for `set-clipboard on`, wrapped for `allow-passthrough on`
    wrapped = "\x1bPtmux;{}\x1b\\".format(sequence.replace("\x1b", "\x1b\x1b"))
    return sequence + wrapped if env.get(TMUX) else sequence


def can_use_osc52(env: Mapping[str, str]) -> bool:
    """Tell by the environment whether the terminal takes it."""
    kind = env.get("TERM", "")
    if kind in ("", "dumb", "linux") or env.get(SCREEN):
        return False
    known = env.get(TMUX) or env.get("TERM_PROGRAM", "") in PROGRAMS or kind.startswith(KINDS)
    return bool(known) or any(env.get(name) for name in REMOTE)

"""The clipboard of the person's own terminal, also over ssh: the OSC 52 sequence (xterm's control sequences).

A terminal does not tell whether it took it; so it is sent only where it is known to be taken, and through
tmux, which hands it on where it was told to (tmux(1), allow-passthrough and set-clipboard).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

MOST = 74_994
"""Bytes that every such terminal takes."""
REMOTE = ("SSH_TTY", "SSH_CONNECTION")
"""Over ssh there is no other way."""
TMUX, SCREEN = "TMUX", "STY"
"""Set by programs between us and the terminal; screen keeps the sequence to itself."""
PROGRAMS = frozenset({"iTerm.app", "WezTerm", "ghostty", "vscode", "rio"})
KINDS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour")


def code(text: str, env: Mapping[str, str]) -> str:
    """Give what the terminal must be sent, "" where it would not take it."""
    data = text.encode("utf-8", "replace")
    if len(data) > MOST or not takes(env):
        return ""
    sequence = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\x07"
    # by itself for `set-clipboard on`, wrapped for `allow-passthrough on`
    wrapped = "\x1bPtmux;{}\x1b\\".format(sequence.replace("\x1b", "\x1b\x1b"))
    return sequence + wrapped if env.get(TMUX) else sequence


def takes(env: Mapping[str, str]) -> bool:
    """Tell by the environment whether the terminal takes it."""
    kind = env.get("TERM", "")
    if kind in ("", "dumb", "linux") or env.get(SCREEN):
        return False
    known = env.get(TMUX) or env.get("TERM_PROGRAM", "") in PROGRAMS or kind.startswith(KINDS)
    return bool(known) or any(env.get(name) for name in REMOTE)

"""The clipboard of the person's own terminal, also over ssh: the OSC 52 sequence (xterm's control sequences).

A terminal does not tell whether it took it; so it is sent only where it is known to be taken.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

MOST = 74_994
"""Bytes that every such terminal takes."""
REMOTE = ("SSH_TTY", "SSH_CONNECTION")
"""Over ssh there is no other way."""
BETWEEN = ("TMUX", "STY")
"""Programs between us and the terminal, which as they are shipped keep the sequence to themselves."""
PROGRAMS = frozenset({"iTerm.app", "WezTerm", "ghostty", "vscode", "rio"})
KINDS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour")


def code(text: str, env: Mapping[str, str]) -> str:
    """Give what the terminal must be sent, "" where it would not take it."""
    data = text.encode("utf-8", "replace")
    if len(data) > MOST or not takes(env):
        return ""
    return f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\x07"


def takes(env: Mapping[str, str]) -> bool:
    """Tell by the environment whether the terminal takes it."""
    kind = env.get("TERM", "")
    if kind in ("", "dumb", "linux") or any(env.get(name) for name in BETWEEN):
        return False
    known = env.get("TERM_PROGRAM", "") in PROGRAMS or kind.startswith(KINDS)
    return known or any(env.get(name) for name in REMOTE)

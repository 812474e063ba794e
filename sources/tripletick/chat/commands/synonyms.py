"""What other programs call the things that this one does too: what is to be typed here instead.

Not covered: commands of the chat that are misspelt, and the program's own commands (chat.py).
"""

from __future__ import annotations

from collections.abc import Iterator

MEANINGS = (
    ("bye q x close end leave logout", "/exit"),
    ("reset restart forget wipe empty cls", "/clear"),
    ("history chats conversations log logs threads past list", "/sessions"),
    ("continue load open chat", "/resume"),
    ("cost usage stats size", "/tokens"),
    ("context window", "/tokens to see usage, /ctx N to change the size"),
    ("provider engine llm", "/model"),
    ("models", "/model, or outside the chat: tripletick models"),
    ("agents subagents personas mode chat-mode switch", "/agent"),
    ("ask code web file casual coder", "@NAME TEXT to send one request to an agent, /agent to list them"),
    ("plan architect todos planner", "@planner TEXT"),
    ("review security-review", "@reviewer TEXT"),
    ("search browse fetch url", "@web TEXT"),
    ("add attach files mention read read-only include drop", "@PATH in a request to add a file"),
    ("image picture screenshot", "/paste, or @picture.png in a request"),
    (
        "add-dir directory dir folder workspace cd",
        ("tripletick --read DIR, or tripletick -C DIR for another folder"),
    ),
    ("rewind revert restore rollback checkpoint back", "/undo"),
    ("forward", "/redo"),
    ("changes patch", "/diff"),
    ("compress summarize summarise summary shorten", "/compact"),
    ("again repeat regenerate", "/retry"),
    ("settings set preferences options", "/config, or to change one: tripletick config set KEY VALUE"),
    ("theme color colour colors colours dark light", "tripletick config set ui.theme light"),
    (
        "permissions approvals approve sandbox trust yolo",
        (
            "tripletick --sandbox read|work|net|bare, or to approve every block: tripletick config set "
            "sandbox.ask always"
        ),
    ),
    ("reasoning effort think-tokens reason thinking", "/think"),
    (
        "bash sh shell cmd exec terminal git ls pwd test lint build push pr",
        ("!COMMAND, for example !git status"),
    ),
    ("memory rules instructions", "AGENTS.md in this folder (/init writes one)"),
    ("debug bug report feedback issue health", "tripletick doctor"),
    ("extensions plugin plugins servers", "tripletick help mcp"),
    ("login auth key", "[model] key_env, which names the variable with the key (/config key)"),
    ("version about", "tripletick --version"),
    ("update", "tripletick upgrade"),
    ("stop cancel abort", "Ctrl+C"),
    ("edit vim vi nano multiline multiline-mode", "/editor, or Ctrl+J for a new line"),
    ("output full more expand", "/show"),
    ("copy-context clipboard yank", "/copy"),
    ("write download", "/save FILE, or /export"),
    ("share print", "/export session.html"),
    ("keys shortcuts commands hotkeys ? h", "/help"),
)
"""Words, and what to type for them."""


def _expand_meanings() -> Iterator[tuple[str, str]]:
    for words, typed in MEANINGS:
        for word in words.split():
            yield word, typed


MEANT = dict(_expand_meanings())
"""By word."""

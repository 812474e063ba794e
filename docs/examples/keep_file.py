"""A hook: notes.txt is never deleted, moved or overwritten by a block without your yes, and never by `rm`.

Copy it to the folder `hooks` next to your config.ini (`tripletick config path` names it).
"""

import re

from tripletick import hook
from tripletick.hooks import Confirm, Refuse
from tripletick.messages import Call

KEPT = "notes.txt"
DELETES = re.compile(r"\b(?:rm|unlink|shred|rmtree|remove)\b")
MOVES = re.compile(r"\b(?:mv|rename|truncate)\b|>")


@hook(tryfirst=True)
def pre_tool(call: Call) -> Refuse | Confirm | None:
    """Look at every block before it runs: its text, and the file that it saves."""
    named = KEPT in call.body
    if named and DELETES.search(call.body):
        return Refuse(f"{KEPT} must not be deleted")
    if call.path == KEPT or (named and MOVES.search(call.body)):
        return Confirm(f"This may change {KEPT}. Run it?")
    return None

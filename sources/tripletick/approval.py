"""When the person is asked before a block runs. It decides when to ask, never what is possible: that is the
box's.
"""

from __future__ import annotations

from tripletick.events import Ask
from tripletick.messages import Call
from tripletick.sandbox.box import Box


def question(call: Call, box: Box) -> Ask | None:
    """Ask for every block where no kernel holds it; None where it may run."""
    if box.holds:
        return None
    what = f"{call.tool} {call.path}" if call.path else call.tool
    return Ask(f"NO SANDBOX. Run this {what} block on this computer?", "yn?", box.sentence, call)

"""When the person is asked before a block runs, and what a no means.

It decides when to ask, never what is possible: that is the box's.
"""

from __future__ import annotations

from tripletick.errors import PersonNeededError
from tripletick.events import Ask
from tripletick.messages import Answer, Call, Result
from tripletick.sandbox.box import Box


def question(call: Call, box: Box) -> Ask | None:
    """Ask for every block where no kernel holds it; None where it may run."""
    if box.holds:
        return None
    what = f"{call.tool} {call.path}" if call.path else call.tool
    return Ask(f"NO SANDBOX. Run this {what} block on this computer?", "yn?", box.sentence, call)


def denial(ask: Ask, answer: Answer | None) -> Result | None:
    """Turn a no into a result. Raises PersonNeededError where nobody was there: nothing runs outside a box
    then.
    """
    if answer is None or not answer.there:
        remedy = "Set up: apt install bubblewrap"
        raise PersonNeededError("Nothing was run: there is no sandbox, and nobody to ask.", ask.why, remedy)
    if answer.choice == "y":
        return None
    return Result("denied", f"refused by the person{': ' + answer.text if answer.text else ''}")

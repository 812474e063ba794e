"""When the user is asked before or after a block, and what a yes or a no means.

It decides when to ask, never what is possible: that is the box's.
"""

from tripletick.permission.ask_policy import AskPolicy
from tripletick.permission.block import PendingBlock
from tripletick.permission.gate import PermissionGate

__all__ = ["AskPolicy", "PendingBlock", "PermissionGate"]

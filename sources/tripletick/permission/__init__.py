"""When the user is asked before or after a block, and what a yes or a no means.

It decides when to ask, never what is possible: that is the box's.
"""

from tripletick.permission.block import PendingBlock
from tripletick.permission.gate import PermissionGate
from tripletick.permission.questions import AskPolicy

__all__ = ["AskPolicy", "PendingBlock", "PermissionGate"]

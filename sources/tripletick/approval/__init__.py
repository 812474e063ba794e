"""When the person is asked before or after a block, and what a yes or a no means.

It decides when to ask, never what is possible: that is the box's.
"""

from tripletick.approval.asking import AskPolicy
from tripletick.approval.block import PendingBlock
from tripletick.approval.gate import PermissionGate

__all__ = ["AskPolicy", "PendingBlock", "PermissionGate"]

"""When the user is asked about a block, and what the answer means; the sandbox decides what is possible."""

from tripletick.permission.block import PendingBlock
from tripletick.permission.gate import PermissionGate
from tripletick.permission.questions import AskPolicy

__all__ = ["AskPolicy", "PendingBlock", "PermissionGate"]

"""What the person lets happen in a folder, and what the folder itself may bring."""

from tripletick.trust.folder import Leave, Said, settle
from tripletick.trust.memory import Memory
from tripletick.trust.outside import named_outside, refused, welcome
from tripletick.trust.workspace import BROUGHT, Bounds, Trusted, bring, marked

__all__ = [
    "BROUGHT",
    "Bounds",
    "Leave",
    "Memory",
    "Said",
    "Trusted",
    "bring",
    "marked",
    "named_outside",
    "refused",
    "settle",
    "welcome",
]

"""What the person lets happen in a folder, and what the folder itself may bring."""

from tripletick.trust.folder import FolderFlags, Permission, ask_permission
from tripletick.trust.memory import AnswerStore
from tripletick.trust.outside import build_read_question, find_outside_paths, find_refusal_reason
from tripletick.trust.workspace import BROUGHT, TrustBounds, TrustedContent, hash_text, load_trusted_content

__all__ = [
    "BROUGHT",
    "TrustBounds",
    "Permission",
    "AnswerStore",
    "FolderFlags",
    "TrustedContent",
    "load_trusted_content",
    "hash_text",
    "find_outside_paths",
    "find_refusal_reason",
    "ask_permission",
    "build_read_question",
]

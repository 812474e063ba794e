"""What the user allows in a folder, and which settings the folder itself may bring."""

from tripletick.trust.answer_store import AnswerStore
from tripletick.trust.folder import (
    FolderFlags,
    Permission,
    ask_permission,
    build_read_question,
    find_outside_paths,
    find_refusal_reason,
)
from tripletick.trust.workspace import TrustBounds, TrustedContent, hash_text, load_trusted_content

__all__ = [
    "AnswerStore",
    "FolderFlags",
    "Permission",
    "TrustBounds",
    "TrustedContent",
    "ask_permission",
    "build_read_question",
    "find_outside_paths",
    "find_refusal_reason",
    "hash_text",
    "load_trusted_content",
]

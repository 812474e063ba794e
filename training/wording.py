"""Prints the hash of the wording of conversations: `python -m training.wording [MODEL]`."""

from __future__ import annotations

import sys

from training.stage import MODEL
from tripletick.config.config import load_config
from tripletick.session import builder, prompt_fingerprint
from tripletick.system import dirs


def hash_wording(model: str) -> str:
    """Give the hash of the wording that a model gets."""
    found = dirs.find_dirs()
    config = load_config([found.shipped_config], {}, {"model.name": model})
    return prompt_fingerprint.hash_prompts(builder.load_prompts(config, found))


def main() -> None:
    sys.stdout.write(f"{hash_wording(sys.argv[1] if sys.argv[1:] else MODEL)}\n")


if __name__ == "__main__":
    main()

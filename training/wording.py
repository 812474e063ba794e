"""Prints the hash of the wording that conversations are generated in: `python -m training.wording`."""

from __future__ import annotations

import sys

from tripletick.config.config import load_config
from tripletick.session import prompt_fingerprint
from tripletick.system import dirs


def main() -> None:
    found = dirs.find_dirs()
    config = load_config([found.shipped_config], {}, {})
    sys.stdout.write(f"{prompt_fingerprint.hash_current_prompts(config, found)}\n")


if __name__ == "__main__":
    main()

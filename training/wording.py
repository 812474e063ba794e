"""Prints the hash of the wording that conversations are generated in: `python -m training.wording`."""

from __future__ import annotations

import sys

from tripletick import config, places, trained


def main() -> None:
    found = places.find_dirs()
    sys.stdout.write(
        f"{trained.hash_current_prompts(config.load_config([found.shipped_config], {}, {}), found)}\n"
    )


if __name__ == "__main__":
    main()

"""What must hold before a release and need not hold on every commit: `make release-check`."""

from __future__ import annotations

import sys

from tripletick import config, places, trained


def main() -> int:
    """Say what stands in the way of a release; gives 1 where something does."""
    found = places.find()
    ours, told = trained.ours(config.load([found.shipped_config], {}, {}), found), trained.told()
    if told == ours:
        return 0
    known = f"was trained on the wording {told}" if told else "does not say which wording it was trained on"
    sys.stderr.write(f"The offline model {known}; the wording is {ours}.\n")
    sys.stderr.write("Train it anew: make offline-model, then put its adapter in models/adapters.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())

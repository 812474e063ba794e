"""What to type where a tier of the sandbox does not hold, by what its probe says."""

from __future__ import annotations

PROFILE = (
    r"printf 'abi <abi/4.0>,\ninclude <tunables/global>\nprofile bwrap /usr/bin/bwrap flags=(unconfined) "
    r"{\n  userns,\n}\n' | sudo tee /etc/apparmor.d/bwrap && sudo systemctl reload apparmor"
)
REMEDIES = (
    ("bubblewrap is not installed", "sudo apt install bubblewrap"),
    ("util-linux is not installed", "sudo apt install util-linux"),
    ("AppArmor", PROFILE),
    ("unprivileged_userns_clone", "sudo sysctl kernel.unprivileged_userns_clone=1"),
    ("max_user_namespaces", "sudo sysctl user.max_user_namespaces=15000"),
    ("docker pull", "docker pull python:3-slim"),
    ("podman pull", "podman pull python:3-slim"),
)
"""What is found in a reason, and what to type."""


def find_remedy(reason: str) -> str:
    """Give the command that mends it, "" where none is known."""
    return next((remedy for mark, remedy in REMEDIES if mark in reason), "")

"""What holds on this machine: the box under ten harmless attacks, and the folders of ours.

Does not look at server, model and languages.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from tripletick import places
from tripletick.errors import TripletickError
from tripletick.sandbox.attacks import Outcome

MARKS = {"held": "held     ", "not held": "NOT HELD ", "not tried": "not tried"}
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
NO_BOX = "There is no box, so every block is asked for, and without you none runs; nothing was attacked."
LEAKS = (
    "The box does not hold: report it with this page; to be asked for each block: tripletick --sandbox bare"
)
UNTRIED = "What was not tried needs python3 where blocks see it: sudo apt install python3"
LEFT_OUT = "Blocks do not see these folders of your PATH; where they hold programs alone: [sandbox] see"


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder of ours."""

    what: str
    path: str
    size: int


@dataclass(frozen=True, slots=True)
class Report:
    """What was found."""

    tier: str
    holds: bool
    sentence: str
    reasons: tuple[str, ...] = ()
    """Why better tiers were passed over."""
    attacks: tuple[Outcome, ...] = ()
    left_out: tuple[str, ...] = ()
    folders: tuple[Folder, ...] = ()
    remedies: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        return self.holds and all(one.verdict == "held" for one in self.attacks)


def doctor(_: argparse.Namespace, words: Sequence[str]) -> int:
    """Look, and say what was found; gives 0 where the box held all."""
    parser = argparse.ArgumentParser("tripletick doctor", description=__doc__, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="one object")
    options = parser.parse_args(words)
    report = examine()
    told = json.dumps(asdict(report), ensure_ascii=False) if options.json else "\n".join(tell(report))
    sys.stdout.write(told + "\n")
    return 0 if report.good else 1


def examine() -> Report:
    """Open the box that the settings name in a folder made for it, and attack it."""
    from tripletick import config, wiring
    from tripletick.sandbox import choose_box
    from tripletick.sandbox.attacks import set_stage, try_all
    from tripletick.sandbox.box import Ground

    found = places.find()
    try:
        places.make_private(found.state)
    except OSError as error:
        raise TripletickError(
            f"{found.state} cannot be made.", error.strerror or "", "See: ls -ld"
        ) from error
    settings = config.load([found.shipped_config, found.user_config], os.environ, {})
    tier = "none" if settings.sandbox.mode == "bare" else settings.sandbox.tier
    with set_stage(found.state) as stage:
        ground = Ground(stage.workspace, found.state, limits=wiring.limits(settings), ours=found.ours)
        box, reasons = choose_box(ground, tier)
        try:
            outcomes = try_all(box, stage) if box.holds else []
        finally:
            box.close()
    seen = Report(
        box.name,
        box.holds,
        box.sentence,
        tuple(reasons),
        tuple(outcomes),
        tuple(map(str, box.left_out)),
        tuple(list_folders(found)),
    )
    return replace(seen, remedies=tuple(list_remedies(seen)))


def list_folders(found: places.Places) -> Iterator[Folder]:
    from tripletick.commands.data import bytes_in

    rows = (
        ("your settings", found.config),
        ("sessions, snapshots, what was typed", found.state),
        ("models that were fetched", found.cache),
    )
    return (Folder(what, str(path), bytes_in(path)) for what, path in rows)


def list_remedies(report: Report) -> Iterator[str]:
    for mark, remedy in REMEDIES:
        if any(mark in reason for reason in report.reasons):
            yield remedy
    verdicts = {one.verdict for one in report.attacks}
    rows = (
        (not report.holds, NO_BOX),
        ("not held" in verdicts, LEAKS),
        ("not tried" in verdicts, UNTRIED),
        (bool(report.left_out), LEFT_OUT),
    )
    yield from (line for applies, line in rows if applies)


def tell(report: Report) -> Iterator[str]:
    """Word the report for a person."""
    from tripletick.tools.output import size
    from tripletick.ui.safe import visible

    held = sum(one.verdict == "held" for one in report.attacks)
    yield f"box: {report.tier if report.holds else 'NO SANDBOX'}"
    yield f"  {report.sentence}"
    yield from (f"  passed over: {reason}" for reason in report.reasons if report.holds)
    if report.attacks:
        yield f"attacks: {held} of {len(report.attacks)} held"
        yield from (f"  {MARKS[one.verdict]}  {one.tries}" for one in report.attacks)
    if report.left_out:
        yield "left out of PATH:"
        yield from (f"  {visible(path)}" for path in report.left_out)
    yield "folders of ours:"
    yield from (f"  {visible(one.path)}  {size(one.size)}  {one.what}" for one in report.folders)
    if report.remedies:
        yield "what to do:"
        yield from (f"  {line}" for line in report.remedies)

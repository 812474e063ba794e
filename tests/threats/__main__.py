"""All hostile programs against the product: `python -m tests.threats`. `make threats` calls it.

Prints held / total by area for each tier, and the names of those that were not held. Ends with 1
where a hostile program is not held in tier 1, less than nine tenths are in tier 2, an ordinary program fails,
or a check cannot fail.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence

from tests.threats import cage, cases, judge
from tests.threats.judge import Plan, Ran

TIERS = ("bubblewrap", "landlock", "none", "naive")


def main(words: Sequence[str] | None = None) -> int:
    """Run what was chosen; gives the exit code."""
    options = parse(words)
    if name := cage.missing():
        return say(f"The cage needs {name}, which is not installed.") or 2
    powers = cage.find_powers()
    say(f"cage: {'root' if powers.root else 'ordinary user'}, {'a' if powers.cgroup else 'no'} cgroup")
    chosen = choose(options)
    start = time.monotonic()
    court = judge.Court(powers, yes_flag(), options.jobs)
    told = Progress(options.verbose)
    ran = court.try_all(judge.docket(plans(options), chosen), told)
    pale = judge.find_pale(court, ran, told)
    return report(ran, pale, judge.since(start))


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.threats", description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--tier", action="append", choices=TIERS, help="again for more; all when none is named")
    add("--mode", choices=("work", "net"), default="work")
    add("--as", dest="who", choices=judge.WHO, default="user", help="who the agent is")
    add("--only", action="append", metavar="ID", help="this program; again for more")
    add("--third", action="store_true", help="every third program of each area")
    add("--jobs", type=int, default=cage.jobs(), help="how many at a time")
    add("-v", "--verbose", action="store_true", help="a line for each, and what was seen where one fails")
    return parser.parse_args(words)


def choose(options: argparse.Namespace) -> list[cases.Case]:
    found = cases.load()
    if options.only:
        return [case for case in found if case.id in options.only]
    return cases.third(found) if options.third else found


def plans(options: argparse.Namespace) -> list[Plan]:
    """Give the plans that were named: all where none was, of tiers that this version has."""
    from tripletick.sandbox import TIERS as KNOWN

    named = [Plan(tier, options.mode, options.who) for tier in options.tier or ()]
    return [plan for plan in named or judge.ALL if plan.tier in (*KNOWN, "naive")]


def yes_flag() -> list[str]:
    """Give `-y` where the product has it: then risky commands are not asked for."""
    command = [sys.executable, "-m", "tripletick.cli", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return ["-y"] if "--yes" in shown else []


class Progress:
    """Says how it goes, a line for each where that is wished for."""

    def __init__(self, verbose: bool) -> None:
        self._verbose = verbose

    def __call__(self, ran: Ran) -> None:
        verdict = ran.verdict
        if verdict is None or not self._verbose:
            return
        word, whole = "held" if ran.held else "NOT HELD", verdict.extra.get("whole", "?")
        say(f"{ran.plan}: {ran.case.id}: {word}, {verdict.seconds:.1f} of {whole} s")
        if not ran.held:
            say("\n".join(f"    {line}" for line in (verdict.why, verdict.stdout, verdict.term) if line))


def report(ran: Sequence[Ran], pale: Sequence[Ran], took: str) -> int:
    """Say what came of it; gives the exit code."""
    bad, short = judge.failures(ran), judge.too_few(ran)
    say(judge.table(ran))
    for each in ran:
        if each.verdict and not each.held and each.plan.tier not in ("none", "naive"):
            say(f"not held: {each.case.id} ({each.plan}): {first_line(each.verdict.why)}")
    for each in pale:
        say(f"cannot fail: {each.case.id} is held without a box and without any care")
    for why in sorted({f"{each.case.id}: {each.skipped}" for each in ran if each.skipped}):
        say(f"skipped: {why}")
    for tier in short:
        say(f"{tier} holds less than {judge.ENOUGH[tier]:.0%} of the hostile programs")
    say(took)
    return 1 if bad or short or pale else 0


def first_line(text: str) -> str:
    return text.partition("\n")[0]


def say(text: str) -> int:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())

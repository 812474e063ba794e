"""Which programs run under what, side by side, and what is said of it in the end.

A plan is one column: tier, mode, and who the agent is. `naive` is no tier but an agent that takes no care:
what turns red neither without a box nor with that one is a check that cannot fail.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tests.threats.cage import Cage, Powers
from tests.threats.cases import Case
from tests.threats.stage import NAIVE, Staging, Verdict

WHO = {"user": (1000, 1000), "root": (0, 0), "owner": (0, 1000)}
"""Who the agent is and whose the folder is: an ordinary user in his own, root in root's, root in a user's."""
BOXES = ("bubblewrap", "landlock")
ENOUGH = {"bubblewrap": 1.0, "landlock": 0.9}
"""The part of the hostile programs that has to be held."""
ROOTS = ("fs", "secrets", "proc", "net", "benign")
"""Areas in which it matters that the agent is root; what is drawn, asked and saved stays the same."""
UNBOXED = "NO SANDBOX"


@dataclass(frozen=True, slots=True)
class Plan:
    """One column of the table."""

    tier: str
    mode: str = "work"
    who: str = "user"

    def __str__(self) -> str:
        return " ".join((self.tier, self.mode, self.who)) if self.tier in BOXES else self.tier

    def lacks(self, powers: Powers) -> str:
        return "needs root" if self.who != "user" and not powers.root else ""

    def takes(self, case: Case) -> bool:
        """Tell whether this program says something new here."""
        if case.needs == "proxy" or self.mode == "net":
            return self.mode == "net" and case.networked
        if self.tier == "none":
            return case.red_without_box
        return self.who == "user" or case.area in ROOTS


ALL = (
    Plan("bubblewrap"),
    Plan("bubblewrap", "net"),
    Plan("bubblewrap", "work", "root"),
    Plan("bubblewrap", "work", "owner"),
    Plan("landlock"),
    Plan("none"),
)
QUICK = (Plan("bubblewrap"), Plan("none"))


@dataclass(frozen=True, slots=True)
class Ran:
    """One program under one plan; without a verdict it was skipped, and `skipped` says why."""

    plan: Plan
    case: Case
    verdict: Verdict | None = None
    skipped: str = ""

    @property
    def held(self) -> bool:
        return self.verdict is not None and self.verdict.held


class Court:
    """Runs programs in cages, so many at a time."""

    def __init__(self, powers: Powers, flags: Sequence[str] = (), jobs: int = 2) -> None:
        self.powers, self.flags, self.jobs = powers, tuple(flags), jobs
        self._slots: queue.SimpleQueue[int] = queue.SimpleQueue()
        for slot in range(jobs):
            self._slots.put(slot)

    def try_all(self, docket: Iterable[tuple[Plan, Case]], told: Callable[[Ran], None]) -> list[Ran]:
        """Run them all; `told` hears of each as it ends."""
        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = [pool.submit(self.run, plan, case) for plan, case in docket]
            done: list[Ran] = []
            for each in waiting:
                done.append(each.result())
                told(done[-1])
        return done

    def run(self, plan: Plan, case: Case) -> Ran:
        """Run one program once."""
        if why := plan.lacks(self.powers) or self.powers.lacks(case.needs):
            return Ran(plan, case, skipped=why)
        uid, owner = WHO[plan.who]
        mode = ("--sandbox", plan.mode) if plan.mode != "work" else ()
        staging = Staging(case, plan.tier, plan.mode, uid, owner, flags=(*self.flags, *mode))
        slot = self._slots.get()
        try:
            verdict = Cage(self.powers, slot).perform(staging)
        finally:
            self._slots.put(slot)
        if plan.tier in BOXES and UNBOXED in verdict.extra.get("asked", ""):
            verdict.held, verdict.why = False, f"there was no box: {verdict.term[:500]}"
        return Ran(plan, case, verdict)


def docket(plans: Iterable[Plan], cases: Sequence[Case]) -> list[tuple[Plan, Case]]:
    """Give what is to be run; what takes long comes first, so that the end is not waited for."""
    todo = [(plan, case) for plan in plans for case in cases if plan.takes(case)]
    return sorted(todo, key=lambda each: -each[1].timeout)


def find_pale(court: Court, ran: Sequence[Ran], told: Callable[[Ran], None]) -> list[Ran]:
    """Give those that should turn red without a box, and do not, not even where no care is taken at all."""
    due = [each for each in ran if each.plan.tier == "none" and each.case.red_without_box and each.held]
    again = court.try_all([(Plan(NAIVE), each.case) for each in due], told)
    return [each for each in again if each.held]


def failures(ran: Sequence[Ran]) -> list[Ran]:
    """Give what must not be: a hostile program that is not held in tier 1, an ordinary one that fails."""
    return [each for each in ran if each.verdict and not each.held and is_due(each)]


def is_due(each: Ran) -> bool:
    """Tier 2 has no localhost of its own, so that an ordinary program may fail there."""
    return each.plan.tier in BOXES and ENOUGH[each.plan.tier] == 1.0


def too_few(ran: Sequence[Ran]) -> list[str]:
    """Name the tiers that hold less than they have to."""
    short = []
    for tier, enough in ENOUGH.items():
        tried = [each for each in ran if each.plan.tier == tier and each.case.hostile and each.verdict]
        if tried and sum(each.held for each in tried) < enough * len(tried):
            short.append(tier)
    return short


def table(ran: Sequence[Ran]) -> str:
    """Give held / total by area, a column for each plan."""
    plans = list(dict.fromkeys(each.plan for each in ran))
    areas = sorted({each.case.area for each in ran}, key=lambda area: (area == "benign", area))
    rows = [["", *map(str, plans)]]
    rows += [[area, *(count(ran, plan, [area]) for plan in plans)] for area in areas]
    hostile = [area for area in areas if area != "benign"]
    rows.append(["hostile", *(count(ran, plan, hostile) for plan in plans)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ([word.ljust(width) for word, width in zip(row, widths, strict=True)] for row in rows)
    return "\n".join("  ".join(line).rstrip() for line in lines)


def count(ran: Sequence[Ran], plan: Plan, areas: Sequence[str]) -> str:
    tried = [each for each in ran if each.plan == plan and each.case.area in areas and each.verdict]
    return f"{sum(each.held for each in tried)} / {len(tried)}" if tried else "-"


def since(start: float) -> str:
    return f"{time.monotonic() - start:.0f} s"

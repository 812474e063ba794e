"""Has the user agree to a plan before it runs: yes, no, or edited first.

Without a user, or where they have said so before, it runs as it is, and that is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from tripletick.events import Ask, Notice, PlanChanged
from tripletick.messages import Answer
from tripletick.planner.drafts import Asking
from tripletick.planner.plan import Plan
from tripletick.planner.plan_text import format_tasks, parse_tasks
from tripletick.planner.validation import PlanRules

UNASKED = "Running the plan without confirmation: {why}."
NOBODY = "no one is there to confirm it"
SAID = "-y was given"
SET = "[planner] confirm is no"


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """A question about the plan: its words, its letters, what `?` shows, what Enter means."""

    question: str
    choices: str
    why: str
    default: str


AGREED = PlanQuestion(
    "Run this plan?",
    "yne?",
    "y: run its tasks, each by its agent; n: run nothing, and words after it go to the planner, which "
    "makes a new plan; e: edit it first, one task per line. Ctrl+C stops a plan and keeps what is done.",
    "y",
)
AGAIN = PlanQuestion(
    "Edit it again?",
    "eyn?",
    "e: edit your text further; y: run the plan as it was before you edited it; n: run nothing.",
    "e",
)


@dataclass(frozen=True, slots=True)
class PlanConfirmation:
    """Whether and how the user is asked; no editor may lie in `workspace`."""

    person: bool
    yes: bool
    confirm: bool
    workspace: str

    def ask_user(self, plan: Plan, rules: PlanRules) -> Asking[tuple[Answer, Plan]]:
        """Show the plan and ask; gives the answer, and the plan as the user wants it."""
        yield PlanChanged(plan.tasks)
        if why := self._find_skip_reason():
            yield Notice(UNASKED.format(why=why))
            return Answer("y"), plan
        text, asked = "", AGREED
        while True:
            given = text or format_tasks(plan.tasks)
            answer = yield Ask(
                asked.question,
                asked.choices,
                asked.why,
                default=asked.default,
                edit=given,
                workspace=self.workspace,
            )
            if answer is None or answer.choice != "e":
                return answer or Answer(), plan
            edited, faults = parse_tasks(answer.text, rules)
            yield from map(Notice, faults)
            text, asked = (answer.text, AGAIN) if faults else ("", AGREED)
            if not faults:
                plan = edited
                yield PlanChanged(plan.tasks)

    def _find_skip_reason(self) -> str:
        """Say why the user is not asked, "" where they are."""
        reasons = ((not self.person, NOBODY), (self.yes, SAID), (not self.confirm, SET))
        return next((why for holds, why in reasons if holds), "")

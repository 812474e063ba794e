"""One request as a plan: requested, shown, confirmed, carried out, revised after failures, answered.

A turn like that of the loop: it yields events, is sent answers, and KeyboardInterrupt is thrown in. How tasks
run is the crew's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from tripletick.agents.definitions import Agent
from tripletick.config.schema import PlannerSection
from tripletick.errors import TripletickError
from tripletick.events import (
    Answered,
    Ask,
    Event,
    GaveUp,
    Interrupted,
    Notice,
    PlanChanged,
    Reply,
    Routed,
    Text,
)
from tripletick.messages import Receipt, Task
from tripletick.planner import texts
from tripletick.planner.confirmation import PlanConfirmation
from tripletick.planner.drafts import Asking, PlanDrafter, filter_events
from tripletick.planner.plan import DROPPED, PLANNER, Plan
from tripletick.planner.texts import PlannerQuestions
from tripletick.planner.validation import PlanRules
from tripletick.system.text import format_count
from tripletick.turn.attempts import Attempts
from tripletick.turn.endings import complete_ending, find_ending
from tripletick.turn.loop import Loop, Turn

STOPPED = "Stopped. Continue with the rest of the plan ({left})?"
STOPPED_WHY = "Finished tasks are kept. n ends the plan; tripletick resume asks again."
RESUMED = "A plan of this session is unfinished ({left} left). Continue it?"
RESUMED_WHY = "Finished tasks are kept; tasks in progress start over."
NOT_RUN = "The plan was not run, because it was not confirmed."
INSTEAD = "Ask for something else, or give the request to one agent: @coder REQUEST"
UNCHANGED = "The plan could not be changed; the rest continues without the failed task."
OVER = "Not all of the plan is done: {left}."
LATER = "To continue later: tripletick resume"
LEFT = "To retry the rest: go on"
GONE = "its agent is not there any more"

Run = Callable[[Plan], Generator[Event, Reply, Plan]]
Ending = Answered | GaveUp | None


@dataclass(slots=True)
class Planner:
    """What plans are made and carried out with; `plan` is the one at work."""

    loop: Loop
    agent: Agent
    agents: Mapping[str, Agent]
    """Who may be given a task."""
    questions: PlannerQuestions
    settings: PlannerSection
    run: Run
    """Runs what can run of a plan, and gives it back as it is then."""
    plan: Plan = field(default_factory=Plan)
    single: str = ""
    """The agent of a plan of one task."""
    unplanned: bool = False
    """No plan was made, and the request goes to another agent."""

    def run_turn(self, request: str, *, files: str = "", free: bool = False) -> Generator[Event, Reply, bool]:
        """Work on one request. A plan of one task is that agent's turn in the session's own conversation.

        False, without an ending, where no plan was made and the request is `free` to go to another agent.
        """
        self.loop.conversation.add_request(self.agent, request, files=files)
        return (yield from self._run_request(request, self._make_plan(free=free)))

    def resume_plan(self, plan: Plan, request: str, *, agreed: bool = False) -> Turn:
        """Go on with a plan that had not ended, where the user has `agreed` or does so now."""
        self.plan = plan.reset_running()
        for task in self.plan.list_pending():
            if task.agent not in self.agents:
                self.plan = self.plan.with_task(replace(task, status="failed", result=GONE))
        yield from self._run_request(request, self._confirm_resume(agreed=agreed))

    @property
    def last_agent(self) -> str:
        """Name the agent that did the last task, "" where none is done."""
        done = [task.agent for task in self.plan.tasks if task.status == "done"]
        return self.single or next(reversed(done), "")

    def _run_request(self, request: str, working: Asking[Ending]) -> Generator[Event, Reply, bool]:
        points = self.loop.checkpoints
        points.begin_turn(self.loop.context.session, request)
        try:
            if end := (yield from working):
                end = (yield from self._run_user_check(end)) or end
                yield complete_ending(end, points.changed, Receipt(files=points.changed))
        except KeyboardInterrupt:
            yield from map(Notice, points.snapshot_after_block())
            if self.plan.tasks:
                yield from self._report_outcome(texts.STOPPED)
            yield Interrupted(self.loop.conversation.entries[-1].message.text)
        finally:
            points.end_turn()
        return not self.unplanned

    def _run_user_check(self, end: Answered | GaveUp) -> Generator[Event, Reply, GaveUp | None]:
        """Run the user's own check once all is done."""
        if not self.loop.check or not isinstance(end, Answered):
            return None
        tries = Attempts(max_attempts=1)
        return (yield from self.loop.run_check(self.agent, tries, self.loop.check)) or find_ending(tries)

    def _make_plan(self, *, free: bool) -> Asking[Ending]:
        question = self.questions.format_plan_request(self.agents.values(), self._make_rules().max_waiting)
        while True:
            plan = yield from self._drafter.request_plan(question, self._make_rules())
            if isinstance(plan, GaveUp):
                self.unplanned = free and plan.code == "plan"
                return None if self.unplanned else plan
            if len(plan.tasks) == 1:
                yield from self._run_single_task(plan.tasks[0])
                return None
            answer, self.plan = yield from self._confirmation.ask_user(plan, self._make_rules())
            if answer.choice != "n":
                return (yield from self._carry_out())
            if not answer.text:
                return (yield from self._refuse_plan())
            question = texts.ANOTHER.format(words=answer.text)

    def _confirm_resume(self, *, agreed: bool) -> Asking[Ending]:
        yield PlanChanged(self.plan.tasks)
        if agreed:
            return (yield from self._carry_out())
        answer = yield Ask(RESUMED.format(left=self._format_remaining()), "yn?", RESUMED_WHY, default="y")
        if answer and answer.choice == "y":
            return (yield from self._carry_out())
        if answer and answer.said:
            return (yield from self._refuse_plan())
        return GaveUp("refused", NOT_RUN, 1, hint=LATER)

    def _refuse_plan(self) -> Asking[Ending]:
        self.loop.conversation.add_user_message(texts.REFUSED)
        yield from self._show_plan(Plan())
        return GaveUp("refused", NOT_RUN, 1, hint=INSTEAD)

    def _run_single_task(self, task: Task) -> Asking[None]:
        """Simply run a plan of one task; /retry still goes back to before the request."""
        conversation = self.loop.conversation
        before, agent = conversation.before, self.agents[task.agent]
        self.single = agent.name
        yield Routed(agent.name, PLANNER)
        try:
            yield from self.loop.run_turn(agent, task.task)
        finally:
            conversation.before = before

    # carrying out

    def _carry_out(self) -> Asking[Ending]:
        """Run tasks until none is left, and have the plan looked at after each that failed or surprised."""
        seen = {task.id for task in self.plan.tasks if _needs_review(task)}
        changes = 0
        while True:
            while (yield from self._run_interruptible(self._run_ready_tasks)) is None:
                pass
            odd = {task.id for task in self.plan.tasks if _needs_review(task)} - seen
            seen |= odd
            if odd and changes < self.settings.max_replans:
                changes += bool((yield from self._run_interruptible(partial(self._revise_plan, odd))))
            if (rest := self.plan.skip_blocked()) != self.plan:
                yield from self._show_plan(rest)
            if not self.plan.list_ready():
                return (yield from self._finish_plan())

    def _run_interruptible(self, work: Callable[[], Asking[bool]]) -> Asking[bool | None]:
        """Do a part of the work; None where the user stopped it and then wants the rest all the same."""
        try:
            return (yield from work())
        except KeyboardInterrupt:
            yield from self._show_plan(self.plan.reset_running())
            if not self.plan.list_pending():
                # it was done by then
                return None
            if not self.loop.person:
                raise
            answer = yield Ask(STOPPED.format(left=self._format_remaining()), "yn?", STOPPED_WHY)
            if answer is None or answer.choice != "y":
                raise
            return None

    def _run_ready_tasks(self) -> Asking[bool]:
        """Run what can run."""
        self.plan = yield from filter_events(self.run(self.plan), self._track_plan)
        return True

    def _track_plan(self, event: Event) -> bool:
        if isinstance(event, PlanChanged):
            self.plan = Plan(event.tasks)
        return True

    def _revise_plan(self, odd: Collection[str]) -> Asking[bool]:
        """Have the planner look at what is left because of these tasks; true where it changed the plan."""
        rules = self._make_rules(tuple(task for task in self.plan.tasks if task.status != "pending"))
        question = self.questions.format_replan_request(self.plan, self.agents.values(), rules.max_waiting)
        try:
            changed = yield from self._drafter.request_change(question, self.plan, rules)
        except TripletickError as error:
            yield Notice(error.what)
            changed = None
        if not isinstance(changed, Plan):
            yield Notice(UNCHANGED)
        if not isinstance(changed, Plan) or changed is self.plan:
            return False
        yield from self._show_plan(_merge_plans(self.plan, changed, odd))
        return True

    def _finish_plan(self) -> Asking[Ending]:
        """Answer by rule, in the conversation and to the user."""
        text = yield from self._report_outcome(texts.ENDED)
        yield Text(text + "\n")
        if self.plan.is_complete():
            return Answered(text)
        lost = [f"task {task.id}" for task in self.plan.tasks if task.status != "done" and not task.replaced]
        return GaveUp("plan", OVER.format(left=", ".join(lost)), 1, text, LEFT)

    def _report_outcome(self, head: str) -> Asking[str]:
        """Put into the conversation what came of the plan."""
        conversation, points = self.loop.conversation, self.loop.checkpoints
        if notice := points.end_turn():
            yield Notice(notice)
        text = texts.format_answer(self.plan, points.changed)
        conversation.add_user_message(head)
        conversation.add_reply(text)
        return text

    def _show_plan(self, plan: Plan) -> Asking[None]:
        self.plan = plan
        yield PlanChanged(plan.tasks)

    def _format_remaining(self) -> str:
        return format_count(len(self.plan.list_pending()), "task")

    def _make_rules(self, kept: tuple[Task, ...] = ()) -> PlanRules:
        return PlanRules(tuple(self.agents), self.settings.max_tasks, kept)

    @property
    def _confirmation(self) -> PlanConfirmation:
        loop = self.loop
        root = str(loop.context.workspace.root)
        return PlanConfirmation(loop.person, loop.gate.asking.yes, self.settings.confirm, root)

    @property
    def _drafter(self) -> PlanDrafter:
        return PlanDrafter(self.loop.replies, self.agent, self.loop.max_attempts)


def _needs_review(task: Task) -> bool:
    """Tell whether the planner is to look at the plan because of this task."""
    return task.status == "failed" or bool(task.surprise)


def _merge_plans(old: Plan, new: Plan, odd: Collection[str]) -> Plan:
    """Give the changed plan with what was dropped. New tasks stand for those that have failed since the last
    look, and for those that were dropped.
    """
    known, left = old.index_by_id(), {task.id for task in new.tasks}
    fresh = any(known.get(task.id) != task for task in new.tasks)
    kept = [
        replace(task, replaced=fresh) if task.id in odd and task.status == "failed" else task
        for task in new.tasks
        if task.status != "pending"
    ]
    dropped = (
        replace(task, status="skipped", result=DROPPED, replaced=fresh)
        for task in old.list_pending()
        if task.id not in left
    )
    return Plan((*kept, *dropped, *new.list_pending()))

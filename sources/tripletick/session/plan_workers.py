"""What the tasks of a plan work with: what they share is the session's, the rest is their own.

A slot has its model and its box, for one task after the other; the first has the session's box. Tasks in
several boxes leave each other files in the folder, and nothing in /tmp. A task begins with an empty
conversation and has read no file; what the user allowed for the session holds for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tripletick.agents.definitions import Agent, Prompts
from tripletick.checkpoint import Checkpoints
from tripletick.messages import Task
from tripletick.models.model import Model
from tripletick.planner.locks import PathLocks, TaskLocks
from tripletick.planner.plan import PLANNER
from tripletick.planner.planner import Planner
from tripletick.planner.task_runner import TaskRunner, WorkerContext
from tripletick.planner.texts import PlannerQuestions
from tripletick.sandbox.box import Box
from tripletick.session import request_text
from tripletick.session.agent_models import AgentModels, apply_agent_temperature
from tripletick.session.workspace import SessionWorkspace
from tripletick.system.cancellation import CancelToken
from tripletick.tools.tool import FileTracker
from tripletick.turn.loop import Loop
from tripletick.turn.reply import ReplySource


@dataclass(frozen=True, slots=True)
class WorkerSlot:
    """Where one task at a time works."""

    model: Model
    box: Box
    halt: CancelToken
    points: Checkpoints


@dataclass(slots=True)
class PlanWorkers:
    """The posts of one plan; `close` gives back what was opened for them."""

    loop: Loop
    workspace: SessionWorkspace
    agents: Mapping[str, Agent]
    agent_models: AgentModels
    _locks: PathLocks = field(default_factory=PathLocks)
    _slots: dict[int, WorkerSlot] = field(default_factory=dict)
    _count: int = 0

    def make_context(self, task: Task, number: int) -> WorkerContext:
        """Give a task what it works with. Raises what cannot be opened."""
        agent = apply_agent_temperature(self.agent_models.config, self.agents[task.agent])
        slot = self._slots.get(number) or self._open_slot(number)
        context = self.loop.context
        self._count += 1
        loop = replace(
            self.loop,
            replies=self.agent_models.assign_model(agent, self._make_replies(slot), number, slot.halt),
            context=replace(
                context,
                box=slot.box,
                ledger=FileTracker(),
                session=f"{context.session}-{self._count}",
                halt=slot.halt,
            ),
            checkpoints=slot.points,
            locks=TaskLocks(self._locks, slot.halt, self.workspace.notice),
        )
        named = agent.tools and agent.folder and self.agent_models.config.agent.folder
        line = (
            request_text.format_folder_line(context.workspace, self.loop.conversation.templates)
            if named
            else ""
        )
        return WorkerContext(agent, loop, slot.halt, line)

    def close(self) -> None:
        """Close boxes and connections; what tasks have changed the session's model does not know."""
        for number, slot in self._slots.items():
            slot.model.close()
            if number:
                slot.box.close()
        self._slots.clear()
        self.agent_models.close()
        changed = self.loop.checkpoints.changed or ()
        self.loop.forget_files(change.path for change in changed)

    def _open_slot(self, number: int) -> WorkerSlot:
        halt = CancelToken() if number else self.workspace.sandbox_spec.halt
        box = self.workspace.fork_box(halt) if number else self.loop.context.box
        model, points = self.loop.replies.model.fork(number, halt), self.loop.checkpoints.fork()
        self._slots[number] = WorkerSlot(model, box, halt, points)
        return self._slots[number]

    def _make_replies(self, slot: WorkerSlot) -> ReplySource:
        """Give the session's model at a slot, with an empty conversation."""
        own, conversation = self.loop.replies, self.loop.conversation
        # what a task that failed has to say is asked of nobody: the plan is looked at again
        empty = conversation.fork(replace(conversation.templates, last=""))
        return replace(
            own, model=slot.model, conversation=empty, budget=replace(own.budget, counted=0, covered=0)
        )


@contextmanager
def open_planner(
    agent: Agent, loop: Loop, workspace: SessionWorkspace, prompts: Prompts, agent_models: AgentModels
) -> Iterator[Planner]:
    """Give a planner; what is opened for its tasks is closed with this."""
    able = {name: one for name, one in prompts.agents.items() if name != PLANNER}
    config = agent_models.config
    staff = PlanWorkers(loop, workspace, able, agent_models)
    crew = TaskRunner(
        staff.make_context, config.planner.parallel, config.planner.task_timeout, workspace.halt
    )
    questions = PlannerQuestions(prompts.plan, prompts.replan)
    try:
        yield Planner(loop, agent, able, questions, config.planner, crew.run_plan)
    finally:
        staff.close()

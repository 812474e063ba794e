"""Runs the tasks of a plan, each as a turn in a thread of its own, and tells of all of them as one generator.

Whoever pulls that generator is the only one to see events, to write the log, to draw and to ask: threads put
what happens into a queue, an `Ask` too, and who asked waits for its answer; so there is one question at a
time. One task or several side by side is the same code.

What a thread uses is its own: conversation, ledger, snapshots, model, box. What belongs to one of the
slots (a box, a connection, a place in the engine) serves one task after the other. A program that it starts
is a child of that thread, and ends with it as with the whole program (PR_SET_PDEATHSIG counts threads).
Shared are the folder and its guard, which keep no state, and the locks.

A task is stopped through its `Halt`, by Ctrl-C or by its time: that ends what its thread waits for, and its
turn ends as the user's own do. Signals come to the main thread alone. Not covered: what a plan is and when
it changes (plan, planner), who may write (locks), what a task works with (the staff, which is wired).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue

from tripletick.agents.definitions import Agent
from tripletick.errors import TripletickError
from tripletick.events import (
    Answered,
    Ask,
    Event,
    GaveUp,
    InTask,
    Output,
    PlanChanged,
    Reply,
    Returned,
    Text,
    Thought,
)
from tripletick.messages import Receipt, Result, Status, Task
from tripletick.planner import texts
from tripletick.planner.plan import Plan, describe_surprise
from tripletick.system.cancellation import Cancelled, CancelToken
from tripletick.turn.loop import Loop

CLIP = 1200
"""Characters of an answer that are kept as a task's result."""
LATE = "stopped after {seconds:g} s ([planner] task_timeout)"
BROKEN = "it broke off: {kind}: {error}"
ASKED = "{name}: {question}"
ENDS = (Answered, GaveUp)
PIECES = (Text, Thought, Output)
"""Of no use once the user has stopped it all."""


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """What one task works with, and what stops it."""

    agent: Agent
    loop: Loop
    halt: CancelToken
    files: str = ""
    """What goes along with its request."""


Staff = Callable[[Task, int], WorkerContext]
"""Gives a task its post at a slot, which counts from 0. Raises what cannot be opened."""
Telling = Generator[Event, Reply, None]


@dataclass(eq=False, slots=True)
class _TaskWorker:
    """One task at work. Its thread writes, the crew reads once it has ended."""

    task: Task
    slot: int
    post: WorkerContext
    tell: SimpleQueue[tuple[_TaskWorker | None, Event | None]]
    deadline: float
    late: bool = False
    stopped: bool = False
    last: Event | None = None
    result: Result | None = None
    unanswered: bool = False
    answers: SimpleQueue[Reply] = field(default_factory=SimpleQueue)
    go: SimpleQueue[bool] = field(default_factory=SimpleQueue)
    future: Future[None] | None = None

    def run_task(self, request: str) -> None:
        """Work in this thread once the crew knows of it, and tell that it has ended."""
        try:
            if self.go.get():
                self._run_turn(request)
        finally:
            self.tell.put((self, None))

    @staticmethod
    def stop_all(works: Iterable[_TaskWorker]) -> None:
        """Have them end, whatever they wait for, before one gets what another one held."""
        going = [work for work in works if not work.stopped]
        for work in going:
            work.stopped = True
            work.go.put(False)
        CancelToken.cancel_all(work.post.halt for work in going)

    def _run_turn(self, request: str) -> None:
        """Pull the turn to its end."""
        post, reply, halted = self.post, None, False
        with (
            closing(post.loop.run_turn(post.agent, request, files=post.files)) as turn,
            suppress(StopIteration),
        ):
            while True:
                event = turn.throw(Cancelled) if halted else turn.send(reply)
                reply, halted = self._forward_event(event)

    def _forward_event(self, event: Event) -> tuple[Reply, bool]:
        """Tell of an event; gives the answer, and whether the turn is to stop here."""
        self.last = event
        if isinstance(event, Returned):
            self.result = event.result
        try:
            if isinstance(event, Ask):
                return self._forward_question(event), False
            self.tell.put((self, event))
            if not isinstance(event, ENDS):
                self.post.halt.raise_if_cancelled()
        except Cancelled:
            return None, True
        return None, False

    def _forward_question(self, question: Ask) -> Reply:
        words = ASKED.format(name=self.task.name, question=question.question)
        with self.post.halt.on_cancel(lambda: self.answers.put(None)):
            self.tell.put((self, replace(question, question=words)))
            answer = self.answers.get()
        if not question.choices:
            self.unanswered = not (answer and answer.text)
        return answer

    def finish_task(self, seconds: float) -> Task:
        """Give the task as it is now that its thread has ended; `seconds` is what it had."""
        status, result = self._judge_outcome(seconds)
        odd = describe_surprise(self.result, unanswered=self.unanswered) if status == "done" else ""
        files = self.post.loop.checkpoints.changed or ()
        said = texts.clip_middle(result, CLIP)
        return replace(self.task, status=status, result=said, files=files, surprise=odd)

    def _judge_outcome(self, seconds: float) -> tuple[Status, str]:
        error = self.future.exception() if self.future else None
        match error, self.last:
            case Cancelled(), _:
                pass
            case TripletickError(), _:
                return "failed", " ".join(filter(None, (error.what, error.why)))
            case BaseException(), _:
                return "failed", BROKEN.format(kind=type(error).__name__, error=error)
            case _, Answered(text, receipt=Receipt() as receipt) if receipt.doubt:
                return "failed", f"{receipt.complaint} {text}"
            case _, Answered(text):
                return "done", text
            case _, GaveUp(reason=reason, answer=answer):
                return "failed", " ".join(filter(None, (reason, answer)))
        return ("failed", LATE.format(seconds=seconds)) if self.late else ("pending", "")


@dataclass(frozen=True, slots=True)
class TaskRunner:
    """Who carries out plans: up to `parallel` tasks side by side, each within `task_timeout` seconds; those
    that the user takes to answer do not count.
    """

    staff: Staff
    parallel: int = 1
    task_timeout: float = 600.0
    halt: CancelToken = field(default_factory=CancelToken)
    """Wakes who waits for the tasks."""

    def run_plan(self, plan: Plan) -> Generator[Event, Reply, Plan]:
        """Run what is ready and what becomes so, and give the plan as it is then.

        After a task that failed or surprised nothing more begins, so that the plan can be looked at. At
        KeyboardInterrupt all that runs is stopped and waits again, what is done is kept, as the last
        `PlanChanged` says.
        """
        with ThreadPoolExecutor(self.parallel, "task") as pool:
            shift = _PlanRun(self, plan, pool)
            try:
                yield from shift.run_all()
            except KeyboardInterrupt:
                yield from shift.stop_and_drain()
                raise
            finally:
                shift.shut_down()
        return shift.plan


@dataclass(slots=True)
class _PlanRun:
    """One run of a crew: the tasks at work by their slots."""

    crew: TaskRunner
    plan: Plan
    pool: ThreadPoolExecutor
    works: dict[int, _TaskWorker] = field(default_factory=dict)
    events: SimpleQueue[tuple[_TaskWorker | None, Event | None]] = field(default_factory=SimpleQueue)
    odd: bool = False
    """A task has failed or surprised."""

    def run_all(self) -> Telling:
        yield from self._start_ready()
        while self.works:
            work, event = self._wait_for_event()
            if work is None:
                # whoever pulls this knows whether it is to stop
                yield PlanChanged(self.plan.tasks)
            elif event is None:
                yield from self._update_task(self._finish_worker(work))
                yield from self._start_ready()
            elif not isinstance(event, Ask):
                yield InTask(work.task.id, work.task.agent, event)
            elif not work.stopped:
                yield from self._forward_question(work, event)

    def stop_and_drain(self) -> Telling:
        """Stop what runs; what it has still to say comes before the plan as it is then."""
        self._stop_workers()
        while self._is_running():
            work, event = self.events.get()
            if work is None:
                continue
            if event is None:
                self.plan = self.plan.with_task(self._finish_worker(work))
            elif not isinstance(event, (Ask, *PIECES)):
                yield InTask(work.task.id, work.task.agent, event)
        yield PlanChanged(self.plan.reset_running().tasks)

    def shut_down(self) -> None:
        """Leave nothing running, whatever has happened."""
        self._stop_workers()
        while self._is_running():
            work, event = self.events.get()
            if work and event is None:
                self._finish_worker(work)

    def _stop_workers(self) -> None:
        _TaskWorker.stop_all(self.works.values())

    def _is_running(self) -> bool:
        """Tell whether something runs; a thread that was just being started at the key has nothing to do."""
        return any(work.future for work in self.works.values())

    def _start_ready(self) -> Telling:
        """Begin what is ready, as far as there are slots."""
        for slot in range(self.crew.parallel):
            while slot not in self.works and not self.odd and (ready := self.plan.list_ready()):
                yield from self._update_task(self._start_task(ready[0], slot))

    def _start_task(self, task: Task, slot: int) -> Task:
        try:
            post = self.crew.staff(task, slot)
        except TripletickError as error:
            return replace(task, status="failed", result=" ".join(filter(None, (error.what, error.why))))
        running = replace(task, status="running")
        post.halt.clear()
        work = _TaskWorker(running, slot, post, self.events, time.monotonic() + self.crew.task_timeout)
        self.works[slot] = work
        work.future = self.pool.submit(work.run_task, texts.format_task_request(self.plan, task))
        work.go.put(True)
        return running

    def _wait_for_event(self) -> tuple[_TaskWorker | None, Event | None]:
        """Wait for what happens next; a task whose time is up is stopped."""
        while True:
            for work in self.works.values():
                if not work.late and work.deadline <= time.monotonic():
                    work.late = True
                    _TaskWorker.stop_all([work])
            left = [work.deadline - time.monotonic() for work in self.works.values() if not work.late]
            woken = self.crew.halt.call_on_cancel(lambda: self.events.put((None, None)))
            with suppress(Empty), woken:
                return self.events.get(timeout=max(0.0, min(left)) if left else None)

    def _forward_question(self, work: _TaskWorker, question: Ask) -> Telling:
        began = time.monotonic()
        work.answers.put((yield question))
        for each in self.works.values():
            each.deadline += time.monotonic() - began

    def _finish_worker(self, work: _TaskWorker) -> Task:
        del self.works[work.slot]
        return work.finish_task(self.crew.task_timeout)

    def _update_task(self, task: Task) -> Telling:
        self.plan = self.plan.with_task(task)
        self.odd = self.odd or task.status == "failed" or bool(task.surprise)
        yield PlanChanged(self.plan.tasks)

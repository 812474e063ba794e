"""One turn: ask the model, run its blocks, tell it what came of them, until it answers in words.

A turn is a generator of events. It prints nothing, asks nobody and opens no terminal: an `Answer` to an
`Ask` is sent in, KeyboardInterrupt is thrown in. Closing it stops whatever runs.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tripletick import repair
from tripletick.agents import Agent
from tripletick.approval import Block, Gate
from tripletick.checkpoint import Checkpoints
from tripletick.events import (
    Answered,
    Ask,
    Called,
    Event,
    GaveUp,
    Interrupted,
    Notice,
    Output,
    Refused,
    Repairing,
    Reply,
    Returned,
)
from tripletick.messages import Call, Problem, Result
from tripletick.repair import Results, Tries
from tripletick.replies import INTERRUPTED, Heard, Replies
from tripletick.tools.tool import Bench, Tool

NUDGE = "Your answer was empty. The request was: {request}"
CUT_ANSWER = "The answer reached the length limit and ends here; `[model] output` sets it."
NO_ANSWER = "(The person gave no answer.)"
DROPPED = "(output dropped to save room)"
WORTH_DROPPING = 200
"""Characters; a shorter output is not worth breaking the engine's cache for."""

Turn = Generator[Event, Reply, None]
Ending = Answered | GaveUp | None


@dataclass(frozen=True, slots=True)
class Loop:
    """What every turn of a session works with."""

    replies: Replies
    tools: Mapping[str, Tool]
    bench: Bench
    checkpoints: Checkpoints
    max_attempts: int = 5
    max_steps: int = 25
    person: bool = False
    gate: Gate = field(default_factory=Gate)
    """What every block passes."""

    def turn(self, agent: Agent, request: str, *, folder: str = "") -> Turn:
        """Work on one request until it is answered, or one of the endings of `repair` is due."""
        tries = Tries(self.max_attempts, self.max_steps, alone=not self.person)
        self.bench.ledger.begin_turn()
        self.checkpoints.begin_turn(self.bench.session, request)
        self.replies.talk.request(agent, request, folder=folder)
        end: Ending = None
        try:
            while end is None:
                heard = yield from self.replies.hear(agent)
                end = (yield from self._step(agent, tries, heard)) or repair.ending(tries)
            if notice := self.checkpoints.end_turn():
                yield Notice(notice)
            yield repair.ended(end, self.checkpoints.changed)
        except KeyboardInterrupt:
            yield from map(Notice, self.checkpoints.after_block())
            yield Interrupted(self.replies.talk.entries[-1].message.text)
        finally:
            self.checkpoints.end_turn()

    def _step(self, agent: Agent, tries: Tries, heard: Heard) -> Generator[Event, Reply, Ending]:
        """Run what the reply calls and say in the conversation what came of it; an answer ends the turn."""
        reading, talk = heard.reading, self.replies.talk
        talk.reply(reading.text)
        results = yield from self.act(agent, reading.calls)
        told = tries.worth_telling(reading.problems, calls=bool(results), owner=bool(agent.tools))
        refused = [Refused(problem) for problem in reading.problems if problem in told or not problem.text]
        if not results and not told and reading.question is None:
            yield from refused
            return (yield from self._words(tries, heard))
        failed = tries.add(results, told)
        if results or told:
            # before anything else is yielded, where the person may stop the turn
            said, short = self._feedback(tries, results, told)
            talk.say(said, short=short or None)
        yield from refused
        if reading.question is not None:
            answer = yield Ask(reading.question, "", "The model asks you.")
            if answer is None or not answer.there:
                return GaveUp("clarification", "The model has a question.", 3, reading.question)
            talk.say(answer.text or NO_ANSWER)
        if failed:
            yield Repairing(tries.failures, tries.max_attempts, tries.error)
        return None

    def _words(self, tries: Tries, heard: Heard) -> Generator[Event, Reply, Ending]:
        """End the turn with an answer; an empty one is asked for once more."""
        if heard.reading.text.strip():
            if heard.finish == "length":
                yield Notice(CUT_ANSWER)
            return Answered(heard.reading.text.strip())
        tries.silent += 1
        tries.steps += 1
        self.replies.talk.say(NUDGE.format(request=self.replies.talk.asked.partition("\n")[0]))
        return None

    def act(
        self, agent: Agent, calls: Sequence[Call], *, typed: bool = False
    ) -> Generator[Event, Reply, list[tuple[Call, Result]]]:
        """Run the blocks in their order; the first that does not succeed stops the rest.

        `typed`: the person wrote them.
        """
        results: list[tuple[Call, Result]] = []
        printed: list[str] = []
        stop = ""
        self.bench.ledger.begin_reply()
        try:
            for number, call in enumerate(calls, 1):
                seconds = 0.0
                if stop:
                    result = Result("skipped", stop)
                else:
                    printed.clear()
                    yield Called(call, number, len(calls))
                    block = Block(self._tool(agent, call), call, self.bench, self.checkpoints, typed)
                    result, seconds = yield from self._run(block, printed)
                if not result.ok and not stop:
                    how = {"failed": "failed", "denied": "was refused"}.get(result.outcome, "was not run")
                    stop = f"was not run, because block {number} {how}"
                results.append((call, result))
                yield Returned(call, result, number, seconds)
        except KeyboardInterrupt:
            yield from self._stopped(calls, results, "".join(printed)[-self.bench.clip :])
            raise
        return results

    def _stopped(
        self, calls: Sequence[Call], results: list[tuple[Call, Result]], printed: str
    ) -> Generator[Event, Reply, None]:
        """Tell what ran, and which block the person has interrupted."""
        at_work = calls[len(results) : len(results) + 1]
        results += [(call, Result("failed", INTERRUPTED.strip("()"), printed, exit=130)) for call in at_work]
        said = self.replies.dialect.feedback(results, ())
        self.replies.talk.say(said if at_work else f"{said}\n\n{INTERRUPTED}")
        if at_work:
            yield Returned(*results[-1], len(results))

    def _tool(self, agent: Agent, call: Call) -> Tool:
        """Find the tool; a tag with a path that the agent does not own is a file to save and no program."""
        owned = {*agent.owned(self.replies.languages), "append"} & self.tools.keys()
        return self.tools[call.tool if call.tool in owned else "write"]

    def _run(self, block: Block, printed: list[str]) -> Generator[Event, Reply, tuple[Result, float]]:
        """Run one block; gives its seconds, without those that the person took. `printed` gets its output."""
        running = self.gate.run(block)
        answer: Reply = None
        begun, waited = time.monotonic(), 0.0
        try:
            while True:
                event = running.send(answer)
                if isinstance(event, Output):
                    printed.append(event.text)
                shown = time.monotonic()
                answer = yield event
                waited += time.monotonic() - shown if isinstance(event, Ask) else 0.0
        except StopIteration as stop:
            result: Result = stop.value
            return result, time.monotonic() - begun - waited
        finally:
            running.close()

    def _feedback(self, tries: Tries, results: Results, problems: Sequence[Problem]) -> tuple[str, str]:
        """Word what came of a reply: whole, and as it reads once room is needed ("": the same)."""
        failed = [result.tool for _, result in results if result.outcome == "failed"]
        tag = next((tag for tag in (*failed, *(problem.tag for problem in problems)) if tag), "")
        example = self.tools[tag].example if tag in self.tools else None
        hint = repair.hint(tries, results)
        word = partial(self.replies.dialect.feedback, problems=problems, hint=hint, example=example)
        shorter = [(call, _shortened(result)) for call, result in results]
        return word(results), word(shorter) if shorter != list(results) else ""


def _shortened(result: Result) -> Result:
    return replace(result, text=DROPPED) if len(result.text) > WORTH_DROPPING else result

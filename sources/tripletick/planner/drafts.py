"""Asks the loaded model for a plan, at the end of the session's history, until one can be carried out.

By schema where the engine knows one, else from a ```json block or a reply that is JSON from end to end; where
it could be either of several, nothing is guessed. What makes a plan good is in checking.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tripletick.agents.definitions import Agent
from tripletick.dialects.dialect import ParsedReply
from tripletick.errors import ServerFailedError, StreamCutError
from tripletick.events import Ask, Event, GaveUp, Notice, Repairing, Reply, Text
from tripletick.models.conversation import NO_ANSWER
from tripletick.planner import texts
from tripletick.planner.plan import Plan
from tripletick.planner.validation import PlanFault, PlanRules, read_tasks
from tripletick.system.lazy_regex import lazy_regex
from tripletick.turn.reply import ReceivedReply, ReplySource

TAG = "json"
LONGEST = 3000
"""Tokens of a plan: twelve tasks of a hundred words each, and a model that goes on for ever is stopped."""
UNREAD = {
    "none": "There is no plan in your answer. Write it in one ```json block.",
    "several": "There are {count} ```json blocks. Write the plan in one.",
    "json": "The JSON cannot be read: {why}, line {line}, column {column}.",
    "deep": "The JSON is nested too deeply.",
    "cut": "The plan was too long and was cut. Make it shorter.",
}
NO_SCHEMA = "The server could not produce structured output; asking for the plan without a schema."
PLANLESS = "the model answered without a plan"
MOST_PLANLESS = 2
"""Replies in a row without a plan: a model that writes a second one writes a third."""
NO_PLAN = "Gave up: no plan after {count} attempts, the last: {fault}"
DIRECT = "Give the request to one agent (@coder REQUEST), or ask for less at once."
_GO_ON = lazy_regex(r"[\W_]*(?:decision\W*)?go[ _-]?on[\W_]*", re.IGNORECASE)

T = TypeVar("T")
Asking = Generator[Event, Reply, T]
Read = Callable[[ParsedReply], tuple[Plan, list[PlanFault]]]


@dataclass(frozen=True, slots=True)
class PlanDrafter:
    """Where plans come from."""

    replies: ReplySource
    agent: Agent
    max_attempts: int = 5

    def request_plan(self, question: str, rules: PlanRules) -> Asking[Plan | GaveUp]:
        """Have a request parted into tasks; the request is in the conversation already."""
        self.replies.conversation.add_user_message(question)
        return (
            yield from self._request_until_valid(
                build_schema(rules.agents), lambda reading: _read_plan(reading, rules)
            )
        )

    def request_change(self, question: str, plan: Plan, rules: PlanRules) -> Asking[Plan | GaveUp]:
        """Have what is left of a plan looked at again; the same plan where it is to go on as it is."""
        self.replies.conversation.add_user_message(question)
        form = build_schema(rules.agents, change=True)
        return (
            yield from self._request_until_valid(form, lambda reading: _read_change(reading, plan, rules))
        )

    def _request_until_valid(self, form: Mapping[str, Any] | None, read: Read) -> Asking[Plan | GaveUp]:
        conversation, fault, planless = self.replies.conversation, "", 0
        for attempt in range(1, self.max_attempts + 1):
            heard, form = yield from self._request_with_fallback(form)
            conversation.add_reply(heard.reading.text)
            if heard.reading.question is not None:
                answer = yield Ask(heard.reading.question, "", "The planner is asking you.")
                if answer is None or not answer.there:
                    return GaveUp("clarification", "The model has a question.", 3, heard.reading.question)
                conversation.add_user_message(answer.text or NO_ANSWER)
                continue
            plan, faults = read(heard.reading)
            if not faults:
                return plan
            if heard.finish == "length":
                faults = [PlanFault(UNREAD["cut"])]
            fault = faults[0].said or faults[0].text
            planless = planless + 1 if faults[0].said else 0
            if planless == MOST_PLANLESS:
                break
            conversation.add_user_message(texts.format_faults(faults))
            yield Repairing(attempt, self.max_attempts, fault)
        return GaveUp("plan", NO_PLAN.format(count=attempt, fault=fault), 1, hint=DIRECT)

    def _request_with_fallback(
        self, form: Mapping[str, Any] | None
    ) -> Asking[tuple[ReceivedReply, Mapping[str, Any] | None]]:
        """Hear a reply, and give the form that the next one is asked for in: a server may know none."""
        try:
            return (yield from self._request_draft(form)), form
        except StreamCutError:
            raise
        except ServerFailedError:
            if form is None:
                raise
            yield Notice(NO_SCHEMA)
        return (yield from self._request_draft(None)), None

    def _request_draft(self, form: Mapping[str, Any] | None) -> Asking[ReceivedReply]:
        """Hear a reply; it is no text for the user, who sees the plan."""
        base = self.replies.sampling
        sampling = replace(base, schema=form, output=min(base.output, LONGEST))
        hearing = replace(self.replies, sampling=sampling).request_reply(self.agent, (TAG,))
        return (yield from filter_events(hearing, lambda event: not isinstance(event, Text)))


def filter_events(
    turn: Generator[Event, Reply, T], keep: Callable[[Event], bool]
) -> Generator[Event, Reply, T]:
    """Give the events of a turn that are to be kept; what is sent and thrown in reaches it."""
    reply: Reply = None
    stopped = False
    try:
        while True:
            try:
                event = turn.throw(KeyboardInterrupt) if stopped else turn.send(reply)
            except StopIteration as end:
                value: T = end.value
                return value
            reply, stopped = None, False
            if keep(event):
                try:
                    reply = yield event
                except KeyboardInterrupt:
                    stopped = True
    finally:
        turn.close()


def build_schema(agents: Collection[str], *, change: bool = False) -> dict[str, Any]:
    """Give the JSON schema of a plan, or of what becomes of one."""
    task = {
        "id": {"type": "string"},
        "agent": {"type": "string", "enum": list(agents)},
        "task": {"type": "string"},
        "needs": {"type": "array", "items": {"type": "string"}},
    }
    entry = {"type": "object", "properties": task, "required": list(task), "additionalProperties": False}
    known: dict[str, Any] = {"decision": {"type": "string", "enum": ["go on", "change"]}} if change else {}
    known["tasks"] = {"type": "array", "items": entry} | ({} if change else {"minItems": 1})
    return {"type": "object", "properties": known, "required": list(known), "additionalProperties": False}


def _read_plan(reading: ParsedReply, rules: PlanRules) -> tuple[Plan, list[PlanFault]]:
    given = _extract_json(reading)
    if isinstance(given, PlanFault):
        return Plan(), [given]
    tasks, faults = read_tasks(given, rules.agents)
    return rules.build_plan(tasks, faults) if tasks or not faults else (Plan(), faults)


def _read_change(reading: ParsedReply, plan: Plan, rules: PlanRules) -> tuple[Plan, list[PlanFault]]:
    """Read what is to wait from now on. Tasks of the plan that are left out are dropped."""
    given = _extract_json(reading)
    decided = given.get("decision") if isinstance(given, dict) else None
    if _GO_ON.fullmatch(reading.text) or (isinstance(decided, str) and _GO_ON.fullmatch(decided)):
        return plan, []
    if isinstance(given, PlanFault):
        return plan, [given]
    tasks, faults = read_tasks(given, rules.agents)
    changed, found = rules.build_plan(tasks, faults)
    return (plan if set(changed.tasks) == set(plan.tasks) else changed), found


def _extract_json(reading: ParsedReply) -> Any:
    """Give what the reply says as JSON, a Fault where it says none or could mean several."""
    bodies = [call.body for call in reading.calls if call.tool == TAG]
    whole = reading.text.strip()
    if not bodies and whole[:1] in ("{", "["):
        bodies = [whole]
    if len(bodies) != 1:
        if bodies:
            return PlanFault(UNREAD["several"].format(count=len(bodies)))
        unread = next((problem.text for problem in reading.problems if problem.text), UNREAD["none"])
        return PlanFault(unread, said=PLANLESS)
    try:
        # control characters in texts are what models write there
        return json.loads(bodies[0], strict=False)
    except json.JSONDecodeError as error:
        return PlanFault(UNREAD["json"].format(why=error.msg, line=error.lineno, column=error.colno))
    except (ValueError, RecursionError):
        return PlanFault(UNREAD["deep"])

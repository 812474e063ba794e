"""User hooks, which look at, change or refuse what happens during a turn."""

from __future__ import annotations

import queue
import threading
import types
import typing
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from tripletick.events import Answered, Ask, Event, Looking, Notice, Output, Refused, Reply, Text
from tripletick.messages import Answer, Call, Result
from tripletick.permission import PendingBlock
from tripletick.permission.block import Permitting
from tripletick.permission.questions import Approver, Question
from tripletick.sandbox.box import ignore_notice

if TYPE_CHECKING:
    import pluggy

    hook: pluggy.HookimplMarker

FAILED = "The hook {name} ({at}) failed: {error}. Continuing without it."
SLOW = "The hook {name} ({at}) took longer than {seconds:g} s and is now disabled."
ODD = "The hook {name} ({at}) returned {what}; expected one of: {wanted}. It is ignored."
UNSOUND = "The hook {name} ({at}) returned a {kind} whose {field} cannot be {what}. It is ignored."
RETAGGED = "The hook {name} ({at}) returned a call of another tool. It is ignored."
CHANGED = "The hook {name} ({at}) changed this block."
REFUSED = "refused by a hook of the person's: {reason}"
WHY = "The hook {name} ({at}) asks for confirmation."
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Refuse:
    """What a `pre_tool` gives so that a block is not run; the model and the user are told the reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Confirm:
    """What a `pre_tool` gives so that the user is asked; without a user the answer is no."""

    question: str


def __getattr__(name: str) -> Any:
    if name != "hook":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import pluggy

    return pluggy.HookimplMarker("tripletick")


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook: its function, the names of the arguments that it wants, and where it stands."""

    name: str
    function: Callable[..., Any]
    wants: tuple[str, ...]
    at: str
    file: str = ""


@dataclass(slots=True)
class Hooks:
    """The hooks by the point at which they are called, in their order."""

    points: dict[str, list[Hook]] = field(default_factory=dict)
    seconds: float = 5.0
    tell: Callable[[str], None] = ignore_notice
    """Takes a line for the user."""
    _silent: set[Hook] = field(default_factory=set)
    """Those of `on_event` whose failure was told: there is an event for every word of the model's."""

    def list_hooks(self) -> list[Hook]:
        """Give every hook, by its point and in its order."""
        return [one for ones in self.points.values() for one in ones]

    def apply_pre_request(self, text: str, agent: str) -> str:
        """Let `pre_request` change what the model is told of a request."""
        return self._transform_text("pre_request", "request", text, agent=agent)

    def apply_pre_response(self, text: str, more: str = "") -> Generator[Event, Reply, Answered]:
        """Let `pre_response` change an answer that was not shown; `more` belongs to it and never was."""
        if not self.points.get("pre_response"):
            yield from [Text(more)] * bool(more)
            return Answered(text + more)
        answer = self._transform_text("pre_response", "answer", text + more)
        yield Text(answer)
        return Answered(answer)

    def notify_event(self, event: Event) -> None:
        """Show an event to `on_event`."""
        for one in self._get_hooks("on_event"):
            self._call_hook(one, (type(None),), event=event)

    def apply_pre_tool(self, block: PendingBlock, agent: str, person: Approver) -> Permitting:
        """Let `pre_tool` change a block, refuse it, or have the user asked about it."""
        for one in self._get_hooks("pre_tool"):
            given = self._call_hook(one, (Call, Refuse, Confirm), call=block.call, agent=agent)
            if isinstance(given, Refuse):
                return Result("forbidden", REFUSED.format(reason=shorten_line(given.reason)))
            if isinstance(given, Confirm):
                answer = yield from _ask_user(one, given, block, person)
                if isinstance(answer, Result):
                    return answer
                block = block.with_answer(answer)
            elif given is not None and given.tool != block.call.tool:
                self.tell(RETAGGED.format(name=one.name, at=one.at))
            elif given is not None and given != block.call:
                yield Notice(CHANGED.format(name=one.name, at=one.at))
                block = replace(block, call=given)
        return block

    def apply_post_tool(self, call: Call, result: Result) -> Result:
        """Let `post_tool` change a block's result."""
        for one in self._get_hooks("post_tool"):
            result = self._call_hook(one, (Result,), call=call, result=result) or result
        return result

    def hold_back_text(self, hearing: Generator[Event, Reply, Any]) -> Generator[Event, Reply, Any]:
        """Keep a reply's text back where `pre_response` may change it; what is no answer is shown then."""
        if not self.points.get("pre_response"):
            return (yield from hearing)
        texts, reply = list[Event](), None
        try:
            while True:
                event = hearing.send(reply)
                reply = None
                if isinstance(event, Text):
                    texts.append(event)
                    continue
                if isinstance(event, Refused):
                    # another reply follows, and this one is not used
                    texts.clear()
                reply = yield from _forward_event(event, hearing)
        except StopIteration as end:
            heard = end.value
        finally:
            hearing.close()
        if heard.reading.calls:
            yield from texts
        return heard

    def _transform_text(self, point: str, name: str, text: str, **more: Any) -> str:
        for one in self._get_hooks(point):
            given = self._call_hook(one, (str,), **{name: text}, **more)
            text = text if given is None else given
        return text

    def _get_hooks(self, point: str) -> Iterator[Hook]:
        yield from tuple(self.points.get(point, ()))

    def _call_hook(self, one: Hook, wanted: tuple[type, ...], **given: Any) -> Any:
        """Call a hook; None where it gives nothing that can be used, which is told."""
        came = call_with_timeout(self.seconds, one.function, {name: given[name] for name in one.wants})
        if came is None:
            self.points[one.name] = [each for each in self.points[one.name] if each != one]
            self.tell(SLOW.format(name=one.name, at=one.at, seconds=self.seconds))
            return None
        value, error = came
        sound = error is None and (value is None or isinstance(value, wanted))
        if sound and not (isinstance(value, Call | Result) and _find_bad_field(value)):
            return value
        if one.name != "on_event" or one not in self._silent:
            self._silent.add(one)
            self.tell(_format_problem(one, value, error, wanted))
        return None


def call_with_timeout(
    seconds: float, function: Callable[..., Any], given: Mapping[str, Any]
) -> tuple[Any, BaseException | None] | None:
    """Call a function in a thread of its own; give its value or what it raised, None where it takes too long.
    Nothing can end it then; it ends with the program.
    """
    came: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            came.put((function(**given), None))
        except BaseException as error:  # noqa: BLE001 - whatever a hook raises is told and harms nothing else
            came.put((None, error))

    threading.Thread(target=work, name="hook", daemon=True).start()
    try:
        return came.get(timeout=seconds)
    except queue.Empty:
        return None


def _forward_event(event: Event, hearing: Generator[Event, Reply, Any]) -> Generator[Event, Reply, Reply]:
    """Yield an event of another generator's, which hears of it where the user stops the turn then."""
    try:
        return (yield event)
    except KeyboardInterrupt as stop:
        hearing.throw(stop)
        raise


def format_location(function: Callable[..., Any], file: str) -> str:
    """Name the place of a function, for the user."""
    import inspect

    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{file}:{code.co_firstlineno}" if code else file


def find_error_line(error: BaseException, file: str) -> int:
    """Give the line of a file in which an error arose, 0 where it did elsewhere."""
    import traceback

    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 0
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return (lines or [0])[-1] or 0


def format_error(error: BaseException) -> str:
    """Give an error in one line, also where its own words cannot be had."""
    import traceback

    plain = f"{type(error).__name__}: {error.msg}" if isinstance(error, SyntaxError) else ""
    return shorten_line(plain or "".join(traceback.format_exception_only(error))).rstrip(": .")


def shorten_line(text: object) -> str:
    """Make a text of a hook's fit for one line."""
    line = " ".join(str(text).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _format_problem(one: Hook, value: Any, error: BaseException | None, wanted: tuple[type, ...]) -> str:
    if error is None and isinstance(value, wanted):
        field = _find_bad_field(value)
        what = type(getattr(value, field)).__name__
        return UNSOUND.format(name=one.name, at=one.at, kind=type(value).__name__, field=field, what=what)
    if error is None:
        names = ", ".join(["None", *(kind.__name__ for kind in wanted if kind is not type(None))])
        return ODD.format(name=one.name, at=one.at, what=type(value).__name__, wanted=names)
    line = find_error_line(error, one.file)
    at = f"{one.at.rpartition(':')[0]}:{line}" if line else one.at
    return FAILED.format(name=one.name, at=at, error=format_error(error))


def _find_bad_field(record: Any) -> str:
    """Name the first field whose value is not of its type, "" where there is none: nothing has looked at what
    a hook made.
    """
    hints = typing.get_type_hints(type(record))
    return next(
        (one.name for one in fields(record) if not _is_instance(getattr(record, one.name), hints[one.name])),
        "",
    )


def _is_instance(value: Any, kind: Any) -> bool:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        return value in inner
    if origin is types.UnionType:
        return any(_is_instance(value, each) for each in inner)
    if origin is not None:
        return isinstance(value, origin) and all(_is_instance(each, inner[0]) for each in value)
    return isinstance(value, kind) and not (is_dataclass(kind) and _find_bad_field(value))


def _ask_user(
    one: Hook, given: Confirm, block: PendingBlock, person: Approver
) -> Generator[Looking | Output | Ask | Notice, Answer | None, Answer | Result]:
    kind = f"hook {one.at} {given.question}"
    question = Question(
        kind, shorten_line(given.question), "this block", WHY.format(name=one.name, at=one.at)
    )
    return (yield from person.ask_question(question, block.call, block.context.workspace))

"""Logs as programs write them: errors, who came in, one hour, one event.

Searched by what their lines look like, which is looked at first where the request does not give it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from training import words
from training.families.office import draw_file_name, format_source
from training.families.reading import read_file
from training.scene import Scene, quote_text
from training.script import Script, allow_failure, format_bash

APP = ("app", "server", "service", "backup", "system", "daemon", "worker", "events", "program")
AUTH = ("auth", "login", "logins", "access", "security", "sessions")
EVENTS = (
    ("backup finished", "backup", ("did the backup end", "was the backup done"), "The backup finished"),
    ("backup started", "backup", ("did the backup begin", "was the backup begun"), "The backup started"),
    (
        "service restarted",
        "restart",
        ("did the service come up again", "was it restarted"),
        "The service was restarted",
    ),
    (
        "update installed",
        "update",
        ("was the update put in", "did it get the update"),
        "The update was installed",
    ),
    ("disk full", "disk", ("was the disk full", "did we run out of disk"), "The disk was full"),
    (
        "network lost",
        "network",
        ("did the network break down", "was the network gone"),
        "The network was lost",
    ),
    (
        "network is back",
        "network",
        ("did the network come back", "was the network there again"),
        "The network was back",
    ),
    ("printer out of paper", "printer", ("did the printer need paper",), "The printer ran out of paper"),
    ("door opened", "door", ("was the door opened", "did someone open the door"), "The door was opened"),
    ("door closed", "door", ("was the door shut", "did someone close the door"), "The door was closed"),
    ("mail sent to {who}", "{who}", ("did {who} get a mail", "was {who} written to"), "{who} got a mail"),
    (
        "{thing} uploaded",
        "{thing}",
        ("was the {thing} put up", "did the {thing} go up"),
        "The {thing} was uploaded",
    ),
    ("import of {thing} done", "{thing}", ("was the {thing} imported",), "The import of {thing} was done"),
)
"""What a line says, the word to search, what is asked, how it is told."""
TROUBLE = (
    "cannot open {thing}.txt",
    "connection to {thing} lost",
    "no answer from {thing} after {n} seconds",
    "payment of {who} refused",
    "mail to {who} came back",
    "{thing} crashed",
    "out of memory in {thing}",
    "{thing} is missing",
)
SYSTEMS = ("database", "mail", "scanner", "payment", "archive", "router", "camera", "search", "shop", "stock")
LINES = (
    ("{day} {time} {level} {text}", " {h}:"),
    ("[{time}] {level}: {text}", "^.{h}:"),
    ("{day}T{time} {level} - {text}", "T{h}:"),
    ("{time} | {level} | {text}", "^{h}:"),
    ("{time} {level} {text}", "^{h}:"),
)
"""How an event is written down, and what marks an hour of it."""
CAME = ("user {who} logged in", "login ok: {who}", "session opened for {who}", "{who} logged in")
FAILED = (
    "login failed for {who}",
    "wrong password for {who}",
    "access denied for {who}",
    "invalid login: {who}",
)


@dataclass(frozen=True, slots=True)
class Event:
    """A line of a program's log, and what it says."""

    line: str
    time: str
    level: str
    text: str


def find_levels(scene: Scene) -> Script:
    """Errors or warnings: how many, which, the first or the last one."""
    name, events, _ = _make_log(scene)
    named, level = scene.draw_chance(0.5), scene.pick("error", "error", "warning")
    mark = "warn" if level == "warning" else level
    section, command = scene.pick(
        ("level-count", f"grep -ic {mark} {name}"),
        ("level-which", f"grep -i {mark} {name}"),
        ("level-last", f"grep -i {mark} {name} | tail -n 1"),
        ("level-last", f"grep -i {mark} {name} | tail -n 1"),
        ("level-first", f"grep -i {mark} {name} | head -n 1"),
    )
    yield scene.ask(section, level=level, file=format_source(scene, name, named))
    if not named:
        yield format_bash("ls")
    yield allow_failure(format_bash(command))
    hit = [one for one in events if one.level.lower().startswith(mark)]
    if not hit:
        yield f"There are no {level}s in {name}."
    elif section == "level-count":
        yield f"{name} has {len(hit)} {level}s." if len(hit) > 1 else f"{name} has one {level}."
    elif section == "level-which":
        yield f"{level.capitalize()}s: {'; '.join(f'{one.text} ({one.time})' for one in hit)}."
    else:
        one = hit[-1 if section == "level-last" else 0]
        yield f"The {section[6:]} {level} came at {one.time}: {one.text}."


def find_event_time(scene: Scene) -> Script:
    """At what time something happened: its word is searched."""
    row = scene.pick(*EVENTS)
    slots = {"who": scene.draw_word("first"), "thing": scene.draw_word()}
    text, mark, answer = (one.format(**slots) for one in (row[0], row[1], row[3]))
    twins = [one[0] for one in EVENTS if one[1] == row[1] and one[0] != row[0] and "{" not in one[0]]
    name, events, _ = _make_log(scene, text, *(twins if scene.draw_chance(0.5) else []))
    named = scene.draw_chance(0.5)
    yield scene.ask(
        "event-when", what=scene.pick(*row[2]).format(**slots), file=format_source(scene, name, named)
    )
    yield format_bash(f"grep -i {mark} {name}" if named else f"grep -ri {mark} .")
    yield f"{answer} at {next(one.time for one in events if one.text == text)}."


def show_hour(scene: Scene) -> Script:
    """The lines of one hour, shown or saved; how a line begins is looked at first."""
    name, events, mark = _make_log(scene)
    at = scene.pick(*events).time[:2]
    named, saved, target = scene.draw_chance(0.6), scene.draw_chance(0.3), scene.draw_name(ending="log")
    said = _format_hour(scene, int(at))
    yield scene.ask(
        "hour-save" if saved else "hour-show",
        when=said,
        target=target,
        file=format_source(scene, name, named),
    )
    yield from read_file(name, not named, "head -n 2")
    grep = f"grep '{mark.format(h=at)}' {name}"
    if saved:
        yield format_bash(f"{grep} > {quote_text(target)}")
        yield f"I saved the lines {said} as {target}."
        return
    seen = yield format_bash(grep)
    many = len(seen.lines)
    yield f"There is one line: {seen.text}" if many == 1 else f"There are {many} lines:\n{seen.text}"


def _format_hour(scene: Scene, at: int) -> str:
    """Say an hour, as the clock has it or in halves of the day."""
    ways = [
        f"between {at} and {at + 1} o'clock",
        f"from {at:02}:00 to {at:02}:59",
        f"between {at}:00 and {at + 1}:00",
    ]
    if at not in (0, 11, 12, 23):
        ways.append(f"between {at % 12} and {at % 12 + 1} {'pm' if at > 12 else 'am'}")
    return scene.pick(*ways)


def find_logins(scene: Scene) -> Script:
    """Who logged in, who could not."""
    name = draw_file_name(scene, AUTH, ("log", "log", "txt"))
    ok, bad = scene.pick(*CAME), scene.pick(*FAILED)
    people = list(dict.fromkeys(scene.draw_word("first").lower() for _ in range(scene.random.randint(2, 6))))
    drawn = [(person, scene.draw_chance(0.6)) for person in people]
    texts = [(ok if came else bad).format(who=person) for person, came in drawn]
    form, _ = scene.pick(*LINES)
    marks = ("INFO" if came else "WARN" for _, came in drawn)
    _write_events(scene, name, form, list(zip(marks, texts, strict=True)))
    failed, named = scene.draw_chance(0.4), scene.draw_chance(0.5)
    yield scene.ask("login-failed" if failed else "login-who", file=format_source(scene, name, named))
    if not named:
        yield format_bash("ls")
    pattern = "fail|wrong|denied|invalid" if failed else "logged in|login|opened"
    yield allow_failure(format_bash(f"grep -iE '{pattern}' {name}"))
    hit = [person for person, came in drawn if came != failed]
    what = "could not log in" if failed else "logged in"
    yield (
        f"{words.format_list(hit)} {what}." if hit else "No login failed." if failed else "Nobody logged in."
    )


def _make_log(scene: Scene, *texts: str) -> tuple[str, list[Event], str]:
    """Make a program's log, with these texts in it; its lines, and what marks an hour."""
    form, mark = scene.pick(*LINES)
    name = draw_file_name(scene, APP, ("log", "log", "txt"))
    said = [("INFO", text) for text in texts]
    for _ in range(scene.random.randint(3, 8)):
        thing = scene.pick(*SYSTEMS) if scene.draw_chance(0.4) else scene.draw_word()
        slots = {"who": scene.draw_word("first"), "thing": thing, "n": scene.draw_number(2)}
        calm = scene.draw_chance(0.4)
        one = (scene.pick(*EVENTS)[0] if calm else scene.pick(*TROUBLE)).format(**slots)
        level = "INFO" if calm else scene.pick("ERROR", "ERROR", "WARNING", "WARN")
        said += [(level, one)] if all(one != other for _, other in said) else []
    scene.random.shuffle(said)
    return name, _write_events(scene, name, form, said), mark


def _write_events(scene: Scene, name: str, form: str, said: list[tuple[str, str]]) -> list[Event]:
    """Write lines down, one after the other in time."""
    day = words.draw_day(scene.random)
    styles: tuple[Callable[[str], str], ...] = (str, str, str.lower)
    style = scene.pick(*styles)
    events = [
        Event(form.format(day=day, time=time, level=style(level), text=text), time, level, text)
        for time, (level, text) in zip(draw_times(scene, len(said)), said, strict=True)
    ]
    scene.put_file(name, "\n".join(one.line for one in events))
    scene.add_other_files(3)
    return events


def draw_times(scene: Scene, many: int) -> list[str]:
    """Give times of one day, in order; several of an hour."""
    hours = scene.random.sample(range(24), 4)
    draw = scene.random.randint
    return sorted(f"{scene.pick(*hours):02}:{draw(0, 59):02}:{draw(0, 59):02}" for _ in range(many))

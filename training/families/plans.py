"""Plans and minutes: who, what, when and where; and what changes in them.

Not covered: facts in notes (notes.py), lists to tick off (everyday.py), people (people.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from training import hands, words
from training.families.everyday import place_file, read_table
from training.families.notes import draw_value
from training.families.reading import read_file
from training.scene import Scene
from training.script import Ask, Script, format_edit

PLANS = (
    "{when}: {what}{more}",
    "- {when}: {what}{more}",
    "{when} {what}{more}",
    "* {when} - {what}{more}",
    "{what}: {when}{more}",
)
MORE = (", {}", " ({})", " - {}")
STEMS = ["minutes", "protocol", "minutes_team", "meeting_minutes"]
ERRANDS = ("call", "ask", "write to", "find", "check", "order", "print", "bring")


@dataclass(frozen=True, slots=True)
class Minutes:
    """What a meeting said."""

    name: str
    hidden: bool
    present: list[str]
    absent: list[str]
    decided: list[str]
    tasks: dict[str, tuple[str, str]]
    next: str


def ask_about_plan(scene: Scene) -> Script:
    """Who, what, when, where of a plan's rows."""
    row, rows, _, name, hidden = _make_plan(scene)
    section, answer = scene.pick(*row["asks"])
    one = rows[0] if "first" in section else rows[-1] if "last" in section else scene.pick(*rows)
    yield ask_question(scene, section, name, hidden, one | {"when": _format_clock(scene, one["when"])})
    yield from read_file(name, hidden)
    text = answer.format(**one)
    yield text[0].upper() + text[1:]


def update_plan(scene: Scene) -> Script:
    """A row of a plan gets another time, place or person."""
    row, rows, line, name, hidden = _make_plan(scene)
    section, part = scene.pick(*row["news"])
    old = scene.pick(*rows)
    new = old | {part: _draw_cell(scene, row[part], {one[part] for one in rows})}
    yield tell_news(scene, section, name, hidden, old | {"new": new[part]})
    yield from read_file(name, hidden)
    yield format_edit(name, line(old), line(new))
    yield f"I changed the line in {name} to: {line(new)}"


def ask_about_minutes(scene: Scene) -> Script:
    """What was decided, who does what until when, who was there, when they meet again."""
    told = _make_minutes(scene)
    who = scene.pick(*told.tasks)
    task, until = told.tasks[who]
    kind, answer = scene.pick(
        ("decided", f"Decided: {'; '.join(told.decided)}."),
        ("task-who", f"{who} is to {task}."),
        ("task-what", f"{who} is to {task} by {until}."),
        ("until", f"{who} has time until {until}."),
        (
            "present",
            f"{words.format_list(told.present)} {'was' if len(told.present) == 1 else 'were'} there.",
        ),
        ("absent", f"{words.format_list(told.absent)} {'was' if len(told.absent) == 1 else 'were'} missing."),
        ("next", f"The next meeting is on {told.next}."),
    )
    yield ask_question(scene, f"minutes-{kind}", told.name, told.hidden, {"who": who, "task": task})
    yield from read_file(told.name, told.hidden)
    yield answer


def add_decision(scene: Scene) -> Script:
    """One more decision, in its place."""
    told = _make_minutes(scene)
    new = _draw_decision(scene)
    yield tell_news(scene, "minutes-more", told.name, told.hidden, {"new": new})
    seen = yield from read_file(told.name, told.hidden)
    last = next(line for line in seen.lines if line.endswith(told.decided[-1]))
    yield format_edit(told.name, last, f"{last}\n{last.removesuffix(told.decided[-1])}{new}")
    yield f"I added the decision to {told.name}: {new}"


def ask_question(scene: Scene, section: str, name: str, hidden: bool, slots: dict[str, str]) -> Ask:
    asked = hands.fill_slots(hands.draw_wording(scene.random, section), slots)
    return scene.ask("asked" if hidden else "asked-in", question=asked, name=name)


def tell_news(scene: Scene, section: str, name: str, hidden: bool, slots: dict[str, str]) -> Ask:
    told = hands.fill_slots(hands.draw_wording(scene.random, section), slots)
    return scene.ask("told-now" if hidden else "told-now-in", news=told, name=name)


def _make_plan(
    scene: Scene,
) -> tuple[dict[str, Any], list[dict[str, str]], Callable[[dict[str, str]], str], str, bool]:
    """Lay a plan: its kind, its rows in order, how a row is written, the file, whether it may go unnamed."""
    kind = scene.pick(*read_table("plans"))
    row, form, more = read_table("plans")[kind], scene.pick(*PLANS), scene.pick(*MORE)
    used: set[str] = set()
    rows = [
        {part: _draw_cell(scene, row[part], used) for part in ("when", "what", "more")}
        for _ in range(scene.random.randint(3, 7))
    ]
    order = words.read_words()["weekday"]
    rows.sort(
        key=lambda one: (
            order.index(one["when"]) if one["when"] in order else int(one["when"].replace(":", ""))
        )
    )

    short = scene.draw_chance(0.3)

    def format_line(one: dict[str, str]) -> str:
        when = one["when"][:3] if short and one["when"] in order else one["when"]
        return form.format(when=when, what=one["what"], more=more.format(one["more"]) if one["more"] else "")

    head = [scene.pick("# ", "") + kind.capitalize()] if scene.draw_chance(0.4) else []
    name, hidden = place_file(scene, row["stems"], "\n".join(head + [format_line(one) for one in rows]))
    return row, rows, format_line, name, hidden


def _draw_cell(scene: Scene, kind: str, used: set[str]) -> str:
    """Draw a cell that no row of the plan has yet."""
    draws: dict[str, Callable[[], str]] = {
        "": lambda: "",
        "time": lambda: f"{scene.random.randint(7, 20)}:{scene.random.randrange(0, 60, 15):02}",
        "room": lambda: f"room {scene.pick('', 'A', 'B')}{scene.draw_number(3)}",
    }
    draw = draws.get(kind) or (lambda: scene.pick(*kind.split(",")) if "," in kind else scene.draw_word(kind))
    cell = draw()
    while cell and cell in used:
        cell = draw()
    used.add(cell)
    return cell


def _format_clock(scene: Scene, when: str) -> str:
    return when.replace(":00", scene.pick("", " o'clock", ":00"))


def _draw_decision(scene: Scene) -> str:
    verb = scene.pick(
        "buy", "sell", "repair", "replace", "rent", "paint", "cancel", "order", "try", "close", "print"
    )
    return (
        f"{scene.pick('we ', '')}{verb} the "
        f"{scene.pick('', scene.draw_word('adjective') + ' ')}{scene.draw_word()}"
    )


def _make_minutes(scene: Scene) -> Minutes:
    names = list(dict.fromkeys(scene.draw_word("first") for _ in range(6)))
    present, absent = names[: scene.random.randint(2, len(names) - 1)], names[-scene.pick(1, 1, 2) :]
    present = [one for one in present if one not in absent]
    decided = list(dict.fromkeys(_draw_decision(scene) for _ in range(scene.random.randint(1, 3))))
    doers = scene.random.sample(present, scene.random.randint(1, min(3, len(present))))
    tasks = {
        one: (
            f"{scene.pick(*ERRANDS)} the {scene.draw_word()}",
            draw_value(scene, "day"),
        )
        for one in doers
    }
    when, mark = draw_value(scene, "daytime"), scene.pick("- ", "* ", "")
    heads = scene.pick(
        ("Present: {}", "Absent: {}", "Decisions:", "Tasks:", "Next meeting: {}"),
        ("there: {}", "missing: {}", "## Decided", "## To do", "next time: {}"),
    )
    lines = [
        heads[0].format(", ".join(present)),
        heads[1].format(", ".join(absent)),
        heads[2],
        *(mark + one for one in decided),
        heads[3],
    ]
    form = scene.pick("{}: {} by {}", "{} - {} (until {})", "{} -> {}, {}")
    lines += [mark + form.format(who, *task) for who, task in tasks.items()]
    name, hidden = place_file(scene, STEMS, "\n".join([*lines, heads[4].format(when)]))
    return Minutes(name, hidden, present, absent, decided, tasks, when)

"""What is reckoned with a short program: numbers, words, lists, dates, chance.

Nothing is reckoned in the head.
"""

from __future__ import annotations

import datetime

from training import words
from training.scene import Scene
from training.script import Script, format_program
from training.tables import get_rows

AGENTS = ("coder", "coder", "coder", "coder", "coder", "file")
SIGNS = (("+", "plus"), ("-", "minus"), ("*", "times"), ("*", "multiplied by"), ("/", "divided by"))


def compute_expression(scene: Scene) -> Script:
    """A sum as it is spoken or written."""
    a, b, c = scene.draw_number(4), scene.draw_number(4), scene.draw_number(2)
    sign, spoken = scene.pick(*SIGNS)
    expression, spoken = scene.pick(
        (f"{a} {sign} {b}", f"{a} {spoken} {b}"),
        (f"{a} {sign} {b}", f"{a} {spoken} {b}"),
        (f"{a} {sign} {b}", f"{a}{sign}{b}"),
        (f"({a} + {b}) * {c}",) * 2,
        (f"{a} * {c} - {b}",) * 2,
        (f"{a} + {b} + {c}", f"{a} plus {b} plus {c}"),
        (f"{c} ** {c % 9 + 2}", f"{c} to the power of {c % 9 + 2}"),
        (f"{a} ** 2", f"the square of {a}"),
        (f"{a} ** 0.5", f"the square root of {a}"),
        (f"{b} * {c} / 100", f"{c}% of {b}"),
        (f"{b} * {c} / 100", f"{c} percent of {b}"),
        (f"{a} % {c}", f"the remainder of {a} divided by {c}"),
        (f"{a} / 2", f"half of {a}"),
        (f"{b} / 3", f"a third of {b}"),
        (f"{a}.5 * {c}", f"{a}.5 times {c}"),
        (f"{a} - {a} * {c} / 100", f"{a} minus {c} percent"),
        (f"({a} + {b}) / 2", f"the average of {a} and {b}"),
    )
    yield scene.ask("reckon", what=spoken)
    seen = yield format_program(f"print({expression})", scene.agent)
    yield f"The result is {seen.text}."


def solve_story(scene: Scene) -> Script:
    """A problem in words."""
    section, expression = scene.pick(*get_rows("stories"))
    a, b, c = scene.draw_number(3), scene.draw_number(2), scene.random.randint(2, 12)
    values = {
        "a": a,
        "b": b,
        "c": c,
        "p": scene.random.randint(2, 30),
        "q": scene.random.randint(2, 20),
        "pc": scene.pick(5, 10, 15, 20, 25, 30, 12, 7),
        "big": a * 40 + b,
    }
    things = {"who": scene.draw_word("first"), "thing": scene.draw_word(), "other": scene.draw_word()}
    yield scene.ask(section, **values, **things)
    seen = yield format_program(f"print({expression.format(**values)})", scene.agent)
    yield f"The answer is {seen.text}."


def convert_units(scene: Scene) -> Script:
    one, other, expression = scene.pick(*get_rows("units"))
    n = scene.draw_number(3)
    yield scene.ask("convert", n=n, one=one, other=other)
    seen = yield format_program(f"print(round({expression.format(n=n)}, 2))", scene.agent)
    yield f"{n} {one} are {seen.text} {other}."


def compute_numbers(scene: Scene) -> Script:
    section, code, answer = scene.pick(*get_rows("numbers"))
    slots = {
        "n": scene.random.randint(3, 40),
        "k": scene.draw_number(4),
        "m": scene.random.randint(6, 400),
        "bits": bin(scene.draw_number(3))[2:],
    }
    yield from _run_program(scene, section, code, answer, slots)


def compute_strings(scene: Scene) -> Script:
    section, code, answer = scene.pick(*get_rows("strings"))
    text = scene.pick(
        scene.draw_word(), scene.draw_word("first"), words.invent_word(scene.random), scene.draw_word("city")
    )
    if section == "words-in" or scene.draw_chance(0.12):
        text = words.draw_sentence(scene.random)
    letter = scene.random.choice([sign for sign in text.lower() if sign.isalpha()])
    yield from _run_program(
        scene,
        section,
        code,
        answer,
        {"w": repr(text), "w0": text, "c": letter, "n": scene.random.randint(2, 6)},
    )


def draw_chance(scene: Scene) -> Script:
    section, code, answer = scene.pick(*get_rows("drawn"))
    names = [scene.draw_word(scene.pick("first", "city", "color")) for _ in range(scene.random.randint(2, 6))]
    slots = {
        "n": scene.random.randint(6, 24),
        "k": scene.draw_number(3),
        "list": repr(names),
        "names": words.format_list(names),
    }
    yield from _run_program(scene, section, code, answer, slots)


def sort_list(scene: Scene) -> Script:
    """A list that the person types: in order, or its largest, its mean …"""
    many = scene.random.randint(3, 12)
    kind = scene.pick("number", "number", "first", "noun", "city")
    items: list[object] = [
        scene.draw_number(3) if kind == "number" else scene.draw_word(kind) for _ in range(many)
    ]
    text = scene.pick(", ", " ", ", ").join(map(str, items))
    back = scene.draw_chance(0.25)
    if kind != "number" or scene.draw_chance(0.5):
        yield scene.ask("sort-down" if back else "sort-up", text=text)
        yield format_program(f"print(sorted({items}{', reverse=True' if back else ''}))", scene.agent)
        yield f"Sorted: {', '.join(map(str, sorted(items, reverse=back)))}."  # type: ignore[type-var]
        return
    name, code = scene.pick(
        ("largest", "max({})"),
        ("smallest", "min({})"),
        ("sum", "sum({})"),
        ("average", "sum({0}) / len({0})"),
        ("mean", "sum({0}) / len({0})"),
        ("median", "statistics.median({})"),
        ("total", "sum({})"),
        ("difference between the largest and the smallest", "max({0}) - min({0})"),
    )
    yield scene.ask("of-list", what=name, text=text)
    first = "import statistics\n" if "statistics" in code else ""
    seen = yield format_program(f"{first}numbers = {items}\nprint({code.format('numbers')})", scene.agent)
    yield f"The {name} is {seen.text}."


def compute_dates(scene: Scene) -> Script:
    first = datetime.date.fromisoformat(words.draw_day(scene.random))
    last = first + datetime.timedelta(scene.random.randint(3, 700))
    n, section = (
        scene.draw_number(3),
        scene.pick("days-between", "weekday", "days-after", "days-before", "leap", "weeks-between"),
    )
    one, other = (f"date({day.year}, {day.month}, {day.day})" for day in (first, last))
    form = scene.pick("%Y-%m-%d", "%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y")
    a, b = first.strftime(form), last.strftime(form)
    code, answer = {
        "days-between": (f"print(({other} - {one}).days)", "There are {o} days between {a} and {b}."),
        "weeks-between": (
            f"print(({other} - {one}).days // 7)",
            "There are {o} full weeks between {a} and {b}.",
        ),
        "weekday": (f"print({one}.strftime('%A'))", "{a} is a {o}."),
        "days-after": (f"print({one} + timedelta(days={n}))", "{n} days after {a} is {o}."),
        "days-before": (f"print({one} - timedelta(days={n}))", "{n} days before {a} is {o}."),
        "leap": (f"print(calendar.isleap({first.year}))", "{yes}, {year} is {no}a leap year."),
    }[section]
    head = (
        "import calendar"
        if "calendar" in code
        else "from datetime import date" + (", timedelta" if "timedelta" in code else "")
    )
    yield from _run_program(
        scene, section, f"{head}\n{code}", answer, {"a": a, "b": b, "n": n, "year": first.year}
    )


def _run_program(scene: Scene, section: str, code: str, answer: str, slots: dict[str, object]) -> Script:
    """Ask, run a short program, word what it printed."""
    yield scene.ask(section, **slots)
    for name, value in slots.items():
        code = code.replace(f"{{{name}}}", str(value))
    seen = yield format_program(code, scene.agent)
    true = seen.text == "True"
    yield answer.format(**slots, o=seen.text, yes="Yes" if true else "No", no="" if true else "not ")

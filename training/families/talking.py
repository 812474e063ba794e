"""What is answered in words, whoever is at work.

Talk, facts, explanations, code that is shown and not run.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from training import hands, words
from training.families.looking import report_place
from training.scene import Scene, format_lines, quote_text
from training.script import Ask, Script, UserAnswer, format_bash, format_block, format_read

DATA = Path(__file__).parents[1] / "talk.txt"
WHO = ("casual", "casual", "casual", "file", "coder")
CAPITALS = {
    "France": "Paris",
    "Germany": "Berlin",
    "Spain": "Madrid",
    "Italy": "Rome",
    "Austria": "Vienna",
    "Portugal": "Lisbon",
    "Norway": "Oslo",
    "Ireland": "Dublin",
    "Greece": "Athens",
    "Japan": "Tokyo",
    "Egypt": "Cairo",
    "Peru": "Lima",
    "Canada": "Ottawa",
    "China": "Beijing",
    "India": "New Delhi",
    "Russia": "Moscow",
    "Brazil": "Brasilia",
    "Sweden": "Stockholm",
    "Finland": "Helsinki",
    "Denmark": "Copenhagen",
    "Poland": "Warsaw",
    "Hungary": "Budapest",
    "Belgium": "Brussels",
    "Switzerland": "Bern",
    "Turkey": "Ankara",
    "Cuba": "Havana",
    "Kenya": "Nairobi",
    "Australia": "Canberra",
    "Thailand": "Bangkok",
    "Argentina": "Buenos Aires",
    "Chile": "Santiago",
    "Mexico": "Mexico City",
    "Ukraine": "Kyiv",
    "Croatia": "Zagreb",
    "Romania": "Bucharest",
    "Bulgaria": "Sofia",
    "Iceland": "Reykjavik",
    "Scotland": "Edinburgh",
    "Morocco": "Rabat",
    "Vietnam": "Hanoi",
    "Israel": "Jerusalem",
    "Iran": "Tehran",
    "Iraq": "Baghdad",
}


@cache
def read_section(section: str) -> list[tuple[str, str]]:
    """Read a section of talk.txt: what is said, what is answered."""
    found: list[tuple[str, str]] = []
    here = ""
    for line in DATA.read_text("utf-8").splitlines():
        if line.startswith("== "):
            here = line[3:]
        elif here == section and " => " in line:
            said, _, answer = line.partition(" => ")
            found.append((said, answer.replace("\\n", "\n")))
    return found


def answer_talk(scene: Scene) -> Script:
    yield from _answer_section(scene, "talk")


def answer_facts(scene: Scene) -> Script:
    yield from _answer_section(scene, "facts")


def explain_topic(scene: Scene) -> Script:
    yield from _answer_section(scene, "explain")


def show_code(scene: Scene) -> Script:
    """Code that shall not run stands in a text block."""
    what, code = scene.random.choice(read_section("show"))
    yield scene.ask("show-code", scene.pick("coder", "coder", "coder", "file", "casual"), what=what)
    yield (
        f"{format_block('text', code)}\nThis is {what}."
        if not what.startswith("how")
        else format_block("text", code)
    )


def recall_fact(scene: Scene) -> Script:
    """What the person said of themselves a moment ago."""
    who = scene.pick(*WHO)
    kind, value = scene.pick(
        ("name", scene.draw_word("first")),
        ("city", scene.draw_word("city")),
        ("color", scene.draw_word("color")),
        ("cat", words.invent_word(scene.random).capitalize()),
        ("age", str(scene.random.randint(18, 80))),
    )
    yield scene.ask(f"tell-{kind}", who, value=value)
    yield {
        "name": f"Nice to meet you, {value}!",
        "city": f"{value} is a fine place.",
        "color": f"{value.capitalize()} is a fine color.",
        "cat": f"{value} is a nice name for a cat.",
        "age": "Thank you for telling me.",
    }[kind]
    if scene.draw_chance(0.3):
        yield from _answer_section(scene, "talk", who)
    yield scene.ask(f"recall-{kind}", who)
    yield {
        "name": f"Your name is {value}.",
        "city": f"You live in {value}.",
        "color": f"Your favorite color is {value}.",
        "cat": f"Your cat is called {value}.",
        "age": f"You are {value} years old.",
    }[kind]


def hand_over(scene: Scene) -> Script:
    """Who only talks has no tag for it: a block of another agent's brings that one in, who does the rest."""
    name, new = scene.make_file("text", inside=0), scene.draw_name(ending="txt")
    scene.add_other_files(3)
    section = scene.pick("list", "find", "delete", "rename", "count")
    yield scene.ask(section, "casual", name=name, names=name, old=name, new=new, kind="")
    scene.agent = "file"
    seen = yield format_block("read", ".")
    if section == "find":
        yield from report_place(scene, name)
        return
    there = [line.split("  ")[0] for line in seen.lines[1:]]
    if section == "list":
        yield f"Here {'is' if len(there) == 1 else 'are'}:{format_lines(there)}"
    elif section == "count":
        many = sum(not one.endswith("/") for one in there)
        yield f"There {'is' if many == 1 else 'are'} {many} file{'' if many == 1 else 's'} here."
    else:
        deletes = section == "delete"
        yield format_bash(f"rm {quote_text(name)}" if deletes else f"mv {quote_text(name)} {quote_text(new)}")
        yield f"I deleted {name}." if deletes else f"I renamed {name} to {new}."


def clarify_request(scene: Scene) -> Script:
    """Something that only the person knows is missing: ask, get it, do it."""
    name, new, folder = scene.make_file("text", inside=0), scene.draw_name(ending="txt"), scene.draw_folder()
    for _ in range(scene.random.randint(1, 3)):
        scene.make_file("text", inside=0)
    section, question, answer, reply, done = scene.pick(
        ("which-delete", "Which file shall I delete?", name, format_bash(f"rm {name}"), f"I deleted {name}."),
        ("which-read", "Which file shall I read?", name, format_read(name), ""),
        (
            "name-new",
            "What shall the file be called?",
            new,
            format_bash(f"touch {new}"),
            f"I made the empty file {new}.",
        ),
        (
            "name-rename",
            f"What shall the new name of {name} be?",
            new,
            format_bash(f"mv {name} {new}"),
            f"I renamed {name} to {new}.",
        ),
        (
            "name-copy",
            f"What shall the copy of {name} be called?",
            new,
            format_bash(f"cp {name} {new}"),
            f"I copied {name} to {new}.",
        ),
        (
            "where-move",
            f"To which folder shall I move {name}?",
            folder,
            format_bash(f"mkdir -p {folder} && mv {name} {folder}/"),
            f"I moved {name} to {folder}.",
        ),
        (
            "name-folder",
            "What shall the folder be called?",
            folder,
            format_bash(f"mkdir -p {folder}"),
            f"I made the folder {folder}.",
        ),
        (
            "what-add",
            f"What shall I add to {name}?",
            new,
            format_bash(f"echo {new} >> {name}"),
            f"I added the line to {name}.",
        ),
        ("which-run", "Which program shall I run?", name, format_read(name), ""),
        ("what-say", "What shall it say?", "", "", ""),
        ("who-to", "To whom, and what about?", "", "", ""),
    )
    yield scene.ask(section, name=name)
    if not answer or section == "which-run":
        answer = answer or "never mind"
        done = "All right." if answer == "never mind" else ""
        reply = ""
    yield f"REQUEST_CLARIFICATION\n{question}"
    yield UserAnswer(
        "never mind"
        if not reply
        else hands.fill_slots(hands.draw_wording(scene.random, "told"), {"it": answer})
    )
    if not reply:
        yield "All right."
        return
    seen = yield reply
    first = seen.lines[1].partition("|")[2] if len(seen.lines) > 1 else ""
    yield done or f"{name} begins with: {first}"


def _answer_section(scene: Scene, section: str, who: str = "") -> Script:
    said, answer = scene.random.choice(read_section(section))
    slots = dict(zip(("country", "capital"), scene.random.choice(list(CAPITALS.items())), strict=True))
    text = hands.resolve_choices(scene.random, said)
    if scene.draw_chance(0.5):
        text = text[:1].upper() + text[1:]
    if scene.draw_chance(0.2):
        text = re.sub(r"[?!.]$", "", text)
    if section != "talk" and scene.draw_chance(0.2):
        text = f"{hands.draw_wording(scene.random, 'opener')} {text}"
    answer = hands.resolve_choices(scene.random, answer) if section == "talk" else answer
    yield Ask(hands.fill_slots(text, slots), who or scene.pick(*WHO))
    yield hands.fill_slots(answer, slots) if "{" in answer and section == "facts" else answer

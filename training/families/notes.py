"""Facts in notes, asked for by what they mean and not by their words; and corrected when they change.

Where a request does not name the file, it is looked for first. Not covered: lists (everyday.py), plans.
"""

from __future__ import annotations

from dataclasses import dataclass

from training import hands, words
from training.families.everyday import place_file, read_table
from training.families.reading import read_file
from training.scene import Scene
from training.script import Script, allow_failure, format_bash, format_edit

LAYOUTS = ("{}: {}", "- {}: {}", "* {} - {}", "{} = {}", "{}\t{}", "{}, {}", "| {} | {} |", "")
"""How a label and a value stand in a note; nothing: as a sentence."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact of a note; its row says how it is written, answered, and what is not said without it."""

    kind: str
    row: list[str]
    line: str
    value: str

    def format_answer(self, value: str) -> str:
        return self.row[3].format(v=value)


def ask_about_note(scene: Scene) -> Script:
    """A fact out of a note, asked for by its meaning; what the note does not say is not invented."""
    name, found, facts = _make_note(scene)
    fact = scene.pick(*facts)
    missing = scene.draw_chance(0.1)
    if missing:
        text = (scene.root / name).read_text()
        scene.put_file(name, "\n".join(line for line in text.splitlines() if fact.row[0] not in line.lower()))
    question = hands.draw_wording(scene.random, f"ask-{fact.kind}")
    yield scene.ask(
        "note-in" if found == "named" else "note-ask", name=name, question=question, what=fact.row[4]
    )
    if found == "grep":
        yield format_bash("ls")
        seen = yield allow_failure(format_bash(f"grep -ri {fact.row[0]} ."))
    else:
        seen = yield from read_file(name, found == "ls")
    if fact.line in seen.text:
        yield fact.format_answer(fact.value)
    else:
        yield (
            f"The files here do not say {fact.row[4]}."
            if found == "grep"
            else f"{name} does not say {fact.row[4]}."
        )


def update_note(scene: Scene) -> Script:
    """Something has changed: its line in the note gets the new value."""
    name, found, facts = _make_note(scene)
    fact = scene.pick(*facts)
    new = draw_value(scene, fact.row[1])
    while new == fact.value:
        new = draw_value(scene, fact.row[1])
    news = hands.fill_slots(hands.draw_wording(scene.random, f"now-{fact.kind}"), {"v": new})
    yield scene.ask("note-now-in" if found == "named" else "note-now", name=name, news=news)
    if found == "grep":
        yield format_bash("ls")
        yield format_bash(f"grep -ri {fact.row[0]} .")
    else:
        yield from read_file(name, found == "ls")
    yield format_edit(name, fact.line, new.join(fact.line.rsplit(fact.value, 1)))
    yield f"I corrected {name}. {fact.format_answer(new)}"


def _make_note(scene: Scene) -> tuple[str, str, list[Fact]]:
    """Lay a note of some facts; its name, how it is found, the facts."""
    topic = dict(read_table("facts")[scene.pick(*read_table("facts"))])
    stems, layout = topic.pop("stems"), scene.pick(*LAYOUTS)
    kinds = scene.random.sample(sorted(topic), scene.random.randint(3, len(topic)))
    facts = [_draw_fact(scene, kind, topic[kind], layout) for kind in kinds]
    lines = [fact.line for fact in facts] + scene.draw_items(0, 2)
    if layout and scene.draw_chance(0.4):
        lines.insert(0, scene.pick("# ", "", "== ") + scene.pick(*stems).replace("_", " ").capitalize())
    name, hidden = place_file(scene, stems, "\n".join(lines))
    telling = name.partition(".")[0] in stems
    found = "ls" if hidden else "grep" if not telling and scene.draw_chance(0.5) else "named"
    return name, found, facts


def _draw_fact(scene: Scene, kind: str, row: list[str], layout: str) -> Fact:
    drawn = draw_value(scene, row[1])
    form = layout if scene.draw_chance(0.85) else scene.pick("", "{}: {}")
    label = scene.pick(*row[2].split("|"))
    label = label.capitalize() if scene.draw_chance(0.3) else label
    return Fact(kind, row, form.format(label, drawn) if form else row[3].format(v=drawn), drawn)


def draw_value(scene: Scene, kind: str) -> str:
    """Draw a value as people write it."""
    hour, day = scene.random.randint(6, 21), scene.random.randint(1, 28)
    time = f"{hour}{scene.pick(':', ':', ':', '.')}{scene.random.randrange(0, 60, 5):02}"
    date = scene.pick(
        words.draw_day(scene.random), f"{day} {scene.draw_word('month')}", f"{scene.draw_word('month')} {day}"
    )
    digits, number = scene.random.randint(1000, 9999), scene.draw_number(3)
    return {
        "time": time,
        "day": scene.pick(date, f"{scene.draw_word('weekday')}, {date}"),
        "weekday": scene.draw_word("weekday"),
        "daytime": f"{scene.pick(date, scene.draw_word('weekday'))}{scene.pick(' at ', ', ', ' ')}{time}",
        "price": scene.pick(f"{number} euros", f"€{number}", f"${number}", f"{number}.50", f"{number} EUR"),
        "phone": scene.pick(
            f"0{scene.random.randint(30, 999)}-{digits}", f"555-{digits}", f"+49 30 {digits}{day}"
        ),
        "person": f"{scene.draw_word('first')}{scene.pick('', '', ' ' + scene.draw_word('last'))}",
        "street": scene.pick(
            f"{scene.draw_word('last')} Street {day}", f"{day} {scene.draw_word('last')} Road"
        ),
        "spot": f"{scene.pick('under', 'behind', 'in', 'on')} the {scene.draw_word()}",
        "gift": f"a {scene.draw_word('adjective')} {scene.draw_word()}",
        "number": str(scene.random.randint(2, 60)),
        "room": f"{scene.pick('', 'A', 'B', 'C')}{number}",
        "code": f"{words.invent_word(scene.random)}{scene.draw_number(3)}",
    }[kind]

"""What files say: shown whole or in part, counted, searched, asked about.

What they do not say is not invented.
"""

from __future__ import annotations

from collections.abc import Generator

from training import words
from training.scene import Scene, format_lines, quote_text
from training.script import Line, ReplyResult, Script, allow_failure, format_bash, format_read
from training.tables import get_rows

SHOWN = 6
"""Lines that an answer repeats; of more it says how many there are."""
QUESTIONS = {
    "phone number of {who}": ("how can I call {who}", "what number does {who} have", "{who}'s phone number"),
    "birthday of {who}": ("when is {who}'s birthday", "when was {who} born"),
    "room of {who}": ("in which room does {who} sit", "where do I find {who}"),
    "price of the {thing}": ("how much is the {thing}", "what does the {thing} cost"),
    "color of the {thing}": ("which color has the {thing}", "what color is the {thing}"),
    "code of the {thing}": ("which code do I need for the {thing}", "what is the {thing} code"),
    "deadline of the {thing}": ("when is the {thing} due", "until when must the {thing} be done"),
    "owner of the {thing}": ("whose {thing} is it", "who owns the {thing}"),
    "place of the {thing}": ("where is the {thing}", "where did I put the {thing}"),
    "number of {thing}s": ("how many {thing}s do we have", "how many {thing}s are there"),
    "password of the {thing}": ("what is the {thing} password", "which password has the {thing}"),
    "city of {who}": ("where does {who} live", "in which city is {who}"),
}


def show_file(scene: Scene) -> Script:
    name = scene.make_file("text")
    scene.add_other_files(3)
    yield scene.ask("show", name=name)
    yield from show_content(name)


def show_content(name: str) -> Script:
    """Show a file and repeat it, if it is short."""
    seen = yield format_bash(f"cat {quote_text(name)}")
    many = len(seen.lines)
    if many <= SHOWN:
        yield f"{name} says:\n{seen.text}"
    else:
        yield f"{name} has {many} lines. It begins with: {seen.lines[0]}"


def read_file(
    name: str, hidden: bool = False, command: str = "cat"
) -> Generator[Line, ReplyResult, ReplyResult]:
    """Look into a file, after a look for it where it was not named."""
    if hidden:
        yield format_bash("ls")
    return (yield format_bash(f"{command} {quote_text(name)}"))


def show_lines(scene: Scene) -> Script:
    """The first, the last, one in the middle, some in the middle."""
    name = scene.put_file(scene.draw_name("text"), "\n".join(scene.draw_items(7, 12)))
    scene.add_other_files(2)
    first = scene.random.randint(2, 4)
    last = first + scene.random.randint(1, 2)
    section, command = scene.pick(
        ("head", f"head -n {last}"),
        ("tail", f"tail -n {last}"),
        ("line", f"sed -n '{first}p'"),
        ("between", f"sed -n '{first},{last}p'"),
        ("first-line", "head -n 1"),
        ("last-line", "tail -n 1"),
    )
    yield scene.ask(section, name=name, many=last, first=first, last=last)
    seen = yield format_bash(f"{command} {quote_text(name)}")
    what = {
        "head": f"The first {last} lines are",
        "tail": f"The last {last} lines are",
        "line": f"Line {first} is",
        "between": f"Lines {first} to {last} are",
        "first-line": "The first line is",
        "last-line": "The last line is",
    }[section]
    yield f"{what}: {seen.text}" if len(seen.lines) == 1 else f"{what}:\n{seen.text}"


def count_words(scene: Scene) -> Script:
    name = scene.make_file("text", scene.draw_note(14))
    what, flag = scene.pick(("lines", "l"), ("lines", "l"), ("words", "w"), ("characters", "m"))
    yield scene.ask("count-words", name=name, what=what)
    seen = yield format_bash(f"wc -{flag} < {quote_text(name)}")
    yield f"{name} has {seen.text.strip()} {what}."


def grep(scene: Scene) -> Script:
    """A word in one file; where it is not there, that is said."""
    text = scene.draw_items(3, 8)
    mark = scene.pick(
        scene.draw_word(),
        scene.draw_word("first"),
        scene.draw_word("city"),
        "error",
        "TODO",
        "urgent",
        "warning",
    )
    for _ in range(scene.random.choice((0, 1, 1, 1, 2, 2))):
        text.insert(
            scene.random.randint(0, len(text)), f"{scene.draw_word('verb')} {mark} {scene.draw_word()}"
        )
    name = scene.put_file(scene.draw_name("text"), "\n".join(text))
    yield scene.ask("grep", name=name, mark=mark)
    seen = yield allow_failure(format_bash(f"grep -in {quote_text(mark)} {quote_text(name)}"))
    if not seen.ok:
        yield f"{mark} does not stand in {name}."
    elif len(seen.lines) == 1:
        number, _, line = seen.text.partition(":")
        yield f"{mark} stands in line {number} of {name}: {line}"
    else:
        yield f"{mark} stands in {len(seen.lines)} lines of {name}:\n{seen.text}"


def grep_count(scene: Scene) -> Script:
    mark = scene.pick("error", "warning", scene.draw_word(), scene.draw_word("first"))
    text = [
        scene.pick(
            f"{scene.draw_number(2)}:{scene.draw_number(2)} {mark} {scene.draw_word()}",
            *scene.draw_items(2, 3),
        )
        for _ in range(8)
    ]
    name = scene.put_file(scene.draw_name("text"), "\n".join([*text, f"{mark} again"]))
    yield scene.ask("grep-count", name=name, mark=mark)
    seen = yield format_bash(f"grep -io {quote_text(mark)} {quote_text(name)} | wc -l")
    yield f"{mark} stands {seen.text} time{'s' if seen.text != '1' else ''} in {name}."


def grep_all(scene: Scene) -> Script:
    """Which files hold a word."""
    mark = scene.pick(
        scene.draw_word("first"), scene.draw_word("last"), scene.draw_word(), words.invent_word(scene.random)
    )
    scene.used.add(mark)
    for _ in range(scene.random.choice((0, 1, 1, 2, 3))):
        text = f"{scene.draw_note(2)}\n{scene.draw_word('verb')} the {mark} {scene.draw_word()}"
        scene.put_file(
            (f"{scene.draw_folder()}/" if scene.draw_chance(0.3) else "") + scene.draw_name("text"), text
        )
    scene.add_other_files(3)
    yield scene.ask("grep-all", mark=mark)
    seen = yield allow_failure(format_bash(f"grep -ril {quote_text(mark)} ."))
    found = [line.removeprefix("./") for line in seen.lines]
    if not seen.ok:
        yield f"No file here holds {mark}."
    elif len(found) == 1:
        yield f"{mark} stands in {found[0]}."
    else:
        yield f"{mark} stands in {len(found)} files:{format_lines(found)}"


def find_fact(scene: Scene) -> Script:
    """A fact out of a file that is named; sometimes it is not there."""
    what, line, question = _draw_fact(scene)
    there = scene.draw_chance(0.8)
    text = [*scene.draw_items(1, 5), *([line] if there else [])]
    scene.random.shuffle(text)
    name = scene.put_file(scene.draw_name("text"), "\n".join(text))
    scene.add_other_files(2)
    yield scene.ask("fact", name=name, what=what, question=question)
    yield format_read(name)
    yield f"{name} says: {line}" if there else f"{name} does not say anything about the {what}."


def search_fact(scene: Scene) -> Script:
    """A fact whose file is not named: it is searched by its rarest word."""
    what, line, question = _draw_fact(scene)
    there = scene.draw_chance(0.8)
    scene.add_other_files(3)
    if there:
        scene.put_file(
            scene.draw_name("text"), "\n".join([*scene.draw_items(0, 3), line, *scene.draw_items(0, 3)])
        )
    mark = what.split()[-1].removesuffix("s") if what.startswith("number") else what.split()[-1]
    yield scene.ask("fact-anywhere", what=what, question=question)
    seen = yield allow_failure(format_bash(f"grep -rin {quote_text(mark)} ."))
    if not seen.ok:
        yield f"I found nothing about the {what} in the files here."
        return
    hit = next((one for one in seen.lines if one.endswith(line)), "")
    if there and hit:
        yield f"{hit.removeprefix('./').split(':')[0]} says: {line}"
    else:
        yield f"I found nothing about the {what} in the files here."


def compare_files(scene: Scene) -> Script:
    """Are two files equal?"""
    one, other = scene.draw_name("text"), scene.draw_name("text")
    text = scene.draw_items(2, 4)
    scene.put_file(one, "\n".join(text))
    differ = scene.draw_chance(0.6)
    scene.put_file(other, "\n".join([*text[:-1], scene.draw_word()] if differ else text))
    yield scene.ask("same", one=one, other=other)
    seen = yield allow_failure(format_bash(f"diff {quote_text(one)} {quote_text(other)}"))
    if seen.ok:
        yield f"Yes, {one} and {other} are the same."
    else:
        yield f"No, {one} and {other} differ:\n{seen.text}"


def _draw_fact(scene: Scene) -> tuple[str, str, str]:
    """Give what is asked for, the line that holds it, and a question."""
    what, line, kind = scene.random.choice(get_rows("notes"))
    slots = {"who": scene.draw_word("first"), "thing": scene.draw_word(), "value": _draw_value(scene, kind)}
    question = scene.random.choice(QUESTIONS[what]).format(**slots)
    return what.format(**slots), line.format(**slots), question


def _draw_value(scene: Scene, kind: str) -> str:
    values = {
        "phone": f"{scene.random.randint(100, 999)}-{scene.random.randint(1000, 9999)}",
        "day": words.draw_day(scene.random),
        "room": f"{scene.pick('', 'A', 'B', 'C')}{scene.draw_number(3)}",
        "price": f"{scene.draw_number(3)}.{scene.random.randint(10, 99)}",
        "color": scene.draw_word("color"),
        "code": f"{words.invent_word(scene.random)}{scene.draw_number(3)}",
        "person": scene.draw_word("first"),
        "place": scene.draw_word(),
        "number": str(scene.draw_number(3)),
        "city": scene.draw_word("city"),
    }
    return values[kind]

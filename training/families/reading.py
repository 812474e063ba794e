"""What files say: shown whole or in part, counted, searched, asked about.

What they do not say is not invented.
"""

from __future__ import annotations

from collections.abc import Generator

from training import words
from training.scene import Scene, quoted, stacked
from training.script import Line, Script, Seen, bash, either, read
from training.tables import rows

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


def show(scene: Scene) -> Script:
    name = scene.file("text")
    scene.litter(3)
    yield scene.ask("show", name=name)
    yield from shown(name)


def shown(name: str) -> Script:
    """Show a file and repeat it, if it is short."""
    seen = yield bash(f"cat {quoted(name)}")
    many = len(seen.lines)
    if many <= SHOWN:
        yield f"{name} says:\n{seen.text}"
    else:
        yield f"{name} has {many} lines. It begins with: {seen.lines[0]}"


def look(name: str, hidden: bool = False, command: str = "cat") -> Generator[Line, Seen, Seen]:
    """Look into a file, after a look for it where it was not named."""
    if hidden:
        yield bash("ls")
    return (yield bash(f"{command} {quoted(name)}"))


def lines(scene: Scene) -> Script:
    """The first, the last, one in the middle, some in the middle."""
    name = scene.put(scene.fresh("text"), "\n".join(scene.items(7, 12)))
    scene.litter(2)
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
    seen = yield bash(f"{command} {quoted(name)}")
    what = {
        "head": f"The first {last} lines are",
        "tail": f"The last {last} lines are",
        "line": f"Line {first} is",
        "between": f"Lines {first} to {last} are",
        "first-line": "The first line is",
        "last-line": "The last line is",
    }[section]
    yield f"{what}: {seen.text}" if len(seen.lines) == 1 else f"{what}:\n{seen.text}"


def count_in(scene: Scene) -> Script:
    name = scene.file("text", scene.note(14))
    what, flag = scene.pick(("lines", "l"), ("lines", "l"), ("words", "w"), ("characters", "m"))
    yield scene.ask("count-words", name=name, what=what)
    seen = yield bash(f"wc -{flag} < {quoted(name)}")
    yield f"{name} has {seen.text.strip()} {what}."


def grep(scene: Scene) -> Script:
    """A word in one file; where it is not there, that is said."""
    text = scene.items(3, 8)
    mark = scene.pick(
        scene.word(), scene.word("first"), scene.word("city"), "error", "TODO", "urgent", "warning"
    )
    for _ in range(scene.random.choice((0, 1, 1, 1, 2, 2))):
        text.insert(scene.random.randint(0, len(text)), f"{scene.word('verb')} {mark} {scene.word()}")
    name = scene.put(scene.fresh("text"), "\n".join(text))
    yield scene.ask("grep", name=name, mark=mark)
    seen = yield either(bash(f"grep -in {quoted(mark)} {quoted(name)}"))
    if not seen.ok:
        yield f"{mark} does not stand in {name}."
    elif len(seen.lines) == 1:
        number, _, line = seen.text.partition(":")
        yield f"{mark} stands in line {number} of {name}: {line}"
    else:
        yield f"{mark} stands in {len(seen.lines)} lines of {name}:\n{seen.text}"


def grep_count(scene: Scene) -> Script:
    mark = scene.pick("error", "warning", scene.word(), scene.word("first"))
    text = [
        scene.pick(f"{scene.number(2)}:{scene.number(2)} {mark} {scene.word()}", *scene.items(2, 3))
        for _ in range(8)
    ]
    name = scene.put(scene.fresh("text"), "\n".join([*text, f"{mark} again"]))
    yield scene.ask("grep-count", name=name, mark=mark)
    seen = yield bash(f"grep -io {quoted(mark)} {quoted(name)} | wc -l")
    yield f"{mark} stands {seen.text} time{'s' if seen.text != '1' else ''} in {name}."


def grep_all(scene: Scene) -> Script:
    """Which files hold a word."""
    mark = scene.pick(scene.word("first"), scene.word("last"), scene.word(), words.made_up(scene.random))
    scene.used.add(mark)
    for _ in range(scene.random.choice((0, 1, 1, 2, 3))):
        text = f"{scene.note(2)}\n{scene.word('verb')} the {mark} {scene.word()}"
        scene.put((f"{scene.folder()}/" if scene.chance(0.3) else "") + scene.fresh("text"), text)
    scene.litter(3)
    yield scene.ask("grep-all", mark=mark)
    seen = yield either(bash(f"grep -ril {quoted(mark)} ."))
    found = [line.removeprefix("./") for line in seen.lines]
    if not seen.ok:
        yield f"No file here holds {mark}."
    elif len(found) == 1:
        yield f"{mark} stands in {found[0]}."
    else:
        yield f"{mark} stands in {len(found)} files:{stacked(found)}"


def fact(scene: Scene) -> Script:
    """A fact out of a file that is named; sometimes it is not there."""
    what, line, question = _fact(scene)
    there = scene.chance(0.8)
    text = [*scene.items(1, 5), *([line] if there else [])]
    scene.random.shuffle(text)
    name = scene.put(scene.fresh("text"), "\n".join(text))
    scene.litter(2)
    yield scene.ask("fact", name=name, what=what, question=question)
    yield read(name)
    yield f"{name} says: {line}" if there else f"{name} does not say anything about the {what}."


def fact_anywhere(scene: Scene) -> Script:
    """A fact whose file is not named: it is searched by its rarest word."""
    what, line, question = _fact(scene)
    there = scene.chance(0.8)
    scene.litter(3)
    if there:
        scene.put(scene.fresh("text"), "\n".join([*scene.items(0, 3), line, *scene.items(0, 3)]))
    mark = what.split()[-1].removesuffix("s") if what.startswith("number") else what.split()[-1]
    yield scene.ask("fact-anywhere", what=what, question=question)
    seen = yield either(bash(f"grep -rin {quoted(mark)} ."))
    if not seen.ok:
        yield f"I found nothing about the {what} in the files here."
        return
    hit = next((one for one in seen.lines if one.endswith(line)), "")
    if there and hit:
        yield f"{hit.removeprefix('./').split(':')[0]} says: {line}"
    else:
        yield f"I found nothing about the {what} in the files here."


def same(scene: Scene) -> Script:
    """Are two files equal?"""
    one, other = scene.fresh("text"), scene.fresh("text")
    text = scene.items(2, 4)
    scene.put(one, "\n".join(text))
    differ = scene.chance(0.6)
    scene.put(other, "\n".join([*text[:-1], scene.word()] if differ else text))
    yield scene.ask("same", one=one, other=other)
    seen = yield either(bash(f"diff {quoted(one)} {quoted(other)}"))
    if seen.ok:
        yield f"Yes, {one} and {other} are the same."
    else:
        yield f"No, {one} and {other} differ:\n{seen.text}"


def _fact(scene: Scene) -> tuple[str, str, str]:
    """Give what is asked for, the line that holds it, and a question."""
    what, line, kind = scene.random.choice(rows("notes"))
    slots = {"who": scene.word("first"), "thing": scene.word(), "value": _value(scene, kind)}
    question = scene.random.choice(QUESTIONS[what]).format(**slots)
    return what.format(**slots), line.format(**slots), question


def _value(scene: Scene, kind: str) -> str:
    values = {
        "phone": f"{scene.random.randint(100, 999)}-{scene.random.randint(1000, 9999)}",
        "day": words.day(scene.random),
        "room": f"{scene.pick('', 'A', 'B', 'C')}{scene.number(3)}",
        "price": f"{scene.number(3)}.{scene.random.randint(10, 99)}",
        "color": scene.word("color"),
        "code": f"{words.made_up(scene.random)}{scene.number(3)}",
        "person": scene.word("first"),
        "place": scene.word(),
        "number": str(scene.number(3)),
        "city": scene.word("city"),
    }
    return values[kind]

"""Lists that hold meaning: things put on, ticked, struck out, counted, asked about, replaced.

Where a request does not name the file, it is looked for first. Not covered: facts (notes.py), plans.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from training import hands, words
from training.families.reading import look
from training.scene import Scene, quoted
from training.script import Ask, Script, bash, edit, either

FILE = Path(__file__).parents[1] / "everyday.toml"
MARKS = ("- ", "- ", "* ", "", "- [ ] ", "- [ ] ")
COUNTS = {
    "- ": "grep -c '^- ' {}",
    "* ": "grep -c '^\\* ' {}",
    "": "wc -l < {}",
    "- [ ] ": "grep -c '^- \\[ \\]' {}",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A list: its entries and whether they are done, and how people call it."""

    kind: str
    name: str
    mark: str
    done: dict[str, bool]
    hidden: bool
    said: str
    told: dict[str, str]

    @property
    def left(self) -> list[str]:
        return [item for item, done in self.done.items() if not done]

    def line(self, item: str) -> str:
        return (self.mark.replace(" ]", "x]") if self.done[item] else self.mark) + item


@cache
def table(name: str) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(FILE.read_text("utf-8"))[name]
    return found


def lay(
    scene: Scene, stems: list[str], text: str, *, endings: tuple[str, ...] = ("txt", "md")
) -> tuple[str, bool]:
    """Put a file down beside others; its name, and whether a request may leave it unnamed."""
    scene.litter(3)
    alone = not any(stem in path.name.lower() for path in scene.root.rglob("*") for stem in stems)
    ending = scene.pick(*endings)
    telling = alone and scene.chance(0.8)
    name = f"{scene.pick(*stems)}.{ending}" if telling else scene.fresh(ending=ending)
    scene.used.add(name)
    return scene.put(name, text), telling and scene.chance(0.55)


def put_on(scene: Scene) -> Script:
    """One thing or more onto a list, in the list's own form; what stands there already is not put twice."""
    mine = _list(scene)
    if scene.chance(0.12):
        item = scene.pick(*mine.left)
        yield _asked(scene, "put", mine, item)
        yield from look(mine.name, mine.hidden)
        yield f"{_called(mine, item)} is already on {mine.name}."
        return
    new = [item for item in _items(scene, mine.kind, scene.pick(1, 1, 1, 2, 3)) if item not in mine.done]
    new = new or [scene.fresh().partition(".")[0]]
    yield _asked(scene, "put", mine, words.listed(new))
    yield from look(mine.name, mine.hidden)
    yield from _added(mine, new)


def and_more(scene: Scene) -> Script:
    """One thing, then another without a word about the list; then what is on it by now."""
    mine = _list(scene)
    new = [item for item in _items(scene, mine.kind, 5) if item not in mine.done] or [scene.folder()]
    yield _asked(scene, "put", mine, new[0])
    yield from look(mine.name, mine.hidden)
    yield from _added(mine, new[:1])
    for item in new[1 : scene.pick(2, 2, 3)]:
        yield scene.ask("list-too", item=item)
        yield from _added(mine, [item])
    if scene.chance(0.4):
        yield scene.ask("list-whole")
        seen = yield from look(mine.name)
        yield f"{mine.name} says:\n{seen.text}"


def _added(mine: Listed, new: list[str]) -> Script:
    lines = "\n".join(mine.mark + item for item in new)
    yield bash(f"cat >> {quoted(mine.name)} <<'END'\n{lines}\nEND")
    yield f"I put {words.listed([_called(mine, item) for item in new])} on {mine.name}."


def done_with(scene: Scene) -> Script:
    """What is done is ticked where there are boxes; else its line goes, and so does what nobody wants."""
    mine = _list(scene)
    item = scene.pick(*mine.left)
    drop = scene.chance(0.35)
    yield _asked(scene, "drop" if drop else "done", mine, _bare(item))
    yield from look(mine.name, mine.hidden)
    line = mine.line(item)
    if drop or "[" not in mine.mark:
        pattern = line.replace("[ ]", "\\[ \\]").replace("* ", "\\* ")
        yield bash(f"sed -i {quoted(f'/^{pattern}$/d')} {quoted(mine.name)}")
        yield f"I took {_called(mine, item)} off {mine.name}."
    else:
        yield edit(mine.name, line, line.replace("[ ]", "[x]"))
        yield f"I ticked {_called(mine, item)} on {mine.name}."


def what_left(scene: Scene) -> Script:
    """What is still open, or how much."""
    mine = _list(scene)
    count = scene.chance(0.45)
    yield _asked(scene, "many" if count else "left", mine, "")
    yield from look(mine.name, mine.hidden)
    if not count:
        yield f"Still on {mine.name}: {words.listed(mine.left)}."
        return
    seen = yield bash(COUNTS[mine.mark].format(quoted(mine.name)))
    many = "thing is" if seen.text.strip() == "1" else "things are"
    yield f"{seen.text.strip()} {many} still open on {mine.name}."


def is_on(scene: Scene) -> Script:
    """Is a thing on the list, and is it done?"""
    mine = _list(scene)
    item = scene.pick(*mine.done) if scene.chance(0.65) else next(iter(_items(scene, mine.kind, 1)))
    yield _asked(scene, "has", mine, _bare(item))
    if mine.hidden:
        yield bash("ls")
    seen = yield either(bash(f"grep -i {quoted(_bare(item))} {quoted(mine.name)}"))
    if not seen.ok:
        yield f"No, {_called(mine, item)} is not on {mine.name}."
    elif item in mine.done:
        yield f"Yes, {mine.name} has {_called(mine, item)}{', and it is ticked' if mine.done[item] else ''}."
    else:
        yield f"{mine.name} has: {seen.text}"


def instead(scene: Scene) -> Script:
    """One entry becomes another."""
    mine = _list(scene, "shopping", "packing")
    old = scene.pick(*mine.left)
    new = scene.pick(
        scene.word(),
        f"{scene.word('adjective')} {old.split()[-1]}",
        f"{scene.random.randint(2, 9)} {old.split()[-1]}",
    )
    yield scene.ask("list-instead", list=mine.said, old=old, new=new)
    yield from look(mine.name, mine.hidden)
    yield edit(mine.name, mine.line(old), mine.mark + new)
    yield f"{mine.name} has {new} instead of {old} now."


def _list(scene: Scene, *kinds: str) -> Listed:
    kind = scene.pick(*(kinds or table("lists")))
    row, mark = table("lists")[kind], scene.pick(*MARKS)
    told = _items(scene, kind, scene.random.randint(2, 7))
    done = {item: "[" in mark and scene.chance(0.3) for item in told}
    done[scene.pick(*done)] = False
    head = [scene.pick(*row["heads"])] if mark and scene.chance(0.5) else []
    lines = [(mark.replace(" ]", "x]") if done[item] else mark) + item for item in done]
    name, hidden = lay(scene, row["stems"], "\n".join(head + lines))
    said = scene.pick(*row["said"]) if hidden else scene.pick(name, name, f"the list {name}")
    return Listed(kind, name, mark, done, hidden, said, told)


def _items(scene: Scene, kind: str, many: int) -> dict[str, str]:
    """Give entries of a list, each with how one says that it is done."""
    found: dict[str, str] = {}
    while len(found) < many:
        slots = {"who": scene.word("first"), "thing": scene.word()}
        slots |= {name: scene.pick(*text.split()) for name, text in table("drawn").items()}
        if kind == "todo":
            task, news = scene.pick(*table("tasks").items())
            found[task.format(**slots)] = hands.filled(hands.chosen(scene.random, news), slots)
            continue
        item = scene.pick(*table("lists")[kind]["items"].split()) if scene.chance(0.7) else slots["thing"]
        if not any(item in one for one in found):
            found[
                f"{scene.random.randint(2, 12)} {item}" if item.endswith("s") and scene.chance(0.3) else item
            ] = ""
    return found


def _asked(scene: Scene, what: str, mine: Listed, item: str) -> Ask:
    """Word a request in the words of the list's kind; it names the list where nothing else would tell."""
    section = f"list-{what}" if what in ("drop", "has") else f"{what}-{mine.kind}"
    while True:
        asked = scene.ask(section, item=item, list=mine.said, news=mine.told.get(item, ""))
        if mine.hidden or mine.name in asked.text:
            return asked


def _bare(item: str) -> str:
    """Leave out how many: people say eggs where the list says 6 eggs."""
    return item.split(maxsplit=1)[-1] if item[:1].isdigit() else item


def _called(mine: Listed, item: str) -> str:
    """Say an entry in an answer: tasks are quoted."""
    return f'"{item}"' if mine.kind == "todo" else item

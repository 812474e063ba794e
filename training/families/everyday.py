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
from training.families.reading import read_file
from training.scene import Scene, quote_text
from training.script import Ask, Script, allow_failure, format_bash, format_edit

FILE = Path(__file__).parents[1] / "everyday.toml"
MARKS = ("- ", "- ", "* ", "", "- [ ] ", "- [ ] ")
COUNTS = {
    "- ": "grep -c '^- ' {}",
    "* ": "grep -c '^\\* ' {}",
    "": "wc -l < {}",
    "- [ ] ": "grep -c '^- \\[ \\]' {}",
}


@dataclass(frozen=True, slots=True)
class ListFile:
    """A list: its entries and whether they are done, and how people call it."""

    kind: str
    name: str
    mark: str
    done: dict[str, bool]
    hidden: bool
    said: str
    told: dict[str, str]

    @property
    def open_items(self) -> list[str]:
        return [item for item, done in self.done.items() if not done]

    def format_line(self, item: str) -> str:
        return (self.mark.replace(" ]", "x]") if self.done[item] else self.mark) + item


@cache
def read_table(name: str) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(FILE.read_text("utf-8"))[name]
    return found


def place_file(
    scene: Scene, stems: list[str], text: str, *, endings: tuple[str, ...] = ("txt", "md")
) -> tuple[str, bool]:
    """Put a file down beside others; its name, and whether a request may leave it unnamed."""
    scene.add_other_files(3)
    alone = not any(stem in path.name.lower() for path in scene.root.rglob("*") for stem in stems)
    ending = scene.pick(*endings)
    telling = alone and scene.draw_chance(0.8)
    name = f"{scene.pick(*stems)}.{ending}" if telling else scene.draw_name(ending=ending)
    scene.used.add(name)
    return scene.put_file(name, text), telling and scene.draw_chance(0.55)


def add_items(scene: Scene) -> Script:
    """One thing or more onto a list, in the list's own form; what stands there already is not put twice."""
    mine = _make_list(scene)
    if scene.draw_chance(0.12):
        item = scene.pick(*mine.open_items)
        yield _ask_about_list(scene, "put", mine, item)
        yield from read_file(mine.name, mine.hidden)
        yield f"{_format_item(mine, item)} is already on {mine.name}."
        return
    new = [item for item in _draw_items(scene, mine.kind, scene.pick(1, 1, 1, 2, 3)) if item not in mine.done]
    new = new or [scene.draw_name().partition(".")[0]]
    yield _ask_about_list(scene, "put", mine, words.format_list(new))
    yield from read_file(mine.name, mine.hidden)
    yield from _append_items(mine, new)


def add_more_items(scene: Scene) -> Script:
    """One thing, then another without a word about the list; then what is on it by now."""
    mine = _make_list(scene)
    new = [item for item in _draw_items(scene, mine.kind, 5) if item not in mine.done] or [
        scene.draw_folder()
    ]
    yield _ask_about_list(scene, "put", mine, new[0])
    yield from read_file(mine.name, mine.hidden)
    yield from _append_items(mine, new[:1])
    for item in new[1 : scene.pick(2, 2, 3)]:
        yield scene.ask("list-too", item=item)
        yield from _append_items(mine, [item])
    if scene.draw_chance(0.4):
        yield scene.ask("list-whole")
        seen = yield from read_file(mine.name)
        yield f"{mine.name} says:\n{seen.text}"


def _append_items(mine: ListFile, new: list[str]) -> Script:
    lines = "\n".join(mine.mark + item for item in new)
    yield format_bash(f"cat >> {quote_text(mine.name)} <<'END'\n{lines}\nEND")
    yield f"I put {words.format_list([_format_item(mine, item) for item in new])} on {mine.name}."


def finish_item(scene: Scene) -> Script:
    """What is done is ticked where there are boxes; else its line goes, and so does what nobody wants."""
    mine = _make_list(scene)
    item = scene.pick(*mine.open_items)
    drop = scene.draw_chance(0.35)
    yield _ask_about_list(scene, "drop" if drop else "done", mine, _strip_count(item))
    yield from read_file(mine.name, mine.hidden)
    line = mine.format_line(item)
    if drop or "[" not in mine.mark:
        pattern = line.replace("[ ]", "\\[ \\]").replace("* ", "\\* ")
        yield format_bash(f"sed -i {quote_text(f'/^{pattern}$/d')} {quote_text(mine.name)}")
        yield f"I took {_format_item(mine, item)} off {mine.name}."
    else:
        yield format_edit(mine.name, line, line.replace("[ ]", "[x]"))
        yield f"I ticked {_format_item(mine, item)} on {mine.name}."


def list_open_items(scene: Scene) -> Script:
    """What is still open, or how much."""
    mine = _make_list(scene)
    count = scene.draw_chance(0.45)
    yield _ask_about_list(scene, "many" if count else "left", mine, "")
    yield from read_file(mine.name, mine.hidden)
    if not count:
        yield f"Still on {mine.name}: {words.format_list(mine.open_items)}."
        return
    seen = yield format_bash(COUNTS[mine.mark].format(quote_text(mine.name)))
    many = "thing is" if seen.text.strip() == "1" else "things are"
    yield f"{seen.text.strip()} {many} still open on {mine.name}."


def check_item(scene: Scene) -> Script:
    """Is a thing on the list, and is it done?"""
    mine = _make_list(scene)
    item = scene.pick(*mine.done) if scene.draw_chance(0.65) else next(iter(_draw_items(scene, mine.kind, 1)))
    yield _ask_about_list(scene, "has", mine, _strip_count(item))
    if mine.hidden:
        yield format_bash("ls")
    seen = yield allow_failure(
        format_bash(f"grep -i {quote_text(_strip_count(item))} {quote_text(mine.name)}")
    )
    if not seen.ok:
        yield f"No, {_format_item(mine, item)} is not on {mine.name}."
    elif item in mine.done:
        yield (
            f"Yes, {mine.name} has {_format_item(mine, item)}"
            f"{', and it is ticked' if mine.done[item] else ''}."
        )
    else:
        yield f"{mine.name} has: {seen.text}"


def replace_item(scene: Scene) -> Script:
    """One entry becomes another."""
    mine = _make_list(scene, "shopping", "packing")
    old = scene.pick(*mine.open_items)
    new = scene.pick(
        scene.draw_word(),
        f"{scene.draw_word('adjective')} {old.split()[-1]}",
        f"{scene.random.randint(2, 9)} {old.split()[-1]}",
    )
    yield scene.ask("list-instead", list=mine.said, old=old, new=new)
    yield from read_file(mine.name, mine.hidden)
    yield format_edit(mine.name, mine.format_line(old), mine.mark + new)
    yield f"{mine.name} has {new} instead of {old} now."


def _make_list(scene: Scene, *kinds: str) -> ListFile:
    kind = scene.pick(*(kinds or read_table("lists")))
    row, mark = read_table("lists")[kind], scene.pick(*MARKS)
    told = _draw_items(scene, kind, scene.random.randint(2, 7))
    done = {item: "[" in mark and scene.draw_chance(0.3) for item in told}
    done[scene.pick(*done)] = False
    head = [scene.pick(*row["heads"])] if mark and scene.draw_chance(0.5) else []
    lines = [(mark.replace(" ]", "x]") if done[item] else mark) + item for item in done]
    name, hidden = place_file(scene, row["stems"], "\n".join(head + lines))
    said = scene.pick(*row["said"]) if hidden else scene.pick(name, name, f"the list {name}")
    return ListFile(kind, name, mark, done, hidden, said, told)


def _draw_items(scene: Scene, kind: str, many: int) -> dict[str, str]:
    """Give entries of a list, each with how one says that it is done."""
    found: dict[str, str] = {}
    while len(found) < many:
        slots = {"who": scene.draw_word("first"), "thing": scene.draw_word()}
        slots |= {name: scene.pick(*text.split()) for name, text in read_table("drawn").items()}
        if kind == "todo":
            task, news = scene.pick(*read_table("tasks").items())
            found[task.format(**slots)] = hands.fill_slots(hands.resolve_choices(scene.random, news), slots)
            continue
        item = (
            scene.pick(*read_table("lists")[kind]["items"].split())
            if scene.draw_chance(0.7)
            else slots["thing"]
        )
        if not any(item in one for one in found):
            found[
                f"{scene.random.randint(2, 12)} {item}"
                if item.endswith("s") and scene.draw_chance(0.3)
                else item
            ] = ""
    return found


def _ask_about_list(scene: Scene, what: str, mine: ListFile, item: str) -> Ask:
    """Word a request in the words of the list's kind; it names the list where nothing else would tell."""
    section = f"list-{what}" if what in ("drop", "has") else f"{what}-{mine.kind}"
    while True:
        asked = scene.ask(section, item=item, list=mine.said, news=mine.told.get(item, ""))
        if mine.hidden or mine.name in asked.text:
            return asked


def _strip_count(item: str) -> str:
    """Leave out how many: people say eggs where the list says 6 eggs."""
    return item.split(maxsplit=1)[-1] if item[:1].isdigit() else item


def _format_item(mine: ListFile, item: str) -> str:
    """Say an entry in an answer: tasks are quoted."""
    return f'"{item}"' if mine.kind == "todo" else item

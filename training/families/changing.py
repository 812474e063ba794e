"""Parts of files that change: words, values of settings, boxes to tick, lines that go.

The rest stays as it is.
"""

from __future__ import annotations

import json
import re

from training import words
from training.scene import Scene, quote_text
from training.script import Reply, Script, format_bash, format_edit, mark_mistake

KEYS = (
    "port",
    "host",
    "color",
    "speed",
    "timeout",
    "user",
    "language",
    "size",
    "level",
    "city",
    "theme",
    "width",
    "height",
    "debug",
    "mode",
    "path",
    "name",
    "version",
    "retries",
    "limit",
    "title",
    "author",
    "currency",
    "volume",
)
WORDY = {
    "host": "place",
    "color": "color",
    "user": "first",
    "city": "city",
    "name": "first",
    "author": "last",
}
CHOICES = {
    "language": ("en", "de", "fr", "es", "it", "pt", "nl"),
    "theme": ("dark", "light", "plain", "blue"),
    "debug": ("true", "false"),
    "mode": ("fast", "slow", "safe", "test", "production"),
    "currency": ("EUR", "USD", "GBP", "CHF", "JPY"),
}
FORMS = {
    "ini": ("{} = {}", "{}={}"),
    "cfg": ("{} = {}", "{}: {}"),
    "conf": ("{} {}", "{} = {}"),
    "env": ("{}={}",),
    "yaml": ("{}: {}",),
    "txt": ("{}: {}", "{} = {}"),
    "properties": ("{}={}",),
    "toml": ("{} = {}",),
}
SPECIAL = re.compile(r"[^\w %:=,@-]")


def replace_word(scene: Scene) -> Script:
    """A word for another, everywhere in a file."""
    kind = scene.pick("noun", "first", "city", "color", "weekday")
    old, new = scene.draw_word(kind), scene.draw_word(kind)
    while new == old:
        new = scene.draw_word(kind)
    text = [f"{scene.draw_word('verb')} the {old}", *scene.draw_items(1, 3), f"{old} {scene.draw_word()}"]
    scene.random.shuffle(text)
    name = scene.put_file(
        scene.draw_name("text"), "\n".join([*text[: scene.random.randint(2, len(text))], f"{old} is here"])
    )
    scene.add_other_files(2)
    yield scene.ask("swap", name=name, old=old, new=new)
    yield format_bash(f"sed -i 's/{old}/{new}/g' {quote_text(name)}")
    yield f"I replaced {old} with {new} in {name}."


def change_setting(scene: Scene) -> Script:
    """A setting gets another value: look, then change its line alone."""
    name, lines, key, old = _make_settings(scene)
    new = _draw_value(scene, key)
    while new == old:
        new = _draw_value(scene, key)
    scene.add_other_files(2)
    yield scene.ask(
        "setting-old" if scene.draw_chance(0.25) else "setting", name=name, key=key, old=old, new=new
    )
    line = next(line for line in lines if line.split()[0].startswith(key) or line.startswith(key))
    yield from change_line(scene, name, line, line.removesuffix(old) + new)
    yield f"{key} in {name} is now {new}."


def change_line(scene: Scene, name: str, old: str, new: str) -> Script:
    """Look at a file and change one line; now and then a wrong line is tried first."""
    yield format_bash(f"cat {quote_text(name)}")
    if scene.draw_chance(0.08):
        yield mark_mistake(format_edit(name, old + scene.pick(" ", "s", ";", "1"), new))
    yield format_edit(name, old, new)


def change_json_setting(scene: Scene) -> Script:
    keys = scene.random.sample(KEYS, scene.random.randint(2, 5))
    drawn = {key: _draw_value(scene, key) for key in keys}
    values = {key: int(value) if value.isdecimal() else value for key, value in drawn.items()}
    name = scene.put_file(scene.draw_name(ending="json"), json.dumps(values, indent=scene.pick(2, 4)))
    key = scene.pick(*keys)
    new = _draw_value(scene, key)
    while new == str(values[key]):
        new = _draw_value(scene, key)
    yield scene.ask("setting", name=name, key=key, old=values[key], new=new)
    line = next(line for line in (scene.root / name).read_text().splitlines() if f'"{key}"' in line)
    text = json.dumps(int(new) if new.isdecimal() else new)
    yield from change_line(
        scene, name, line, f"{line.partition(':')[0]}: {text}{',' if line.endswith(',') else ''}"
    )
    yield f"{key} in {name} is now {new}."


def tick_item(scene: Scene) -> Script:
    """Something on a list is done, or is not."""
    items = scene.draw_items(2, 6)
    done = [scene.draw_chance(0.3) for _ in items]
    name = scene.put_file(
        scene.pick("todo.md", "tasks.md", "list.md", scene.draw_name(ending="md")),
        "\n".join(f"- [{'x' if is_done else ' '}] {item}" for item, is_done in zip(items, done, strict=True)),
    )
    at = scene.random.randrange(len(items))
    section, old, new = ("untick", "x", " ") if done[at] else ("tick", " ", "x")
    yield scene.ask(section, name=name, item=items[at])
    yield from change_line(scene, name, f"- [{old}] {items[at]}", f"- [{new}] {items[at]}")
    yield f'"{items[at]}" is {"no longer ticked" if done[at] else "ticked"} in {name}.'


def drop_line(scene: Scene) -> Script:
    """A line goes: by its number, or by what it says."""
    items = scene.draw_items(3, 7)
    name = scene.put_file(scene.draw_name("text"), "\n".join(items))
    at = scene.random.randrange(len(items))
    if scene.draw_chance(0.4):
        yield scene.ask("drop-number", name=name, number=at + 1)
        yield format_bash(f"sed -i '{at + 1}d' {quote_text(name)}")
        yield f"I deleted line {at + 1} of {name}."
        return
    mark = items[at]
    yield scene.ask("drop-line", name=name, mark=mark)
    pattern = f"/^{mark}$/d" if not SPECIAL.search(mark) else f"{at + 1}d"
    yield format_bash(f"sed -i {quote_text(pattern)} {quote_text(name)}")
    yield f'I deleted the line "{mark}" from {name}.'


def replace_line(scene: Scene) -> Script:
    """A whole line becomes another."""
    items = scene.draw_items(2, 5)
    name = scene.put_file(scene.draw_name("text"), "\n".join(items))
    old, new = scene.pick(*items), words.draw_phrase(scene.random)
    yield scene.ask("reword", name=name, old=old, new=new)
    yield from change_line(scene, name, old, new)
    yield f"The line is now: {new}"


def change_case(scene: Scene) -> Script:
    name = scene.put_file(scene.draw_name("text"), "\n".join(scene.draw_items(1, 3)))
    upper = scene.draw_chance(0.6)
    yield scene.ask("upper-file" if upper else "lower-file", name=name)
    sign = "U" if upper else "L"
    yield format_bash(f"sed -i 's/.*/\\{sign}&/' {quote_text(name)}")
    yield f"{name} is in {'capital' if upper else 'small'} letters now."


def repair_failed_edit(scene: Scene) -> Script:
    """An edit that missed teaches the file's true line."""
    name, lines, key, old = _make_settings(scene)
    new = _draw_value(scene, key)
    while new == old:
        new = _draw_value(scene, key)
    line = next(line for line in lines if line.startswith(key))
    wrong = f"{key}: {old}" if "=" in line else f"{key} = {old}"
    if wrong == line:
        wrong = f"{key}={old}x"
    yield scene.ask("setting", name=name, key=key, old=old, new=new)
    yield mark_mistake(format_edit(name, wrong, wrong.replace(old, new)))
    yield Reply(format_bash(f"cat {quote_text(name)}"))
    yield format_edit(name, line, line.removesuffix(old) + new)
    yield f"{key} in {name} is now {new}."


def _make_settings(scene: Scene) -> tuple[str, list[str], str, str]:
    """Make a file of settings; its lines, a key of it and that one's value."""
    ending = scene.pick(*FORMS)
    form = scene.pick(*FORMS[ending])
    keys = scene.random.sample(KEYS, scene.random.randint(2, 5))
    values = [_draw_value(scene, key) for key in keys]
    lines = [form.format(key, value) for key, value in zip(keys, values, strict=True)]
    at = scene.random.randrange(len(keys))
    head = [f"[{scene.draw_word()}]"] if ending in ("ini", "toml") and scene.draw_chance(0.7) else []
    name = scene.pick(
        scene.draw_name(ending=ending),
        scene.draw_name(ending=ending),
        f"{scene.pick('settings', 'config', 'app', 'server')}.{ending}",
    )
    scene.put_file(name, "\n".join(head + lines))
    return name, lines, keys[at], values[at]


def _draw_value(scene: Scene, key: str) -> str:
    if key in CHOICES:
        return scene.pick(*CHOICES[key])
    if key == "host":
        return f"{words.invent_word(scene.random)}.{scene.pick('local', 'com', 'org', 'net')}"
    if key in WORDY:
        return scene.draw_word(WORDY[key])
    if key == "path":
        return f"{scene.pick('/data', '/srv', 'files')}/{scene.draw_word()}"
    if key == "version":
        return f"{scene.random.randint(0, 9)}.{scene.random.randint(0, 20)}.{scene.random.randint(0, 9)}"
    return scene.draw_word() if key == "title" else str(scene.draw_number())

"""Parts of files that change: words, values of settings, boxes to tick, lines that go.

The rest stays as it is.
"""

from __future__ import annotations

import json
import re

from training import words
from training.scene import Scene, quoted
from training.script import Reply, Script, bash, edit, slip

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


def swap(scene: Scene) -> Script:
    """A word for another, everywhere in a file."""
    kind = scene.pick("noun", "first", "city", "color", "weekday")
    old, new = scene.word(kind), scene.word(kind)
    while new == old:
        new = scene.word(kind)
    text = [f"{scene.word('verb')} the {old}", *scene.items(1, 3), f"{old} {scene.word()}"]
    scene.random.shuffle(text)
    name = scene.put(
        scene.fresh("text"), "\n".join([*text[: scene.random.randint(2, len(text))], f"{old} is here"])
    )
    scene.litter(2)
    yield scene.ask("swap", name=name, old=old, new=new)
    yield bash(f"sed -i 's/{old}/{new}/g' {quoted(name)}")
    yield f"I replaced {old} with {new} in {name}."


def setting(scene: Scene) -> Script:
    """A setting gets another value: look, then change its line alone."""
    name, lines, key, old = _settings(scene)
    new = _value(scene, key)
    while new == old:
        new = _value(scene, key)
    scene.litter(2)
    yield scene.ask("setting-old" if scene.chance(0.25) else "setting", name=name, key=key, old=old, new=new)
    line = next(line for line in lines if line.split()[0].startswith(key) or line.startswith(key))
    yield from changed(scene, name, line, line.removesuffix(old) + new)
    yield f"{key} in {name} is now {new}."


def changed(scene: Scene, name: str, old: str, new: str) -> Script:
    """Look at a file and change one line; now and then a wrong line is tried first."""
    yield bash(f"cat {quoted(name)}")
    if scene.chance(0.08):
        yield slip(edit(name, old + scene.pick(" ", "s", ";", "1"), new))
    yield edit(name, old, new)


def setting_json(scene: Scene) -> Script:
    keys = scene.random.sample(KEYS, scene.random.randint(2, 5))
    drawn = {key: _value(scene, key) for key in keys}
    values = {key: int(value) if value.isdecimal() else value for key, value in drawn.items()}
    name = scene.put(scene.fresh(ending="json"), json.dumps(values, indent=scene.pick(2, 4)))
    key = scene.pick(*keys)
    new = _value(scene, key)
    while new == str(values[key]):
        new = _value(scene, key)
    yield scene.ask("setting", name=name, key=key, old=values[key], new=new)
    line = next(line for line in (scene.root / name).read_text().splitlines() if f'"{key}"' in line)
    text = json.dumps(int(new) if new.isdecimal() else new)
    yield from changed(
        scene, name, line, f"{line.partition(':')[0]}: {text}{',' if line.endswith(',') else ''}"
    )
    yield f"{key} in {name} is now {new}."


def tick(scene: Scene) -> Script:
    """Something on a list is done, or is not."""
    items = scene.items(2, 6)
    done = [scene.chance(0.3) for _ in items]
    name = scene.put(
        scene.pick("todo.md", "tasks.md", "list.md", scene.fresh(ending="md")),
        "\n".join(f"- [{'x' if is_done else ' '}] {item}" for item, is_done in zip(items, done, strict=True)),
    )
    at = scene.random.randrange(len(items))
    section, old, new = ("untick", "x", " ") if done[at] else ("tick", " ", "x")
    yield scene.ask(section, name=name, item=items[at])
    yield from changed(scene, name, f"- [{old}] {items[at]}", f"- [{new}] {items[at]}")
    yield f'"{items[at]}" is {"no longer ticked" if done[at] else "ticked"} in {name}.'


def drop_line(scene: Scene) -> Script:
    """A line goes: by its number, or by what it says."""
    items = scene.items(3, 7)
    name = scene.put(scene.fresh("text"), "\n".join(items))
    at = scene.random.randrange(len(items))
    if scene.chance(0.4):
        yield scene.ask("drop-number", name=name, number=at + 1)
        yield bash(f"sed -i '{at + 1}d' {quoted(name)}")
        yield f"I deleted line {at + 1} of {name}."
        return
    mark = items[at]
    yield scene.ask("drop-line", name=name, mark=mark)
    pattern = f"/^{mark}$/d" if not SPECIAL.search(mark) else f"{at + 1}d"
    yield bash(f"sed -i {quoted(pattern)} {quoted(name)}")
    yield f'I deleted the line "{mark}" from {name}.'


def reword(scene: Scene) -> Script:
    """A whole line becomes another."""
    items = scene.items(2, 5)
    name = scene.put(scene.fresh("text"), "\n".join(items))
    old, new = scene.pick(*items), words.phrase(scene.random)
    yield scene.ask("reword", name=name, old=old, new=new)
    yield from changed(scene, name, old, new)
    yield f"The line is now: {new}"


def case(scene: Scene) -> Script:
    name = scene.put(scene.fresh("text"), "\n".join(scene.items(1, 3)))
    upper = scene.chance(0.6)
    yield scene.ask("upper-file" if upper else "lower-file", name=name)
    sign = "U" if upper else "L"
    yield bash(f"sed -i 's/.*/\\{sign}&/' {quoted(name)}")
    yield f"{name} is in {'capital' if upper else 'small'} letters now."


def late_look(scene: Scene) -> Script:
    """An edit that missed teaches the file's true line."""
    name, lines, key, old = _settings(scene)
    new = _value(scene, key)
    while new == old:
        new = _value(scene, key)
    line = next(line for line in lines if line.startswith(key))
    wrong = f"{key}: {old}" if "=" in line else f"{key} = {old}"
    if wrong == line:
        wrong = f"{key}={old}x"
    yield scene.ask("setting", name=name, key=key, old=old, new=new)
    yield slip(edit(name, wrong, wrong.replace(old, new)))
    yield Reply(bash(f"cat {quoted(name)}"))
    yield edit(name, line, line.removesuffix(old) + new)
    yield f"{key} in {name} is now {new}."


def _settings(scene: Scene) -> tuple[str, list[str], str, str]:
    """Make a file of settings; its lines, a key of it and that one's value."""
    ending = scene.pick(*FORMS)
    form = scene.pick(*FORMS[ending])
    keys = scene.random.sample(KEYS, scene.random.randint(2, 5))
    values = [_value(scene, key) for key in keys]
    lines = [form.format(key, value) for key, value in zip(keys, values, strict=True)]
    at = scene.random.randrange(len(keys))
    head = [f"[{scene.word()}]"] if ending in ("ini", "toml") and scene.chance(0.7) else []
    name = scene.pick(
        scene.fresh(ending=ending),
        scene.fresh(ending=ending),
        f"{scene.pick('settings', 'config', 'app', 'server')}.{ending}",
    )
    scene.put(name, "\n".join(head + lines))
    return name, lines, keys[at], values[at]


def _value(scene: Scene, key: str) -> str:
    if key in CHOICES:
        return scene.pick(*CHOICES[key])
    if key == "host":
        return f"{words.made_up(scene.random)}.{scene.pick('local', 'com', 'org', 'net')}"
    if key in WORDY:
        return scene.word(WORDY[key])
    if key == "path":
        return f"{scene.pick('/data', '/srv', 'files')}/{scene.word()}"
    if key == "version":
        return f"{scene.random.randint(0, 9)}.{scene.random.randint(0, 20)}.{scene.random.randint(0, 9)}"
    return scene.word() if key == "title" else str(scene.number())

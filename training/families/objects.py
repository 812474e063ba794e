"""JSON files and figures about texts: look first, then read off or reckon."""

from __future__ import annotations

import json

from training import words
from training.families.data import AGENTS, AMOUNTS
from training.scene import Scene, listing, quoted
from training.script import Script, bash, over
from training.tables import rows

KEYS = ("name", "version", "port", "city", "author", "color", "age", "level", "email", "license")
CHANGED = """\
import json, sys
data = json.load(open(sys.argv[1]))
{line}
json.dump(data, open(sys.argv[1], 'w'), indent=2)
print(', '.join(data))"""

__all__ = ["AGENTS", "common_words", "json_get", "json_list"]


def json_get(scene: Scene) -> Script:
    """A value of a JSON file, at its top or one below."""
    data, path = _object(scene)
    name = scene.put(scene.fresh(ending="json"), json.dumps(data, indent=scene.pick(None, 2)))
    key = path[-1]
    section = scene.pick(*("json-get",) * 4, "json-keys", "json-keys", "json-add", "json-drop")
    if section in ("json-add", "json-drop"):
        yield from _other_keys(scene, name, data, section)
        return
    yield scene.ask(section, file=name, key=key)
    if section == "json-keys":
        yield bash(f"cat {quoted(name)}")
        yield f"The keys are {listing(list(data))}."
        return
    yield bash(f"cat {quoted(name)}")
    value: object = data
    for step in path:
        value = value[step]  # type: ignore[index]
    yield f"The {key} is {value}."


def _other_keys(scene: Scene, name: str, data: dict[str, object], section: str) -> Script:
    """A key comes to a JSON file or goes."""
    adds = section == "json-add"
    key = scene.pick(*(one for one in KEYS if (one in data) != adds))
    value = _plain(scene, key)
    yield scene.ask(section, file=name, key=key, value=value)
    yield bash(f"cat {quoted(name)}")
    line = f"data['{key}'] = {value!r}" if adds else f"del data['{key}']"
    yield over(CHANGED.format(line=line), name)
    yield f"{name} now has the {key} {value}." if adds else f"{name} has no {key} any more."


def json_list(scene: Scene) -> Script:
    """A list of objects."""
    key, amount = scene.pick("name", "title", "item", "id", "product", "user"), scene.pick(*AMOUNTS)
    group = scene.pick("city", "color")
    names = list(
        dict.fromkeys(scene.word(scene.pick("first", "noun")) for _ in range(scene.random.randint(2, 6)))
    )
    entries = [{key: one, group: scene.word(group), amount: scene.number(3)} for one in names]
    top = scene.pick("", "", "entries", "items", "users", "data")
    name = scene.put(
        scene.fresh(ending="json"), json.dumps({top: entries} if top else entries, indent=scene.pick(None, 2))
    )
    section, code, answer = scene.pick(*rows("json-lists"))
    one = scene.pick(*entries)
    fill = {"f": name, "a": amount, "k": key, "g": group, "v": one[key], "c": one[group], "n": one[amount]}
    said = scene.pick(amount, amount.replace("_", " "))
    yield scene.ask(
        section,
        file=name,
        key=key,
        amount=said,
        group=group,
        value=one[key],
        kind=one[group],
        limit=one[amount],
    )
    yield bash(f"head -c 200 {quoted(name)}")
    part = f"['{top}']" if top else ""
    seen = yield over(
        f"import json, sys\ndata = json.load(open(sys.argv[1])){part}\n{code.format(**fill)}", name
    )
    yield answer.format(**fill, o=seen.text or "none")


def common_words(scene: Scene) -> Script:
    """Figures about a text that need a program."""
    name = scene.file("text", scene.note(8), inside=0)
    section, code, answer = scene.pick(*rows("text-figures"))
    yield scene.ask(section, file=name)
    seen = yield over(f"import sys\n{code}", name)
    yield answer.format(f=name, o=seen.text)


def _object(scene: Scene) -> tuple[dict[str, object], list[str]]:
    keys = scene.random.sample(KEYS, scene.random.randint(2, 5))
    data: dict[str, object] = {key: _plain(scene, key) for key in keys}
    path = [scene.pick(*keys)]
    if scene.chance(0.25):
        inner, key = scene.pick("server", "owner", "options"), scene.pick("host", "port", "mode", "user")
        data[inner] = {key: _plain(scene, key), "active": scene.chance(0.5)}
        path = [inner, key]
    return data, path


def _plain(scene: Scene, key: str) -> object:
    if key in ("port", "age", "level"):
        return scene.number()
    if key == "version":
        return f"{scene.number(1)}.{scene.number(2)}.{scene.number(1)}"
    if key == "email":
        return f"{scene.word('first').lower()}@{words.made_up(scene.random)}.com"
    return {
        "name": scene.word("first"),
        "author": scene.word("last"),
        "city": scene.word("city"),
        "color": scene.word("color"),
        "license": scene.pick("MIT", "GPL", "Apache-2.0"),
    }.get(key, scene.word())

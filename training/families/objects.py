"""JSON files and figures about texts: look first, then read off or reckon."""

from __future__ import annotations

import json

from training import words
from training.families.data import AGENTS, AMOUNTS
from training.scene import Scene, format_names, quote_text
from training.script import Script, format_bash, format_file_program
from training.tables import get_rows

KEYS = ("name", "version", "port", "city", "author", "color", "age", "level", "email", "license")
CHANGED = """\
import json, sys
data = json.load(open(sys.argv[1]))
{line}
json.dump(data, open(sys.argv[1], 'w'), indent=2)
print(', '.join(data))"""

__all__ = ["AGENTS", "compute_text_figures", "get_json_value", "query_json_list"]


def get_json_value(scene: Scene) -> Script:
    """A value of a JSON file, at its top or one below."""
    data, path = _draw_object(scene)
    name = scene.put_file(scene.draw_name(ending="json"), json.dumps(data, indent=scene.pick(None, 2)))
    key = path[-1]
    section = scene.pick(*("json-get",) * 4, "json-keys", "json-keys", "json-add", "json-drop")
    if section in ("json-add", "json-drop"):
        yield from _change_keys(scene, name, data, section)
        return
    yield scene.ask(section, file=name, key=key)
    if section == "json-keys":
        yield format_bash(f"cat {quote_text(name)}")
        yield f"The keys are {format_names(list(data))}."
        return
    yield format_bash(f"cat {quote_text(name)}")
    value: object = data
    for step in path:
        value = value[step]  # type: ignore[index]
    yield f"The {key} is {value}."


def _change_keys(scene: Scene, name: str, data: dict[str, object], section: str) -> Script:
    """A key comes to a JSON file or goes."""
    adds = section == "json-add"
    key = scene.pick(*(one for one in KEYS if (one in data) != adds))
    value = _draw_value(scene, key)
    yield scene.ask(section, file=name, key=key, value=value)
    yield format_bash(f"cat {quote_text(name)}")
    line = f"data['{key}'] = {value!r}" if adds else f"del data['{key}']"
    yield format_file_program(CHANGED.format(line=line), name)
    yield f"{name} now has the {key} {value}." if adds else f"{name} has no {key} any more."


def query_json_list(scene: Scene) -> Script:
    """A list of objects."""
    key, amount = scene.pick("name", "title", "item", "id", "product", "user"), scene.pick(*AMOUNTS)
    group = scene.pick("city", "color")
    names = list(
        dict.fromkeys(scene.draw_word(scene.pick("first", "noun")) for _ in range(scene.random.randint(2, 6)))
    )
    entries = [{key: one, group: scene.draw_word(group), amount: scene.draw_number(3)} for one in names]
    top = scene.pick("", "", "entries", "items", "users", "data")
    name = scene.put_file(
        scene.draw_name(ending="json"),
        json.dumps({top: entries} if top else entries, indent=scene.pick(None, 2)),
    )
    section, code, answer = scene.pick(*get_rows("json-lists"))
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
    yield format_bash(f"head -c 200 {quote_text(name)}")
    part = f"['{top}']" if top else ""
    seen = yield format_file_program(
        f"import json, sys\ndata = json.load(open(sys.argv[1])){part}\n{code.format(**fill)}", name
    )
    yield answer.format(**fill, o=seen.text or "none")


def compute_text_figures(scene: Scene) -> Script:
    """Figures about a text that need a program."""
    name = scene.make_file("text", scene.draw_note(8), inside=0)
    section, code, answer = scene.pick(*get_rows("text-figures"))
    yield scene.ask(section, file=name)
    seen = yield format_file_program(f"import sys\n{code}", name)
    yield answer.format(f=name, o=seen.text)


def _draw_object(scene: Scene) -> tuple[dict[str, object], list[str]]:
    keys = scene.random.sample(KEYS, scene.random.randint(2, 5))
    data: dict[str, object] = {key: _draw_value(scene, key) for key in keys}
    path = [scene.pick(*keys)]
    if scene.draw_chance(0.25):
        inner, key = scene.pick("server", "owner", "options"), scene.pick("host", "port", "mode", "user")
        data[inner] = {key: _draw_value(scene, key), "active": scene.draw_chance(0.5)}
        path = [inner, key]
    return data, path


def _draw_value(scene: Scene, key: str) -> object:
    if key in ("port", "age", "level"):
        return scene.draw_number()
    if key == "version":
        return f"{scene.draw_number(1)}.{scene.draw_number(2)}.{scene.draw_number(1)}"
    if key == "email":
        return f"{scene.draw_word('first').lower()}@{words.invent_word(scene.random)}.com"
    return {
        "name": scene.draw_word("first"),
        "author": scene.draw_word("last"),
        "city": scene.draw_word("city"),
        "color": scene.draw_word("color"),
        "license": scene.pick("MIT", "GPL", "Apache-2.0"),
    }.get(key, scene.draw_word())

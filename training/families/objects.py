"""JSON files and figures about texts: look first, then read off or reckon."""

from __future__ import annotations

import json

from training import words
from training.families.data import AGENTS, AMOUNTS
from training.scene import Scene, listing, quoted
from training.script import Script, bash, reckoned
from training.tables import rows

__all__ = ["AGENTS", "common_words", "json_get", "json_list"]


def json_get(scene: Scene) -> Script:
    """A value of a JSON file, at its top or one below."""
    data, path = _object(scene)
    name = scene.put(scene.fresh(ending="json"), json.dumps(data, indent=scene.pick(None, 2)))
    key = path[-1]
    section = scene.pick("json-get", "json-get", "json-keys")
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


def json_list(scene: Scene) -> Script:
    """A list of objects."""
    key, amount = scene.pick("name", "title", "item"), scene.pick(*AMOUNTS)
    entries = [{key: scene.word("first"), amount: scene.number(3)} for _ in range(scene.random.randint(2, 6))]
    name = scene.put(scene.fresh(ending="json"), json.dumps(entries, indent=scene.pick(None, 2)))
    section, code, answer = scene.pick(*rows("json-lists"))
    yield scene.ask(section, file=name, key=key, amount=amount)
    yield bash(f"head -c 200 {quoted(name)}")
    fill = {"f": name, "a": amount, "k": key}
    seen = yield reckoned(
        f"import json\ndata = json.load(open('{name}'))\n{code.format(**fill)}", scene.agent
    )
    yield answer.format(**fill, o=seen.text)


def common_words(scene: Scene) -> Script:
    """Figures about a text that need a program."""
    name = scene.file("text", scene.note(8), inside=0)
    section, code, answer = scene.pick(*rows("text-figures"))
    yield scene.ask(section, file=name)
    seen = yield reckoned(code.format(f=name), scene.agent)
    yield answer.format(f=name, o=seen.text)


def _object(scene: Scene) -> tuple[dict[str, object], list[str]]:
    keys = scene.random.sample(
        ("name", "version", "port", "city", "author", "color", "age", "level", "email", "license"),
        scene.random.randint(2, 5),
    )
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

"""Settings changed for a reason: what is wrong is told, or what people call it, and not the key.

The file is read first; then its one line is edited, in the file's own words for on and off.
"""

from __future__ import annotations

import json

from training import words
from training.families.office import draw_file_name, format_place
from training.families.reading import read_file
from training.scene import Scene
from training.script import Script, format_edit

CONFIGS = ("config", "settings", "app", "server", "site", "player", "preferences", "options", "setup")
NUMBERS = {
    "volume": ("I can hardly hear it", "it's too loud", "sound"),
    "timeout": ("it gives up too early", "it waits far too long", "waiting time"),
    "font_size": ("I can hardly read it", "the letters are too big", "letters"),
    "brightness": ("the screen is too dark", "it hurts my eyes", "light of the screen"),
    "retries": ("it gives up after the first try", "it tries too often", "number of attempts"),
    "max_upload_mb": ("big files don't get through", "people upload too much", "upload limit"),
    "port": ("we moved", "the old port is taken", "port"),
    "workers": ("it's slow with so many visitors", "it eats all the memory", "number of workers"),
    "backup_hour": ("the backup comes too early", "the backup comes too late", "hour of the backup"),
    "max_users": ("more people want to come in", "it gets too crowded", "limit of users"),
    "refresh_minutes": (
        "it refreshes all the time",
        "the numbers are always old",
        "minutes between refreshes",
    ),
    "speed": ("it moves too slowly", "it runs too fast", "pace"),
    "temperature": ("it's cold in here", "it's too warm in here", "warmth"),
    "line_width": ("the lines are too short", "the lines run off the screen", "width of the lines"),
    "keep_days": ("it throws things away too soon", "old things stay for ages", "days that it keeps things"),
}
"""Why it is raised, why it is lowered, and what people call it."""
RANGES = {
    "port": (1024, 65535),
    "backup_hour": (0, 23),
    "temperature": (14, 28),
    "volume": (0, 100),
    "brightness": (5, 100),
    "font_size": (6, 40),
    "retries": (1, 20),
}
SWITCHES = {
    "debug": ("debug mode", "debugging"),
    "sound": ("the sound", "noises"),
    "dark_mode": ("dark mode", "the dark look"),
    "autosave": ("saving by itself", "autosave"),
    "notifications": ("the notifications", "the pop-ups"),
    "verbose": ("the verbose mode", "all the chatter"),
    "cache": ("the cache", "caching"),
    "updates": ("the updates", "updating by itself"),
    "registration": ("the registration", "signing up"),
    "maintenance": ("maintenance mode", "the maintenance page"),
    "wifi": ("the wifi", "the wireless"),
    "tracking": ("the tracking", "following the visitors"),
}
FORMS = {
    "ini": ("{} = {}", "{}={}"),
    "conf": ("{} {}", "{} = {}"),
    "env": ("{}={}",),
    "yaml": ("{}: {}",),
    "cfg": ("{} = {}", "{}: {}"),
    "toml": ("{} = {}",),
}
STATES = (("on", "off"), ("true", "false"), ("yes", "no"), ("1", "0"))


def change_number(scene: Scene) -> Script:
    """A number is not right; the key is seen only in the file."""
    key = scene.pick(*NUMBERS)
    low, high, thing = NUMBERS[key]
    old, new = _draw_numbers(scene, key)
    why = low if int(new) > int(old) else high
    name, line = _make_config(scene, key, old, scene.pick(*STATES))
    named = scene.draw_chance(0.45)
    said = scene.pick(thing, thing, key.replace("_", " "))
    yield scene.ask("why-number", why=why, thing=said, n=new, file=format_place(scene, name, named))
    yield from _edit_line(name, named, line, _replace_value(line, old, new))
    yield f"{key} in {name} is now {new}."


def toggle_switch(scene: Scene) -> Script:
    """Something goes on or off, in the file's own words for it."""
    key, on = scene.pick(*SWITCHES), scene.draw_chance(0.5)
    states = scene.pick(*STATES)
    new, old = states if on else states[::-1]
    name, line = _make_config(scene, key, old, states)
    named = scene.draw_chance(0.45)
    section = "why-on" if on else "why-off"
    yield scene.ask(section, thing=scene.pick(*SWITCHES[key]), file=format_place(scene, name, named))
    yield from _edit_line(name, named, line, _replace_value(line, old, new))
    yield f"{key} in {name} is now {new}."


def _edit_line(name: str, named: bool, line: str, new: str) -> Script:
    yield from read_file(name, not named)
    yield format_edit(name, line, new)


def _replace_value(line: str, old: str, new: str) -> str:
    """Put the last value of a line right."""
    before, _, after = line.rpartition(old)
    return before + new + after


def _draw_numbers(scene: Scene, key: str) -> tuple[str, str]:
    """Give an old number and another one, as such a setting has them."""
    least, most = RANGES.get(key, (1, scene.pick(30, 60, 99, 400)))
    old, new = scene.random.sample(range(least, most + 1), 2)
    return str(old), str(new)


def _make_config(scene: Scene, key: str, value: str, states: tuple[str, str]) -> tuple[str, str]:
    """Make a file of settings with comments; the line of one of them."""
    rest = [one for one in (*NUMBERS, *SWITCHES) if one != key]
    keys = scene.random.sample(rest, scene.random.randint(2, 5))
    values = {one: _draw_numbers(scene, one)[0] if one in NUMBERS else scene.pick(*states) for one in keys}
    keys.insert(scene.random.randint(0, len(keys)), key)
    values[key] = value
    endings = [one for one in FORMS if one != "toml" or states[0] == "true"]
    name = draw_file_name(scene, CONFIGS, [*endings, "json"])
    if name.endswith("json"):
        lines = json.dumps({one: _convert_value(values[one]) for one in keys}, indent=2).split("\n")
    else:
        form = scene.pick(*FORMS[name.rpartition(".")[2]])
        lines = (
            [f"[{scene.draw_word()}]"] if name.endswith(("ini", "toml")) and scene.draw_chance(0.5) else []
        )
        for one in keys:
            comment = f"# {scene.pick(_get_label(one), words.draw_sentence(scene.random))}"
            lines += [comment] if scene.draw_chance(0.3) else []
            lines.append(form.format(one, values[one]))
    scene.put_file(name, "\n".join(lines))
    scene.add_other_files(3)
    return name, next(line for line in lines if line.strip(' "').startswith(key))


def _get_label(key: str) -> str:
    return NUMBERS[key][2] if key in NUMBERS else SWITCHES[key][0]


def _convert_value(value: str) -> str | int | bool:
    """Give a value as JSON has it."""
    return value == "true" if value in ("true", "false") else int(value) if value.isdecimal() else value

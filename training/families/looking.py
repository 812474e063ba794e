"""What is there: lists, numbers, places, sizes, dates."""

from __future__ import annotations

from training import words
from training.scene import Scene, format_lines, quote_text
from training.script import Script, allow_failure, format_bash, format_find

KINDS = {
    "txt": "text",
    "md": "markdown",
    "csv": "csv",
    "py": "python",
    "json": "json",
    "log": "log",
    "sh": "shell",
    "html": "html",
    "pdf": "pdf",
    "jpg": "jpg",
    "png": "png",
    "ini": "ini",
    "bak": "backup",
}
"""How a kind of file is called, by its ending."""


def list_files(scene: Scene) -> Script:
    folder = scene.draw_folder() if scene.draw_chance(0.4) else ""
    for _ in range(scene.random.randint(1, 6)):
        scene.put_file(f"{folder}/{scene.draw_name()}".lstrip("/"), scene.draw_note(2))
    scene.add_other_files(2)
    yield scene.ask("list-folder" if folder else "list", folder=folder)
    seen = yield format_bash(f"ls {folder}".strip())
    many = len(seen.lines)
    where = f"In {folder}" if folder else "Here"
    yield f"{where} {'is' if many == 1 else 'are'}:{format_lines(seen.lines)}"


def list_kind(scene: Scene) -> Script:
    ending = scene.pick(*KINDS)
    for _ in range(scene.random.choice((0, 1, 1, 2, 2, 3, 4))):
        scene.put_file(scene.draw_name(ending=ending), scene.draw_note(2))
    scene.put_file(scene.draw_name(ending=scene.pick(*(KINDS.keys() - {ending}))), scene.draw_note(2))
    yield scene.ask("list-kind", ending=ending, kind=scene.pick(KINDS[ending], f".{ending}", ending))
    seen = yield allow_failure(format_bash(f"ls *.{ending}"))
    if not seen.ok:
        yield f"There are no .{ending} files here."
    elif len(seen.lines) == 1:
        yield f"There is one .{ending} file:\n{seen.text}"
    else:
        yield f"There are {len(seen.lines)} .{ending} files:{format_lines(seen.lines)}"


def count_files(scene: Scene) -> Script:
    ending, folder = scene.pick("", *KINDS), scene.draw_folder() if scene.draw_chance(0.3) else ""
    for _ in range(scene.random.randint(1, 7)):
        scene.put_file(f"{folder}/{scene.draw_name(ending=ending)}".lstrip("/"), "x")
    scene.put_file(f"{folder}/{scene.draw_name()}".lstrip("/"), "x")
    scene.add_other_files(3)
    kind = f"{scene.pick(KINDS[ending], f'.{ending}', ending)} " if ending else ""
    section = "count-in" if folder else "count"
    yield scene.ask(section, kind=kind, folder=folder)
    name = f" -name '*.{ending}'" if ending else ""
    seen = yield format_bash(f"find {folder or '.'} -maxdepth 1 -type f{name} | wc -l")
    one, where = seen.text == "1", f"in {folder}" if folder else "here"
    kind = f".{ending} file" if ending else "file"
    yield f"There {'is' if one else 'are'} {seen.text} {kind}{'' if one else 's'} {where}."


def count_all(scene: Scene) -> Script:
    scene.add_other_files(4)
    for _ in range(scene.random.randint(1, 4)):
        scene.put_file(f"{scene.draw_folder()}/{scene.draw_name()}", "x")
    folders = scene.draw_chance(0.4)
    yield scene.ask("count-folders" if folders else "count-all")
    seen = yield format_bash("find . -mindepth 1 -type d | wc -l" if folders else "find . -type f | wc -l")
    what = ("folder" if folders else "file") + ("s" if seen.text != "1" else "")
    yield f"There {'are' if seen.text != '1' else 'is'} {seen.text} {what}, with all below this folder."


def find_file(scene: Scene) -> Script:
    name, there = scene.draw_name(), scene.draw_chance(0.8)
    for folder in (scene.draw_folder(), scene.draw_folder()):
        scene.put_file(f"{folder}/{scene.draw_name()}", "x")
    deep = f"/{scene.draw_folder()}" if scene.draw_chance(0.3) else ""
    if there:
        scene.put_file(f"{scene.draw_folder()}{deep}/{name}", scene.draw_note(2))
    asked = name if scene.draw_chance(0.75) else name.rpartition(".")[0]
    yield scene.ask("find", name=asked)
    yield from report_place(scene, asked)


def report_place(scene: Scene, name: str) -> Script:
    """Look for a name and say where it is."""
    seen = yield format_bash(
        f"find . -name {quote_text(name)}" if "." in name else f"find . -iname '*{name}*'"
    )
    there = bool(seen.text)
    places = [line.removeprefix("./") for line in seen.lines]
    if not there:
        yield f"There is no file called {name}."
    else:
        yield f"{'It is here' if len(places) == 1 else 'I found'}:{format_lines(places)}"


def find_kind(scene: Scene) -> Script:
    ending = scene.pick(*KINDS)
    for _ in range(scene.random.choice((0, 1, 2, 2, 3))):
        scene.put_file(f"{scene.draw_folder()}/{scene.draw_name(ending=ending)}", "x")
    scene.add_other_files(3)
    yield scene.ask("find-kind", kind=scene.pick(KINDS[ending], f".{ending}", f"*.{ending}", ending))
    seen = yield (
        format_find(f"*.{ending}") if scene.agent == "file" else format_bash(f"find . -name '*.{ending}'")
    )
    found = [] if "Nothing is called" in seen.text else [line.removeprefix("./") for line in seen.lines]
    many = len(found)
    if not many:
        yield f"There are no .{ending} files, not in the folders below either."
    else:
        yield f"I found {many} .{ending} file{'s' if many > 1 else ''}:{format_lines(found)}"


def check_exists(scene: Scene) -> Script:
    scene.add_other_files(3)
    name = scene.make_file("", inside=0.3) if scene.draw_chance(0.55) else scene.draw_name()
    shown = name.rpartition("/")[2]
    yield scene.ask("exists", name=shown)
    seen = yield format_bash(f"find . -name {quote_text(shown)}")
    place = seen.lines[0].removeprefix("./") if seen.lines else ""
    yield f"Yes, it is here:\n{place}" if place else f"No, there is no {shown} here."


def get_size(scene: Scene) -> Script:
    name = scene.make_file("", scene.draw_note(12), inside=0.2)
    scene.add_other_files(2)
    yield scene.ask("size", name=name)
    seen = yield format_bash(f"stat -c %s {quote_text(name)}")
    yield f"{name} has {seen.text} bytes."


def find_extreme_file(scene: Scene) -> Script:
    """The largest, smallest, newest, oldest file."""
    which, flags = scene.pick(
        ("largest", "-Sp"), ("largest", "-Sp"), ("smallest", "-Srp"), ("newest", "-tp"), ("oldest", "-trp")
    )
    for at in range(scene.random.randint(2, 5)):
        name = scene.put_file(scene.draw_name(), "x" * scene.random.randint(5, 900))
        age = 1_600_000_000 + at * 86_400 * scene.random.randint(1, 90)
        import os

        os.utime(scene.root / name, (age, age))
    if scene.draw_chance(0.5):
        scene.put_file(f"{scene.draw_folder()}/{scene.draw_name()}", "x")
    yield scene.ask(f"most-{which}")
    seen = yield format_bash(f"ls {flags} | grep -v / | head -n 1")
    yield f"The {which} file is {seen.text}."


def get_disk_usage(scene: Scene) -> Script:
    if scene.draw_chance(0.5):
        folder = scene.draw_folder()
        for _ in range(scene.random.randint(1, 3)):
            scene.put_file(f"{folder}/{scene.draw_name()}", scene.draw_note(30))
        yield scene.ask("folder-size", folder=folder)
        seen = yield format_bash(f"du -sh {folder}")
        yield f"The folder {folder} takes {seen.text.split()[0]}."
        return
    yield scene.ask("disk")
    seen = yield format_bash("df -h . | tail -n 1")
    parts = seen.text.split()
    yield f"{parts[-3]} of {parts[-5]} are free, {parts[-2]} is used."


def get_change_time(scene: Scene) -> Script:
    name = scene.make_file("", inside=0.1)
    yield scene.ask("changed", name=name)
    seen = yield format_bash(f"stat -c %y {quote_text(name)}")
    yield f"{name} was last changed on {seen.text[:10]} at {seen.text[11:16]}."


def list_tree(scene: Scene) -> Script:
    for _ in range(scene.random.randint(2, 5)):
        scene.put_file(f"{scene.draw_folder()}/{scene.draw_name()}", "x")
    scene.add_other_files(2)
    only = scene.draw_chance(0.4)
    yield scene.ask("folders" if only else "tree")
    seen = yield format_bash("ls -d */" if only else "find . -type f | sort")
    found = [line.removeprefix("./").rstrip("/") for line in seen.lines]
    if only:
        yield f"{'The folders are' if len(found) > 1 else 'There is one folder'}:{format_lines(found)}"
    else:
        yield f"The files are:{format_lines(found)}"


def find_by_name(scene: Scene) -> Script:
    """Names that begin with something, or hold it."""
    mark = words.word(scene.random)
    for _ in range(scene.random.randint(1, 3)):
        scene.put_file(
            f"{mark}_{scene.draw_name()}" if scene.draw_chance(0.6) else f"{mark}{scene.draw_number(2)}.txt",
            "x",
        )
    scene.add_other_files(4)
    begins = scene.draw_chance(0.6)
    yield scene.ask("begins" if begins else "holds-name", mark=mark)
    glob = f"{mark}*" if begins else f"*{mark}*"
    seen = yield format_bash(f"ls -d {glob}")
    yield f"{'These begin' if begins else 'These are'} with {mark}:{format_lines(seen.lines)}"

"""Files that get another name or place, are copied or go. A copy leaves the first where it is.

A glob hits its kind alone.
"""

from __future__ import annotations

from training import words
from training.families.looking import KINDS, report_place
from training.scene import Scene, format_lines, quote_text
from training.script import Script, format_bash, mark_mistake

GROUPS = tuple(KINDS)


def rename_file(scene: Scene) -> Script:
    old = scene.make_file("", inside=0.12)
    folder, _, name = old.rpartition("/")
    ending = name.rpartition(".")[2] if scene.draw_chance(0.8) else words.draw_ending(scene.random)
    new = scene.draw_name(ending=ending)
    target = f"{folder}/{new}" if folder else new
    scene.add_other_files(3)
    yield scene.ask("rename", old=old, new=new)
    yield format_bash(f"mv {quote_text(old)} {quote_text(target)}")
    yield f"I renamed {old} to {target}."


def move_files(scene: Scene) -> Script:
    """One file or two into a folder, which may not be there yet."""
    names = [scene.make_file("", inside=0) for _ in range(scene.random.choice((1, 1, 1, 2, 3)))]
    folder, new = scene.draw_folder(), scene.draw_chance(0.5)
    if not new:
        scene.put_file(f"{folder}/{scene.draw_name()}", "x")
    scene.add_other_files(3)
    yield scene.ask(
        "move-new" if new and scene.draw_chance(0.6) else "move",
        names=words.format_list(names),
        folder=folder,
    )
    yield format_bash(f"mkdir -p {folder} && mv {' '.join(map(quote_text, names))} {folder}/")
    yield f"I moved {words.format_list(names)} to {folder}."


def copy_file(scene: Scene) -> Script:
    """A copy under another name: the first stays."""
    old = scene.make_file("", inside=0.1)
    ending = scene.pick(old.rpartition(".")[2], old.rpartition(".")[2], "bak", "old")
    new = (
        scene.draw_name(ending=ending)
        if scene.draw_chance(0.7)
        else f"{old}.{scene.pick('bak', 'old', 'copy')}"
    )
    scene.add_other_files(3)
    yield scene.ask("copy", old=old, new=new)
    yield format_bash(f"cp {quote_text(old)} {quote_text(new)}")
    yield f"I copied {old} to {new}."


def copy_into(scene: Scene) -> Script:
    """Copies in a folder, one or several."""
    names = [scene.make_file("", inside=0) for _ in range(scene.random.choice((1, 1, 2)))]
    folder = scene.draw_folder()
    scene.add_other_files(3)
    yield scene.ask("copy-into", names=words.format_list(names), folder=folder)
    yield format_bash(f"mkdir -p {folder} && cp {' '.join(map(quote_text, names))} {folder}/")
    yield f"I copied {words.format_list(names)} to {folder}."


def copy_folder(scene: Scene) -> Script:
    folder, new = scene.draw_folder(), scene.draw_folder()
    for _ in range(scene.random.randint(1, 3)):
        scene.put_file(f"{folder}/{scene.draw_name()}", "x")
    scene.add_other_files(2)
    gone = scene.draw_chance(0.4)
    yield scene.ask("rename-folder" if gone else "copy-folder", old=folder, new=new)
    yield format_bash(f"{'mv' if gone else 'cp -r'} {folder} {new}")
    yield f"I {'renamed' if gone else 'copied'} the folder {folder} to {new}."


def move_group(scene: Scene) -> Script:
    """All of one kind, to one folder; other kinds lie beside them and stay."""
    glob, kind = _make_group(scene)
    folder, copied = scene.draw_folder(), scene.draw_chance(0.4)
    if scene.draw_chance(0.3):
        scene.put_file(f"{folder}/{scene.draw_name(ending='rst')}", "x")
    scene.add_other_files(2)
    yield scene.ask("copy-group" if copied else "move-group", kind=kind, folder=folder)
    yield format_bash(f"mkdir -p {folder} && {'cp' if copied else 'mv'} {glob} {folder}/")
    yield f"I {'copied' if copied else 'moved'} {kind} to {folder}."


def delete_files(scene: Scene) -> Script:
    """One file or some, by name."""
    names = [scene.make_file("", inside=0.12) for _ in range(scene.random.choice((1, 1, 1, 1, 2, 3)))]
    scene.add_other_files(4)
    yield scene.ask("delete", names=words.format_list(names))
    yield format_bash(f"rm {' '.join(map(quote_text, names))}")
    yield f"I deleted {words.format_list(names)}."


def delete_group(scene: Scene) -> Script:
    glob, kind = _make_group(scene)
    scene.add_other_files(2)
    yield scene.ask("delete-group", kind=kind)
    yield format_bash(f"rm {glob}")
    yield f"I deleted {kind}."


def delete_folder(scene: Scene) -> Script:
    folder = scene.draw_folder()
    for _ in range(scene.random.randint(0, 3)):
        scene.put_file(f"{folder}/{scene.draw_name()}", "x")
    (scene.root / folder).mkdir(exist_ok=True)
    scene.add_other_files(3)
    yield scene.ask("delete-folder", folder=folder)
    yield format_bash(f"rm -r {folder}")
    yield f"I deleted the folder {folder}."


def delete_empty(scene: Scene) -> Script:
    """Files that hold nothing."""
    for _ in range(scene.random.randint(1, 3)):
        scene.put_file(scene.draw_name())
    scene.add_other_files(3)
    yield scene.ask("delete-empty")
    seen = yield format_bash("find . -maxdepth 1 -type f -empty -print -delete")
    yield f"I deleted:{format_lines([line.removeprefix('./') for line in seen.lines])}"


def find_missing_file(scene: Scene) -> Script:
    """What is asked for is not there: in another folder, or nowhere."""
    name, there = scene.draw_name(), scene.draw_chance(0.6)
    place = f"{scene.draw_folder()}/{name}"
    if there:
        scene.put_file(place, scene.draw_note(2))
    scene.add_other_files(3)
    command, done = scene.pick(("rm {}", "deleted {}"), ("cat {}", ""), ("wc -l < {}", ""))
    section = {"rm {}": "delete", "cat {}": "show", "wc -l < {}": "count-words"}[command]
    yield scene.ask(section, names=name, name=name, what="lines")
    yield mark_mistake(format_bash(command.format(quote_text(name))))
    if not there:
        yield from report_place(scene, name)
        return
    yield format_bash(f"find . -name {quote_text(name)}")
    seen = yield format_bash(command.format(quote_text(place)))
    if done:
        yield f"I {done.format(place)}."
    else:
        yield f"{place} has {seen.text} lines." if command.startswith("wc") else f"{place} says:\n{seen.text}"


def make_executable(scene: Scene) -> Script:
    name = scene.put_file(scene.draw_name(ending="sh"), "echo ready")
    yield scene.ask("executable", name=name)
    yield format_bash(f"chmod +x {quote_text(name)}")
    yield f"{name} can be run now."


def combine_jobs(scene: Scene) -> Script:
    """Two jobs in one request."""
    old, new, folder = scene.make_file("text", inside=0), scene.draw_name(ending="txt"), scene.draw_folder()
    kind = scene.pick("copy-show", "rename-list", "make-move", "copy-delete")
    scene.add_other_files(2)
    yield scene.ask(f"two-{kind}", old=old, new=new, folder=folder)
    commands = {
        "copy-show": f"cp {quote_text(old)} {quote_text(new)} && cat {quote_text(new)}",
        "rename-list": f"mv {quote_text(old)} {quote_text(new)} && ls",
        "make-move": f"mkdir -p {folder} && mv {quote_text(old)} {folder}/ && ls {folder}",
        "copy-delete": f"cp {quote_text(old)} {quote_text(new)} && rm {quote_text(old)}",
    }
    seen = yield format_bash(commands[kind])
    answers = {
        "copy-show": f"I copied {old} to {new}. It says:\n{seen.text}",
        "rename-list": f"I renamed {old} to {new}. The files are:{format_lines(seen.lines)}",
        "make-move": f"I moved {old} to {folder}, which holds:{format_lines(seen.lines)}",
        "copy-delete": f"I copied {old} to {new} and deleted {old}.",
    }
    yield answers[kind]


def _make_group(scene: Scene) -> tuple[str, str]:
    """Make some files of a kind and one of another; give the glob and what they are called."""
    ending, mark = scene.pick(*GROUPS), scene.draw_word()
    scene.used.add(mark)
    many = scene.random.randint(1, 4)
    by_name = scene.draw_chance(0.35)
    for _ in range(many):
        scene.put_file(
            f"{mark}_{scene.draw_name()}" if by_name else scene.draw_name(ending=ending), scene.draw_note(1)
        )
    scene.put_file(scene.draw_name(ending=scene.pick(*(set(GROUPS) - {ending}))), "x")
    if by_name:
        return f"{mark}*", scene.pick(
            f"the files that begin with {mark}", f"the {mark}_ files", f"everything that starts with {mark}"
        )
    return f"*.{ending}", scene.pick(
        f"the {KINDS[ending]} files", f"the .{ending} files", f"the {ending} files"
    )

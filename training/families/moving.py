"""Files that get another name or place, are copied or go. A copy leaves the first where it is.

A glob hits its kind alone.
"""

from __future__ import annotations

from training import words
from training.families.looking import KINDS, told_place
from training.scene import Scene, quoted, stacked
from training.script import Script, bash, slip

GROUPS = tuple(KINDS)


def rename(scene: Scene) -> Script:
    old = scene.file("", inside=0.12)
    folder, _, name = old.rpartition("/")
    ending = name.rpartition(".")[2] if scene.chance(0.8) else words.ending(scene.random)
    new = scene.fresh(ending=ending)
    target = f"{folder}/{new}" if folder else new
    scene.litter(3)
    yield scene.ask("rename", old=old, new=new)
    yield bash(f"mv {quoted(old)} {quoted(target)}")
    yield f"I renamed {old} to {target}."


def move(scene: Scene) -> Script:
    """One file or two into a folder, which may not be there yet."""
    names = [scene.file("", inside=0) for _ in range(scene.random.choice((1, 1, 1, 2, 3)))]
    folder, new = scene.folder(), scene.chance(0.5)
    if not new:
        scene.put(f"{folder}/{scene.fresh()}", "x")
    scene.litter(3)
    yield scene.ask(
        "move-new" if new and scene.chance(0.6) else "move", names=words.listed(names), folder=folder
    )
    yield bash(f"mkdir -p {folder} && mv {' '.join(map(quoted, names))} {folder}/")
    yield f"I moved {words.listed(names)} to {folder}."


def copy(scene: Scene) -> Script:
    """A copy under another name: the first stays."""
    old = scene.file("", inside=0.1)
    ending = scene.pick(old.rpartition(".")[2], old.rpartition(".")[2], "bak", "old")
    new = scene.fresh(ending=ending) if scene.chance(0.7) else f"{old}.{scene.pick('bak', 'old', 'copy')}"
    scene.litter(3)
    yield scene.ask("copy", old=old, new=new)
    yield bash(f"cp {quoted(old)} {quoted(new)}")
    yield f"I copied {old} to {new}."


def copy_into(scene: Scene) -> Script:
    """Copies in a folder, one or several."""
    names = [scene.file("", inside=0) for _ in range(scene.random.choice((1, 1, 2)))]
    folder = scene.folder()
    scene.litter(3)
    yield scene.ask("copy-into", names=words.listed(names), folder=folder)
    yield bash(f"mkdir -p {folder} && cp {' '.join(map(quoted, names))} {folder}/")
    yield f"I copied {words.listed(names)} to {folder}."


def copy_folder(scene: Scene) -> Script:
    folder, new = scene.folder(), scene.folder()
    for _ in range(scene.random.randint(1, 3)):
        scene.put(f"{folder}/{scene.fresh()}", "x")
    scene.litter(2)
    gone = scene.chance(0.4)
    yield scene.ask("rename-folder" if gone else "copy-folder", old=folder, new=new)
    yield bash(f"{'mv' if gone else 'cp -r'} {folder} {new}")
    yield f"I {'renamed' if gone else 'copied'} the folder {folder} to {new}."


def group(scene: Scene) -> Script:
    """All of one kind, to one folder; other kinds lie beside them and stay."""
    glob, kind = _group(scene)
    folder, copied = scene.folder(), scene.chance(0.4)
    if scene.chance(0.3):
        scene.put(f"{folder}/{scene.fresh(ending='rst')}", "x")
    scene.litter(2)
    yield scene.ask("copy-group" if copied else "move-group", kind=kind, folder=folder)
    yield bash(f"mkdir -p {folder} && {'cp' if copied else 'mv'} {glob} {folder}/")
    yield f"I {'copied' if copied else 'moved'} {kind} to {folder}."


def delete(scene: Scene) -> Script:
    """One file or some, by name."""
    names = [scene.file("", inside=0.12) for _ in range(scene.random.choice((1, 1, 1, 1, 2, 3)))]
    scene.litter(4)
    yield scene.ask("delete", names=words.listed(names))
    yield bash(f"rm {' '.join(map(quoted, names))}")
    yield f"I deleted {words.listed(names)}."


def delete_group(scene: Scene) -> Script:
    glob, kind = _group(scene)
    scene.litter(2)
    yield scene.ask("delete-group", kind=kind)
    yield bash(f"rm {glob}")
    yield f"I deleted {kind}."


def delete_folder(scene: Scene) -> Script:
    folder = scene.folder()
    for _ in range(scene.random.randint(0, 3)):
        scene.put(f"{folder}/{scene.fresh()}", "x")
    (scene.root / folder).mkdir(exist_ok=True)
    scene.litter(3)
    yield scene.ask("delete-folder", folder=folder)
    yield bash(f"rm -r {folder}")
    yield f"I deleted the folder {folder}."


def delete_empty(scene: Scene) -> Script:
    """Files that hold nothing."""
    for _ in range(scene.random.randint(1, 3)):
        scene.put(scene.fresh())
    scene.litter(3)
    yield scene.ask("delete-empty")
    seen = yield bash("find . -maxdepth 1 -type f -empty -print -delete")
    yield f"I deleted:{stacked([line.removeprefix('./') for line in seen.lines])}"


def gone(scene: Scene) -> Script:
    """What is asked for is not there: in another folder, or nowhere."""
    name, there = scene.fresh(), scene.chance(0.6)
    place = f"{scene.folder()}/{name}"
    if there:
        scene.put(place, scene.note(2))
    scene.litter(3)
    command, done = scene.pick(("rm {}", "deleted {}"), ("cat {}", ""), ("wc -l < {}", ""))
    section = {"rm {}": "delete", "cat {}": "show", "wc -l < {}": "count-words"}[command]
    yield scene.ask(section, names=name, name=name, what="lines")
    yield slip(bash(command.format(quoted(name))))
    if not there:
        yield from told_place(scene, name)
        return
    yield bash(f"find . -name {quoted(name)}")
    seen = yield bash(command.format(quoted(place)))
    if done:
        yield f"I {done.format(place)}."
    else:
        yield f"{place} has {seen.text} lines." if command.startswith("wc") else f"{place} says:\n{seen.text}"


def mode(scene: Scene) -> Script:
    name = scene.put(scene.fresh(ending="sh"), "echo ready")
    yield scene.ask("executable", name=name)
    yield bash(f"chmod +x {quoted(name)}")
    yield f"{name} can be run now."


def two(scene: Scene) -> Script:
    """Two jobs in one request."""
    old, new, folder = scene.file("text", inside=0), scene.fresh(ending="txt"), scene.folder()
    kind = scene.pick("copy-show", "rename-list", "make-move", "copy-delete")
    scene.litter(2)
    yield scene.ask(f"two-{kind}", old=old, new=new, folder=folder)
    commands = {
        "copy-show": f"cp {quoted(old)} {quoted(new)} && cat {quoted(new)}",
        "rename-list": f"mv {quoted(old)} {quoted(new)} && ls",
        "make-move": f"mkdir -p {folder} && mv {quoted(old)} {folder}/ && ls {folder}",
        "copy-delete": f"cp {quoted(old)} {quoted(new)} && rm {quoted(old)}",
    }
    seen = yield bash(commands[kind])
    answers = {
        "copy-show": f"I copied {old} to {new}. It says:\n{seen.text}",
        "rename-list": f"I renamed {old} to {new}. The files are:{stacked(seen.lines)}",
        "make-move": f"I moved {old} to {folder}, which holds:{stacked(seen.lines)}",
        "copy-delete": f"I copied {old} to {new} and deleted {old}.",
    }
    yield answers[kind]


def _group(scene: Scene) -> tuple[str, str]:
    """Make some files of a kind and one of another; give the glob and what they are called."""
    ending, mark = scene.pick(*GROUPS), scene.word()
    scene.used.add(mark)
    many = scene.random.randint(1, 4)
    by_name = scene.chance(0.35)
    for _ in range(many):
        scene.put(f"{mark}_{scene.fresh()}" if by_name else scene.fresh(ending=ending), scene.note(1))
    scene.put(scene.fresh(ending=scene.pick(*(set(GROUPS) - {ending}))), "x")
    if by_name:
        return f"{mark}*", scene.pick(
            f"the files that begin with {mark}", f"the {mark}_ files", f"everything that starts with {mark}"
        )
    return f"*.{ending}", scene.pick(
        f"the {KINDS[ending]} files", f"the .{ending} files", f"the {ending} files"
    )

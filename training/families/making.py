"""New files and folders, and more lines for those that are there. Texts are copied to the letter."""

from __future__ import annotations

from training import words
from training.scene import Scene, listing, quoted
from training.script import Script, bash, read, write

TEXTS = ("sentence", "phrase", "note", "greeting", "key", "odd")


def touch(scene: Scene) -> Script:
    folder = f"{scene.folder()}/" if scene.chance(0.2) else ""
    if folder and scene.chance(0.6):
        scene.put(f"{folder}{scene.fresh()}", "x")
    name = folder + scene.fresh()
    scene.litter(2)
    yield scene.ask("touch", name=name)
    make = f"mkdir -p {folder.rstrip('/')} && " if folder else ""
    yield bash(f"{make}touch {quoted(name)}")
    yield f"I made the empty file {name}."


def make_folder(scene: Scene) -> Script:
    many = scene.random.choice((1, 1, 1, 1, 2, 3))
    names = [scene.folder() + (f"/{scene.folder()}" if scene.chance(0.15) else "") for _ in range(many)]
    yield scene.ask("mkdir" if many == 1 else "mkdirs", name=names[0], names=words.listed(names))
    yield bash(f"mkdir -p {' '.join(names)}")
    yield f"I made the folder{'s' if many > 1 else ''} {words.listed(names)}."


def save_text(scene: Scene) -> Script:
    """A text that the person gives, to the letter."""
    folder = f"{scene.folder()}/" if scene.chance(0.12) else ""
    name, text = folder + scene.fresh(ending=scene.pick("txt", "txt", "txt", "md", "log")), _text(scene)
    scene.litter(2)
    yield scene.ask("save-text", name=name, text=text)
    yield write(name, text)
    yield f"I saved it as {name}."


def save_list(scene: Scene) -> Script:
    """Several lines, one for each thing."""
    name, items = scene.fresh(ending=scene.pick("txt", "txt", "md")), scene.items(2, 15)
    yield scene.ask("save-list", name=name, items=words.listed(items), commas=", ".join(items))
    yield write(name, "\n".join(items))
    yield f"I saved {len(items)} lines as {name}."


def save_todo(scene: Scene) -> Script:
    """A list with boxes or dashes."""
    name, items = scene.fresh(ending="md"), scene.items(2, 6)
    mark, kind = scene.pick(("- [ ] ", "boxes to tick"), ("- ", "dashes"), ("- [ ] ", "checkboxes"))
    yield scene.ask("save-todo", name=name, items=words.listed(items), kind=kind)
    yield write(name, "\n".join(mark + item for item in items))
    yield f"I saved the list with {len(items)} entries as {name}."


def append(scene: Scene) -> Script:
    name = scene.file("text")
    scene.litter(2)
    text = _text(scene).replace("\n", " ")
    yield scene.ask("append", name=name, text=text)
    yield bash(f"echo {quoted(text) if quoted(text) != text else repr(text)} >> {quoted(name)}")
    yield f"I added the line to {name}."


def append_more(scene: Scene) -> Script:
    """Several lines at once, and a bullet or a box where the list has them."""
    items, name = scene.items(2, 4), scene.fresh(ending=scene.pick("txt", "md"))
    mark = scene.pick("- [ ] ", "- ") if name.endswith("md") else ""
    scene.put(name, "\n".join(mark + item for item in scene.items(2, 5)))
    one = scene.chance(0.5)
    new = items[:1] if one else items
    if mark:
        yield scene.ask("append-list", name=name, items=words.listed(new))
        yield read(name)
    else:
        yield scene.ask("append-list", name=name, items=words.listed(new))
    lines = "\n".join(mark + item for item in new)
    yield bash(f"cat >> {quoted(name)} <<'END'\n{lines}\nEND")
    yield f"I added {listing(new)} to {name}."


def insert(scene: Scene) -> Script:
    """A line at the top."""
    name, text = scene.file("text", inside=0), words.phrase(scene.random)
    yield scene.ask("insert", name=name, text=text)
    yield bash(f"sed -i {quoted(f'1i {text}')} {quoted(name)}")
    yield f"{text} is now the first line of {name}."


def join(scene: Scene) -> Script:
    names = [scene.file("text", scene.note(3), inside=0) for _ in range(scene.random.randint(2, 3))]
    target = scene.fresh(ending="txt")
    yield scene.ask("join", names=words.listed(names), target=target)
    yield bash(f"cat {' '.join(map(quoted, names))} > {quoted(target)}")
    yield f"I joined {words.listed(names)} in {target}."


def order(scene: Scene) -> Script:
    """Sort the lines of a file, drop double ones, turn them round."""
    text = scene.items(4, 8)
    text.append(text[0])
    name = scene.put(scene.fresh(ending="txt"), "\n".join(text))
    section, command, done = scene.pick(
        ("sort-file", f"sort -o {quoted(name)} {quoted(name)}", "sorted the lines of"),
        ("sort-file", f"sort -o {quoted(name)} {quoted(name)}", "sorted the lines of"),
        ("unique-file", f"sort -u -o {quoted(name)} {quoted(name)}", "sorted and removed double lines of"),
        ("reverse-file", f"tac {quoted(name)} > sorted.tmp && mv sorted.tmp {quoted(name)}", "turned round"),
    )
    yield scene.ask(section, name=name)
    yield bash(command)
    yield f"I {done} {name}."


def pack(scene: Scene) -> Script:
    """An archive of a folder."""
    folder = scene.folder()
    scene.put(f"{folder}/{scene.fresh()}", scene.note(2))
    scene.put(f"{folder}/{scene.fresh()}", scene.note(2))
    kind = scene.pick("tar.gz", "tar.gz", "zip")
    target = f"{scene.pick(folder, scene.folder())}.{kind}"
    yield scene.ask("pack", folder=folder, target=target)
    command = (
        f"tar -czf {target} {folder}" if kind == "tar.gz" else f"python3 -m zipfile -c {target} {folder}"
    )
    yield bash(command)
    yield f"I packed {folder} into {target}."


def _text(scene: Scene) -> str:
    kind, odd = scene.pick(*TEXTS), words.made_up(scene.random)
    value = scene.pick(scene.word("city"), scene.number(), odd)
    texts = {
        "sentence": words.sentence(scene.random),
        "phrase": words.phrase(scene.random),
        "note": f"{words.sentence(scene.random)} {words.sentence(scene.random)}",
        "greeting": f"{scene.pick('Hello', 'Dear', 'Hi', 'Good morning', 'Welcome')} {scene.word('first')}",
        "key": f"{scene.word()}={value}",
        "odd": f"{scene.word('first')}'s {scene.word()} ({scene.number(2)} %), {odd}!",
    }
    return texts[kind]

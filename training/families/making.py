"""New files and folders, and more lines for those that are there. Texts are copied to the letter."""

from __future__ import annotations

from training import words
from training.scene import Scene, format_names, quote_text
from training.script import Script, format_bash, format_read, format_write

TEXTS = ("sentence", "phrase", "note", "greeting", "key", "odd")


def touch_file(scene: Scene) -> Script:
    folder = f"{scene.draw_folder()}/" if scene.draw_chance(0.2) else ""
    if folder and scene.draw_chance(0.6):
        scene.put_file(f"{folder}{scene.draw_name()}", "x")
    name = folder + scene.draw_name()
    scene.add_other_files(2)
    yield scene.ask("touch", name=name)
    make = f"mkdir -p {folder.rstrip('/')} && " if folder else ""
    yield format_bash(f"{make}touch {quote_text(name)}")
    yield f"I made the empty file {name}."


def make_folder(scene: Scene) -> Script:
    many = scene.random.choice((1, 1, 1, 1, 2, 3))
    names = [
        scene.draw_folder() + (f"/{scene.draw_folder()}" if scene.draw_chance(0.15) else "")
        for _ in range(many)
    ]
    yield scene.ask("mkdir" if many == 1 else "mkdirs", name=names[0], names=words.format_list(names))
    yield format_bash(f"mkdir -p {' '.join(names)}")
    yield f"I made the folder{'s' if many > 1 else ''} {words.format_list(names)}."


def save_text(scene: Scene) -> Script:
    """A text that the person gives, to the letter."""
    folder = f"{scene.draw_folder()}/" if scene.draw_chance(0.12) else ""
    name, text = (
        folder + scene.draw_name(ending=scene.pick("txt", "txt", "txt", "md", "log")),
        _draw_text(scene),
    )
    scene.add_other_files(2)
    yield scene.ask("save-text", name=name, text=text)
    yield format_write(name, text)
    yield f"I saved it as {name}."


def save_list(scene: Scene) -> Script:
    """Several lines, one for each thing."""
    name, items = scene.draw_name(ending=scene.pick("txt", "txt", "md")), scene.draw_items(2, 15)
    yield scene.ask("save-list", name=name, items=words.format_list(items), commas=", ".join(items))
    yield format_write(name, "\n".join(items))
    yield f"I saved {len(items)} lines as {name}."


def save_todo(scene: Scene) -> Script:
    """A list with boxes or dashes."""
    name, items = scene.draw_name(ending="md"), scene.draw_items(2, 6)
    mark, kind = scene.pick(("- [ ] ", "boxes to tick"), ("- ", "dashes"), ("- [ ] ", "checkboxes"))
    yield scene.ask("save-todo", name=name, items=words.format_list(items), kind=kind)
    yield format_write(name, "\n".join(mark + item for item in items))
    yield f"I saved the list with {len(items)} entries as {name}."


def append_line(scene: Scene) -> Script:
    name = scene.make_file("text")
    scene.add_other_files(2)
    text = _draw_text(scene).replace("\n", " ")
    yield scene.ask("append", name=name, text=text)
    yield format_bash(
        f"echo {quote_text(text) if quote_text(text) != text else repr(text)} >> {quote_text(name)}"
    )
    yield f"I added the line to {name}."


def append_lines(scene: Scene) -> Script:
    """Several lines at once, and a bullet or a box where the list has them."""
    items, name = scene.draw_items(2, 4), scene.draw_name(ending=scene.pick("txt", "md"))
    mark = scene.pick("- [ ] ", "- ") if name.endswith("md") else ""
    scene.put_file(name, "\n".join(mark + item for item in scene.draw_items(2, 5)))
    one = scene.draw_chance(0.5)
    new = items[:1] if one else items
    if mark:
        yield scene.ask("append-list", name=name, items=words.format_list(new))
        yield format_read(name)
    else:
        yield scene.ask("append-list", name=name, items=words.format_list(new))
    lines = "\n".join(mark + item for item in new)
    yield format_bash(f"cat >> {quote_text(name)} <<'END'\n{lines}\nEND")
    yield f"I added {format_names(new)} to {name}."


def insert_line(scene: Scene) -> Script:
    """A line at the top."""
    name, text = scene.make_file("text", inside=0), words.draw_phrase(scene.random)
    yield scene.ask("insert", name=name, text=text)
    yield format_bash(f"sed -i {quote_text(f'1i {text}')} {quote_text(name)}")
    yield f"{text} is now the first line of {name}."


def join_files(scene: Scene) -> Script:
    names = [scene.make_file("text", scene.draw_note(3), inside=0) for _ in range(scene.random.randint(2, 3))]
    target = scene.draw_name(ending="txt")
    yield scene.ask("join", names=words.format_list(names), target=target)
    yield format_bash(f"cat {' '.join(map(quote_text, names))} > {quote_text(target)}")
    yield f"I joined {words.format_list(names)} in {target}."


def sort_lines(scene: Scene) -> Script:
    """Sort the lines of a file, drop double ones, turn them round."""
    text = scene.draw_items(4, 8)
    text.append(text[0])
    name = scene.put_file(scene.draw_name(ending="txt"), "\n".join(text))
    section, command, done = scene.pick(
        ("sort-file", f"sort -o {quote_text(name)} {quote_text(name)}", "sorted the lines of"),
        ("sort-file", f"sort -o {quote_text(name)} {quote_text(name)}", "sorted the lines of"),
        (
            "unique-file",
            f"sort -u -o {quote_text(name)} {quote_text(name)}",
            "sorted and removed double lines of",
        ),
        (
            "reverse-file",
            f"tac {quote_text(name)} > sorted.tmp && mv sorted.tmp {quote_text(name)}",
            "turned round",
        ),
    )
    yield scene.ask(section, name=name)
    yield format_bash(command)
    yield f"I {done} {name}."


def pack_folder(scene: Scene) -> Script:
    """An archive of a folder."""
    folder = scene.draw_folder()
    scene.put_file(f"{folder}/{scene.draw_name()}", scene.draw_note(2))
    scene.put_file(f"{folder}/{scene.draw_name()}", scene.draw_note(2))
    kind = scene.pick("tar.gz", "tar.gz", "zip")
    target = f"{scene.pick(folder, scene.draw_folder())}.{kind}"
    yield scene.ask("pack", folder=folder, target=target)
    command = (
        f"tar -czf {target} {folder}" if kind == "tar.gz" else f"python3 -m zipfile -c {target} {folder}"
    )
    yield format_bash(command)
    yield f"I packed {folder} into {target}."


def _draw_text(scene: Scene) -> str:
    kind, odd = scene.pick(*TEXTS), words.invent_word(scene.random)
    value = scene.pick(scene.draw_word("city"), scene.draw_number(), odd)
    texts = {
        "sentence": words.draw_sentence(scene.random),
        "phrase": words.draw_phrase(scene.random),
        "note": f"{words.draw_sentence(scene.random)} {words.draw_sentence(scene.random)}",
        "greeting": f"{scene.pick('Hello', 'Dear', 'Hi', 'Good morning', 'Welcome')} "
        f"{scene.draw_word('first')}",
        "key": f"{scene.draw_word()}={value}",
        "odd": f"{scene.draw_word('first')}'s {scene.draw_word()} ({scene.draw_number(2)} %), {odd}!",
    }
    return texts[kind]

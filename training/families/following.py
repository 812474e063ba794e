"""Requests that go on from the one before: did it work, now delete it, and how many lines.

`it` is the file at hand.
"""

from __future__ import annotations

from training import words
from training.families.looking import report_place
from training.scene import Scene, format_lines, quote_text
from training.script import Reply, Script, format_bash, format_python, format_write, mark_mistake


def check_change(scene: Scene) -> Script:
    """After a change the files are looked at, and what is there is told."""
    name, folder, new = scene.make_file("text", inside=0), scene.draw_folder(), scene.draw_name(ending="txt")
    text = words.draw_phrase(scene.random)
    section, command, done, look, proof = scene.pick(
        ("delete", f"rm {quote_text(name)}", f"I deleted {name}.", "ls", f"Yes, {name} is gone."),
        (
            "rename",
            f"mv {quote_text(name)} {quote_text(new)}",
            f"I renamed {name} to {new}.",
            "ls",
            f"Yes, it is called {new} now.",
        ),
        (
            "copy",
            f"cp {quote_text(name)} {quote_text(new)}",
            f"I copied {name} to {new}.",
            "ls",
            f"Yes, there are {name} and {new}.",
        ),
        (
            "mkdir",
            f"mkdir -p {folder}",
            f"I made the folder {folder}.",
            "ls -d */",
            f"Yes, the folder {folder} is there.",
        ),
        (
            "append",
            f"echo {quote_text(text)} >> {quote_text(name)}",
            f"I added the line to {name}.",
            f"tail -n 1 {quote_text(name)}",
            f"Yes, the last line of {name} is: {text}",
        ),
    )
    scene.add_other_files(1)
    yield scene.ask(
        section, name=folder if section == "mkdir" else name, names=name, old=name, new=new, text=text
    )
    yield format_bash(command)
    yield done
    yield scene.ask("did-it-work")
    yield format_bash(look)
    yield proof


def follow_up_file(scene: Scene) -> Script:
    """A file is shown or made, then something is done to it."""
    name = scene.make_file("text", inside=0)
    scene.add_other_files(2)
    yield scene.ask("show", name=name)
    seen = yield format_bash(f"cat {quote_text(name)}")
    text = seen.text
    yield (
        f"{name} says:\n{text}"
        if len(seen.lines) <= 6
        else f"{name} has {len(seen.lines)} lines. It begins with: {seen.lines[0]}"
    )
    for kind in scene.random.sample(("lines", "copy", "words", "upper", "last"), scene.random.randint(1, 2)):
        yield from _run_on_file(scene, name, kind)
    end = scene.pick("delete", "rename", "move", "")
    if end:
        yield from _move_or_delete(scene, name, end)


def follow_up_program(scene: Scene) -> Script:
    """A program is written, then run again, then changed."""
    name, word, other = scene.draw_name(ending="py"), scene.draw_word(), scene.draw_word()
    code = f'print("{word}")'
    yield scene.ask("program", "coder", name=name, what=f"prints {word}")
    yield format_python(code, name)
    yield f"I saved {name}, and it printed {word}."
    if scene.draw_chance(0.5):
        yield scene.ask("again-run", "coder")
        yield format_bash(f"python3 {quote_text(name)}")
        yield f"{name} printed: {word}"
    yield scene.ask("now-print", "coder", word=other)
    yield format_python(f'print("{other}")', name)
    yield f"I saved {name}, and it printed {other}."


def correct_name(scene: Scene) -> Script:
    """The model itself wrote a name wrongly: it looks and mends."""
    name = scene.make_file("text", inside=0)
    scene.add_other_files(3)
    section, command = scene.pick(
        ("show", "cat {}"),
        ("count-words", "wc -l < {}"),
        ("delete", "rm {}"),
        ("first-line", "head -n 1 {}"),
        ("size", "stat -c %s {}"),
    )
    yield scene.ask(section, name=name, names=name, what="lines")
    yield mark_mistake(format_bash(command.format(quote_text(misspell_name(scene, name)))))
    seen = yield format_bash(command.format(quote_text(name)))
    yield {
        "show": f"{name} begins with: {seen.lines[0] if seen.lines else 'nothing'}",
        "count-words": f"{name} has {seen.text} lines.",
        "delete": f"I deleted {name}.",
        "first-line": f"The first line is: {seen.text}",
        "size": f"{name} has {seen.text} bytes.",
    }[section]


def correct_command(scene: Scene) -> Script:
    """What fails for another reason: a folder, a missing folder, a module that is not there."""
    name, folder, target = scene.make_file("text", inside=0), scene.draw_folder(), scene.draw_folder()
    scene.put_file(f"{folder}/{scene.draw_name()}", "x")
    numbers = [scene.draw_number(2) for _ in range(4)]
    kind = scene.pick("rm", "mv", "cat", "numpy", "cp")
    rows = {
        "rm": (
            "delete-folder",
            f"rm {folder}",
            format_bash(f"rm -r {folder}"),
            f"I deleted the folder {folder}.",
        ),
        "mv": (
            "move",
            f"mv {quote_text(name)} {target}/",
            format_bash(f"mkdir -p {target} && mv {quote_text(name)} {target}/"),
            f"I moved {name} to {target}.",
        ),
        "cat": ("list-folder", f"cat {folder}", format_bash(f"ls {folder}"), ""),
        "cp": (
            "copy-folder",
            f"cp {folder} {target}",
            format_bash(f"cp -r {folder} {target}"),
            f"I copied the folder {folder} to {target}.",
        ),
        "numpy": ("of-list", "", "", ""),
    }
    section, bad, good, done = rows[kind]
    if kind == "numpy":
        module = scene.pick("numpy", "pandas", "statistic", "numpi")
        yield scene.ask(section, "coder", what="average", text=", ".join(map(str, numbers)))
        yield mark_mistake(format_python(f"import {module}\nprint({module}.mean({numbers}))"))
        seen = yield format_python(f"numbers = {numbers}\nprint(sum(numbers) / len(numbers))")
        yield f"The average is {seen.text}."
        return
    where = folder if kind != "mv" else target
    yield scene.ask(section, folder=where, names=name, old=folder, new=target)
    yield mark_mistake(format_bash(bad))
    seen = yield good
    yield done or f"In {folder} {'is' if len(seen.lines) == 1 else 'are'}:{format_lines(seen.lines)}"


def report_missing(scene: Scene) -> Script:
    """What cannot be done is said, after a look."""
    name = scene.draw_name()
    scene.add_other_files(3)
    section, command = scene.pick(
        ("copy", f"cp {quote_text(name)} x"),
        ("rename", f"mv {quote_text(name)} x"),
        ("show", f"cat {quote_text(name)}"),
        ("run", f"python3 {quote_text(name)}"),
    )
    yield scene.ask(section, name=name, old=name, new=scene.draw_name())
    yield Reply(format_bash(command.replace(" x", f" {scene.draw_name()}")), "badly", taught=False)
    yield from report_place(scene, name)


def drill_names(scene: Scene) -> Script:
    """Odd names through every tag, to the letter."""
    middle = scene.pick("_", "-", ".", "")
    stem = (
        f"{words.invent_word(scene.random)}{middle}{words.invent_word(scene.random)}"
        f"{scene.pick('', scene.draw_number(3))}"
    )
    name = f"{stem}.{words.draw_ending(scene.random, 'text')}"
    text = (
        f"{words.invent_word(scene.random)} {scene.draw_number()} "
        f"{words.invent_word(scene.random).capitalize()}"
    )
    yield scene.ask("save-text", name=name, text=text)
    yield format_write(name, text)
    yield f"I saved it as {name}."
    if scene.draw_chance(0.5):
        yield scene.ask("find", name=name)
        yield format_bash(f"find . -name {quote_text(name)}")
        yield f"It is here:\n{name}"
    yield scene.ask("show", name=name)
    yield format_bash(f"cat {quote_text(name)}")
    yield f"{name} says:\n{text}"


def misspell_name(scene: Scene, name: str) -> str:
    """Write a name as a small model does that remembers instead of copying."""
    stem, _, ending = name.rpartition(".")
    ways = (
        f"{stem[: max(2, len(stem) // 2)]}{words.word(scene.random)[-3:]}.{ending}",
        f"{stem}.{words.draw_ending(scene.random)}x",
        f"{stem.replace('_', '-') if '_' in stem else stem + 's'}.{ending}",
        f"{words.word(scene.random)}/{name}",
        f"{stem[:-1]}.{ending}",
    )
    return scene.random.choice(ways)


def _run_on_file(scene: Scene, name: str, kind: str) -> Script:
    new = scene.draw_name(ending="txt")
    command = {
        "lines": f"wc -l < {quote_text(name)}",
        "words": f"wc -w < {quote_text(name)}",
        "last": f"tail -n 1 {quote_text(name)}",
        "copy": f"cp {quote_text(name)} {quote_text(new)}",
        "upper": f"sed -i 's/.*/\\U&/' {quote_text(name)}",
    }[kind]
    yield scene.ask(f"it-{kind}", new=new)
    seen = yield format_bash(command)
    yield {
        "lines": f"{name} has {seen.text} lines.",
        "words": f"{name} has {seen.text} words.",
        "last": f"The last line is: {seen.text}",
        "copy": f"I copied {name} to {new}.",
        "upper": f"{name} is in capital letters now.",
    }[kind]


def _move_or_delete(scene: Scene, name: str, kind: str) -> Script:
    new, folder = scene.draw_name(ending="txt"), scene.draw_folder()
    command, done = {
        "delete": (f"rm {quote_text(name)}", f"I deleted {name}."),
        "rename": (f"mv {quote_text(name)} {quote_text(new)}", f"I renamed {name} to {new}."),
        "move": (f"mkdir -p {folder} && mv {quote_text(name)} {folder}/", f"I moved {name} to {folder}."),
    }[kind]
    yield scene.ask(f"it-{kind}", new=new, folder=folder)
    yield format_bash(command)
    yield done

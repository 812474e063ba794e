"""Requests that go on from the one before: did it work, now delete it, and how many lines.

`it` is the file at hand.
"""

from __future__ import annotations

from training import words
from training.families.looking import told_place
from training.scene import Scene, quoted, stacked
from training.script import Reply, Script, bash, python, slip, write


def did_it_work(scene: Scene) -> Script:
    """After a change the files are looked at, and what is there is told."""
    name, folder, new = scene.file("text", inside=0), scene.folder(), scene.fresh(ending="txt")
    text = words.phrase(scene.random)
    section, command, done, look, proof = scene.pick(
        ("delete", f"rm {quoted(name)}", f"I deleted {name}.", "ls", f"Yes, {name} is gone."),
        (
            "rename",
            f"mv {quoted(name)} {quoted(new)}",
            f"I renamed {name} to {new}.",
            "ls",
            f"Yes, it is called {new} now.",
        ),
        (
            "copy",
            f"cp {quoted(name)} {quoted(new)}",
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
            f"echo {quoted(text)} >> {quoted(name)}",
            f"I added the line to {name}.",
            f"tail -n 1 {quoted(name)}",
            f"Yes, the last line of {name} is: {text}",
        ),
    )
    scene.litter(1)
    yield scene.ask(
        section, name=folder if section == "mkdir" else name, names=name, old=name, new=new, text=text
    )
    yield bash(command)
    yield done
    yield scene.ask("did-it-work")
    yield bash(look)
    yield proof


def then(scene: Scene) -> Script:
    """A file is shown or made, then something is done to it."""
    name = scene.file("text", inside=0)
    scene.litter(2)
    yield scene.ask("show", name=name)
    seen = yield bash(f"cat {quoted(name)}")
    text = seen.text
    yield (
        f"{name} says:\n{text}"
        if len(seen.lines) <= 6
        else f"{name} has {len(seen.lines)} lines. It begins with: {seen.lines[0]}"
    )
    for kind in scene.random.sample(("lines", "copy", "words", "upper", "last"), scene.random.randint(1, 2)):
        yield from _on_it(scene, name, kind)
    end = scene.pick("delete", "rename", "move", "")
    if end:
        yield from _ends(scene, name, end)


def program_then(scene: Scene) -> Script:
    """A program is written, then run again, then changed."""
    name, word, other = scene.fresh(ending="py"), scene.word(), scene.word()
    code = f'print("{word}")'
    yield scene.ask("program", "coder", name=name, what=f"prints {word}")
    yield python(code, name)
    yield f"I saved {name}, and it printed {word}."
    if scene.chance(0.5):
        yield scene.ask("again-run", "coder")
        yield bash(f"python3 {quoted(name)}")
        yield f"{name} printed: {word}"
    yield scene.ask("now-print", "coder", word=other)
    yield python(f'print("{other}")', name)
    yield f"I saved {name}, and it printed {other}."


def wrong_name(scene: Scene) -> Script:
    """The model itself wrote a name wrongly: it looks and mends."""
    name = scene.file("text", inside=0)
    scene.litter(3)
    section, command = scene.pick(
        ("show", "cat {}"),
        ("count-words", "wc -l < {}"),
        ("delete", "rm {}"),
        ("first-line", "head -n 1 {}"),
        ("size", "stat -c %s {}"),
    )
    yield scene.ask(section, name=name, names=name, what="lines")
    yield slip(bash(command.format(quoted(misread(scene, name)))))
    seen = yield bash(command.format(quoted(name)))
    yield {
        "show": f"{name} begins with: {seen.lines[0] if seen.lines else 'nothing'}",
        "count-words": f"{name} has {seen.text} lines.",
        "delete": f"I deleted {name}.",
        "first-line": f"The first line is: {seen.text}",
        "size": f"{name} has {seen.text} bytes.",
    }[section]


def wrong_command(scene: Scene) -> Script:
    """What fails for another reason: a folder, a missing folder, a module that is not there."""
    name, folder, target = scene.file("text", inside=0), scene.folder(), scene.folder()
    scene.put(f"{folder}/{scene.fresh()}", "x")
    numbers = [scene.number(2) for _ in range(4)]
    kind = scene.pick("rm", "mv", "cat", "numpy", "cp")
    rows = {
        "rm": ("delete-folder", f"rm {folder}", bash(f"rm -r {folder}"), f"I deleted the folder {folder}."),
        "mv": (
            "move",
            f"mv {quoted(name)} {target}/",
            bash(f"mkdir -p {target} && mv {quoted(name)} {target}/"),
            f"I moved {name} to {target}.",
        ),
        "cat": ("list-folder", f"cat {folder}", bash(f"ls {folder}"), ""),
        "cp": (
            "copy-folder",
            f"cp {folder} {target}",
            bash(f"cp -r {folder} {target}"),
            f"I copied the folder {folder} to {target}.",
        ),
        "numpy": ("of-list", "", "", ""),
    }
    section, bad, good, done = rows[kind]
    if kind == "numpy":
        module = scene.pick("numpy", "pandas", "statistic", "numpi")
        yield scene.ask(section, "coder", what="average", text=", ".join(map(str, numbers)))
        yield slip(python(f"import {module}\nprint({module}.mean({numbers}))"))
        seen = yield python(f"numbers = {numbers}\nprint(sum(numbers) / len(numbers))")
        yield f"The average is {seen.text}."
        return
    where = folder if kind != "mv" else target
    yield scene.ask(section, folder=where, names=name, old=folder, new=target)
    yield slip(bash(bad))
    seen = yield good
    yield done or f"In {folder} {'is' if len(seen.lines) == 1 else 'are'}:{stacked(seen.lines)}"


def honest(scene: Scene) -> Script:
    """What cannot be done is said, after a look."""
    name = scene.fresh()
    scene.litter(3)
    section, command = scene.pick(
        ("copy", f"cp {quoted(name)} x"),
        ("rename", f"mv {quoted(name)} x"),
        ("show", f"cat {quoted(name)}"),
        ("run", f"python3 {quoted(name)}"),
    )
    yield scene.ask(section, name=name, old=name, new=scene.fresh())
    yield Reply(bash(command.replace(" x", f" {scene.fresh()}")), "badly", taught=False)
    yield from told_place(scene, name)


def drill(scene: Scene) -> Script:
    """Odd names through every tag, to the letter."""
    middle = scene.pick("_", "-", ".", "")
    stem = (
        f"{words.made_up(scene.random)}{middle}{words.made_up(scene.random)}{scene.pick('', scene.number(3))}"
    )
    name = f"{stem}.{words.ending(scene.random, 'text')}"
    text = f"{words.made_up(scene.random)} {scene.number()} {words.made_up(scene.random).capitalize()}"
    yield scene.ask("save-text", name=name, text=text)
    yield write(name, text)
    yield f"I saved it as {name}."
    if scene.chance(0.5):
        yield scene.ask("find", name=name)
        yield bash(f"find . -name {quoted(name)}")
        yield f"It is here:\n{name}"
    yield scene.ask("show", name=name)
    yield bash(f"cat {quoted(name)}")
    yield f"{name} says:\n{text}"


def misread(scene: Scene, name: str) -> str:
    """Write a name as a small model does that remembers instead of copying."""
    stem, _, ending = name.rpartition(".")
    ways = (
        f"{stem[: max(2, len(stem) // 2)]}{words.word(scene.random)[-3:]}.{ending}",
        f"{stem}.{words.ending(scene.random)}x",
        f"{stem.replace('_', '-') if '_' in stem else stem + 's'}.{ending}",
        f"{words.word(scene.random)}/{name}",
        f"{stem[:-1]}.{ending}",
    )
    return scene.random.choice(ways)


def _on_it(scene: Scene, name: str, kind: str) -> Script:
    new = scene.fresh(ending="txt")
    command = {
        "lines": f"wc -l < {quoted(name)}",
        "words": f"wc -w < {quoted(name)}",
        "last": f"tail -n 1 {quoted(name)}",
        "copy": f"cp {quoted(name)} {quoted(new)}",
        "upper": f"sed -i 's/.*/\\U&/' {quoted(name)}",
    }[kind]
    yield scene.ask(f"it-{kind}", new=new)
    seen = yield bash(command)
    yield {
        "lines": f"{name} has {seen.text} lines.",
        "words": f"{name} has {seen.text} words.",
        "last": f"The last line is: {seen.text}",
        "copy": f"I copied {name} to {new}.",
        "upper": f"{name} is in capital letters now.",
    }[kind]


def _ends(scene: Scene, name: str, kind: str) -> Script:
    new, folder = scene.fresh(ending="txt"), scene.folder()
    command, done = {
        "delete": (f"rm {quoted(name)}", f"I deleted {name}."),
        "rename": (f"mv {quoted(name)} {quoted(new)}", f"I renamed {name} to {new}."),
        "move": (f"mkdir -p {folder} && mv {quoted(name)} {folder}/", f"I moved {name} to {folder}."),
    }[kind]
    yield scene.ask(f"it-{kind}", new=new, folder=folder)
    yield bash(command)
    yield done

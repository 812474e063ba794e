"""Programs that are broken: run them, read the error, change that line, run again.

Running again alone mends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from training.families.programs import drawn
from training.scene import Scene, quoted
from training.script import Script, bash, broken, edit, slip
from training.tables import rows

AGENTS = ("coder", "coder", "coder", "coder", "file")


@dataclass(frozen=True, slots=True)
class Bug:
    """A broken program, its broken line or lines and what they must be."""

    code: str
    old: str
    new: str
    look: bool = False
    """Whether the error and its line are not enough to mend it."""


def crash(scene: Scene) -> Script:
    """It stops with an error; the error names the line."""
    if scene.chance(0.06):
        yield from _wrong_file(scene)
        return
    bug = _broken_program(scene)
    name = scene.put(scene.fresh(ending="py"), bug.code)
    scene.litter(1)
    yield scene.ask("fix", name=name)
    run = bash(f"python3 {quoted(name)}")
    seen = yield broken(run)
    error = seen.lines[-1] if seen.lines else "it failed"
    if bug.look or not _shown(bug.old, seen.text):
        yield bash(f"cat {quoted(name)}")
    if scene.chance(0.1):
        yield slip(run)
    seen = yield f"{edit(name, bug.old, bug.new)}\n{run}"
    prints = f"It now prints {seen.lines[0]}." if len(seen.lines) == 1 else "It runs now."
    yield f"The error was {error} I corrected the line: {bug.new.strip().splitlines()[0]}\n{prints}"


def wrong(scene: Scene) -> Script:
    """It runs and gives what it should not: look, then change."""
    what, old, new, rest = scene.pick(*rows("wrong"))
    a, b, n = scene.number(2), scene.number(2), scene.random.randint(4, 15)
    slots = {"a": a, "b": b, "n": n, "n1": n - 1, "ab": a - b, "p": scene.word("first"), "w": scene.word()}
    what, old, new, rest = (text.format(**slots) for text in (what, old, new, rest))
    head, _, tail = rest.partition("|")
    lines = (
        (head, old, tail)
        if tail
        else ((old, head) if old.endswith(":") or old.startswith("result") else (head, old))
    )
    name = scene.put(scene.fresh(ending="py"), "\n".join(filter(None, lines)))
    from training import hands

    yield scene.ask("wrong", name=name, what=hands.chosen(scene.random, what))
    yield bash(f"cat {quoted(name)}")
    seen = yield f"{edit(name, old, new)}\n{bash(f'python3 {quoted(name)}')}"
    yield f"I changed the line to {new.strip()}\nIt now prints {', '.join(seen.lines[:12])}."


def change(scene: Scene) -> Script:
    """It works and shall do something else."""
    old, new = scene.word("first"), scene.word("first")
    a, b = scene.random.randint(3, 20), scene.random.randint(21, 40)
    section, line, better, rest = scene.pick(
        ("change-name", f'print("Hello, {old}!")', f'print("Hello, {new}!")', ""),
        ("change-name", f"name = '{old}'", f"name = '{new}'", "print('Hello', name)"),
        ("change-number", f"for i in range(1, {a} + 1):", f"for i in range(1, {b} + 1):", "    print(i)"),
        ("change-number", f"limit = {a}", f"limit = {b}", "print(sum(range(limit + 1)))"),
        ("change-text", f'print("{old} is here")', f'print("{new} is here")', ""),
    )
    code = "\n".join(filter(None, (line, rest)))
    name = scene.put(scene.fresh(ending="py"), code)
    if section == "change-number":
        old, new = str(a), str(b)
    yield scene.ask(section, name=name, old=old, new=new)
    yield bash(f"cat {quoted(name)}")
    seen = yield f"{edit(name, line, better)}\n{bash(f'python3 {quoted(name)}')}"
    shown = seen.text if len(seen.lines) == 1 else f"{len(seen.lines)} lines, the last is {seen.lines[-1]}"
    yield f"I changed {name}. It prints {shown}."


def add_line(scene: Scene) -> Script:
    """One more thing for a program to do."""
    draft, word = drawn(scene, *scene.pick(*rows("plain")[:12])), scene.word()
    name = scene.put(scene.fresh(ending="py"), draft.code)
    yield scene.ask("add-print", name=name, word=word)
    line = f"""echo 'print("{word}")' >> {quoted(name)}\npython3 {quoted(name)}"""
    seen = yield bash(line)
    yield f"{name} now prints {seen.lines[-1]} at the end."


def broken_shell(scene: Scene) -> Script:
    word, n = scene.word(), scene.random.randint(2, 6)
    bad, good, rest = scene.pick(
        ("for i in 1 2 3", "for i in 1 2 3; do", f"  echo {word}\ndone"),
        (f"ech {word}", f"echo {word}", ""),
        (f"if [ {n} -gt 1 ]", f"if [ {n} -gt 1 ]; then", f"  echo {word}\nfi"),
        (f'echo "{word}', f'echo "{word}"', ""),
        (f"lss {word}", "ls", ""),
        (f"ehco {word}", f"echo {word}", ""),
        (f"eco '{word}'", f"echo '{word}'", ""),
        (f"mkdri -p {word}", f"mkdir -p {word}", f"ls -d {word}\nrmdir {word} || exit 1"),
        ("for i in $(seq 3)", "for i in $(seq 3); do", f"  echo {word} $i\ndone"),
        ("for i on 1 2 3; do", "for i in 1 2 3; do", f"  echo {word}\ndone"),
        (f"  echo {word}", f"  echo {word}\nfi", ""),
        (f"  echo {word} $i", f"  echo {word} $i\ndone", ""),
        (f"echo '{word}", f"echo '{word}'", ""),
        (f"print {word}", f"echo {word}", ""),
        ("dat +%F", "date +%F", ""),
    )
    head = {"fi": f"if [ {n} -gt 1 ]; then", "done": f"for i in 1 2 {n}; do"}
    first = head.get(good.rpartition("\n")[2], "")
    name = scene.put(scene.fresh(ending="sh"), "\n".join(filter(None, (first, bad, rest))))
    yield scene.ask("fix", name=name)
    yield broken(bash(f"bash {quoted(name)}"))
    yield bash(f"cat {quoted(name)}")
    yield f"{edit(name, bad, good)}\n{bash(f'bash {quoted(name)}')}"
    yield f"I corrected the line: {good}\n{name} runs now."


def why(scene: Scene) -> Script:
    """Only the reason is asked for; nothing is changed."""
    bug = _broken_program(scene)
    name = scene.put(scene.fresh(ending="py"), bug.code)
    yield scene.ask("why", name=name)
    seen = yield broken(bash(f"python3 {quoted(name)}"))
    error = seen.lines[-1] if seen.lines else "nothing"
    code = {line.strip() for line in bug.code.splitlines()} - {""}
    named = [line.strip() for line in seen.lines if line.strip() in code]
    yield f"It stops with {error}" + (f" The line is: {named[-1]}" if named else "")


def _wrong_file(scene: Scene) -> Script:
    """It opens a file that is there under another name."""
    right = scene.file("text", inside=0)
    stem, _, ending = right.rpartition(".")
    wrong = scene.pick(
        f"{stem}s.{ending}", f"{stem[:-1]}.{ending}", f"my_{right}", f"{stem}.dat", f"{stem}_old.{ending}"
    )
    line, rest = scene.pick(
        ("text = open('{f}').read()", "print(len(text))"),
        ("lines = open('{f}').readlines()", "print(len(lines))"),
        ("with open('{f}') as file:", "    print(file.read())"),
        ("for line in open('{f}'):", "    print(line.strip())"),
        ("words = open('{f}').read().split()", "print(len(words))"),
    )
    bad, good = line.format(f=wrong), line.format(f=right)
    name = scene.put(scene.fresh(ending="py"), f"{bad}\n{rest}")
    yield scene.ask("fix", name=name)
    run = bash(f"python3 {quoted(name)}")
    seen = yield broken(run)
    error = seen.lines[-1]
    yield bash("ls")
    yield f"{edit(name, bad, good)}\n{run}"
    yield f"The error was {error}. The file is called {right}. I corrected the line: {good}\nIt runs now."


def _shown(old: str, text: str) -> bool:
    return all(line.strip() in text for line in old.splitlines())


def _known(scene: Scene) -> Bug:
    """One of the bugs of the table."""
    code, old, new, *look = scene.pick(*rows("bugs"))
    code, old, new = drawn(scene, "", "\0".join((code, old, new))).code.split("\0")
    return Bug(code, old, new, bool(look))


def _broken_program(scene: Scene) -> Bug:
    if scene.chance(0.5):
        return _known(scene)
    while True:
        code = drawn(
            scene, "", scene.pick(*rows("snippets"), *(code for _, code in rows("plain")[4:30]))
        ).code
        if found := scene.pick(*MUTATIONS)(scene.random, code):
            return found


def _line_bug(
    random: Random, code: str, wanted: Callable[[str], bool], spoil: Callable[[str], str]
) -> Bug | None:
    lines = code.split("\n")
    able = [at for at, line in enumerate(lines) if wanted(line) and lines.count(line) == 1]
    if not able:
        return None
    at = random.choice(able)
    new, lines[at] = lines[at], spoil(lines[at])
    return Bug("\n".join(lines), lines[at], new) if lines[at] != new and lines.count(lines[at]) == 1 else None


def _no_colon(random: Random, code: str) -> Bug | None:
    return _line_bug(random, code, lambda line: line.endswith(":"), lambda line: line[:-1])


def _no_bracket(random: Random, code: str) -> Bug | None:
    return _line_bug(random, code, lambda line: line.endswith(")"), lambda line: line[:-1])


def _no_quote(random: Random, code: str) -> Bug | None:
    return _line_bug(
        random, code, lambda line: line.count('"') == 2, lambda line: "".join(line.rsplit('"', 1))
    )


def _misspelt(random: Random, code: str) -> Bug | None:
    able = [row for row in rows("misspelt") if row[0] in code]
    if not able:
        return None
    right, wrongs = random.choice(able)
    return _line_bug(
        random, code, lambda line: right in line, lambda line: line.replace(right, random.choice(wrongs), 1)
    )


def _wrong_name(random: Random, code: str) -> Bug | None:
    names = [name for name in re.findall(r"^(\w{3,}) =", code, re.M) if code.count(name) > 1]
    if not names:
        return None
    name = random.choice(names)
    typo = random.choice((name[:-1], name + "s", name.upper(), name[0] + name[2:]))
    used = re.compile(rf"\b{name}\b(?! =)")
    return _line_bug(
        random, code, lambda line: bool(used.search(line)), lambda line: used.sub(typo, line, count=1)
    )


def _no_import(random: Random, code: str) -> Bug | None:
    first, _, rest = code.partition("\n")
    if not first.startswith("import ") or not rest:
        return None
    line = rest.split("\n")[0]
    return Bug(rest, line, f"{first}\n{line}") if rest.split("\n").count(line) == 1 else None


def _no_indent(random: Random, code: str) -> Bug | None:
    return _line_bug(random, code, lambda line: line.startswith("    "), lambda line: line[4:])


def _more_indent(random: Random, code: str) -> Bug | None:
    lines = code.split("\n")
    able = {
        line
        for before, line in pairwise(lines)
        if line
        and not line.startswith((" ", "else", "elif"))
        and before
        and not before.startswith((" ", "@"))
    }
    return _line_bug(random, code, lambda line: line in able, lambda line: f"    {line}")


def _no_open_bracket(random: Random, code: str) -> Bug | None:
    return _line_bug(
        random, code, lambda line: "print(" in line, lambda line: line.replace("print(", "print ", 1)
    )


def _half_name(random: Random, code: str) -> Bug | None:
    """A function is called by another name than it has."""
    names = re.findall(r"^def (\w{3,})\(", code, re.M)
    if not names:
        return None
    name = random.choice(names)
    typo = random.choice(
        (name[:-1], name.capitalize(), name + "s", name[0] + name[2:], name[:-2] + name[:-3:-1])
    )
    called = re.compile(rf"(?<!def )\b{name}\(")
    return _line_bug(
        random,
        code,
        lambda line: bool(called.search(line)),
        lambda line: called.sub(f"{typo}(", line, count=1),
    )


def _one_sign(random: Random, code: str) -> Bug | None:
    return _line_bug(random, code, lambda line: " == " in line, lambda line: line.replace(" == ", " = ", 1))


def _no_text(random: Random, code: str) -> Bug | None:
    return _line_bug(
        random, code, lambda line: "str(" in line, lambda line: re.sub(r"str\((\w+)\)", r"\1", line)
    )


def _old_print(random: Random, code: str) -> Bug | None:
    lone = re.compile(r"^( *)print\(([^()]*)\)$")
    return _line_bug(
        random, code, lambda line: bool(lone.match(line)), lambda line: lone.sub(r"\1print \2", line)
    )


MUTATIONS = (
    _no_colon,
    _no_colon,
    _no_bracket,
    _no_quote,
    _misspelt,
    _misspelt,
    _misspelt,
    _wrong_name,
    _wrong_name,
    _no_import,
    _no_import,
    _no_indent,
    _more_indent,
    _half_name,
    _half_name,
    _no_open_bracket,
    _one_sign,
    _no_text,
    _old_print,
)

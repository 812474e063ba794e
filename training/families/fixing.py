"""Programs that are broken: run them, read the error, change that line, run again.

Running again alone mends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from training.families.programs import draw_program
from training.scene import Scene, quote_text
from training.script import Script, expect_failure, format_bash, format_edit, mark_mistake
from training.tables import get_rows

AGENTS = ("coder", "coder", "coder", "coder", "file")


@dataclass(frozen=True, slots=True)
class Bug:
    """A broken program, its broken line or lines and what they must be."""

    code: str
    old: str
    new: str
    look: bool = False
    """Whether the error and its line are not enough to mend it."""


def fix_crash(scene: Scene) -> Script:
    """It stops with an error; the error names the line."""
    if scene.draw_chance(0.06):
        yield from _fix_file_name(scene)
        return
    bug = _break_program(scene)
    name = scene.put_file(scene.draw_name(ending="py"), bug.code)
    scene.add_other_files(1)
    yield scene.ask("fix", name=name)
    run = format_bash(f"python3 {quote_text(name)}")
    seen = yield expect_failure(run)
    error = seen.lines[-1] if seen.lines else "it failed"
    if bug.look or not _is_shown(bug.old, seen.text):
        yield format_bash(f"cat {quote_text(name)}")
    if scene.draw_chance(0.1):
        yield mark_mistake(run)
    seen = yield f"{format_edit(name, bug.old, bug.new)}\n{run}"
    prints = f"It now prints {seen.lines[0]}." if len(seen.lines) == 1 else "It runs now."
    yield f"The error was {error} I corrected the line: {bug.new.strip().splitlines()[0]}\n{prints}"


def fix_output(scene: Scene) -> Script:
    """It runs and gives what it should not: look, then change."""
    what, old, new, rest = scene.pick(*get_rows("wrong"))
    a, b, n = scene.draw_number(2), scene.draw_number(2), scene.random.randint(4, 15)
    slots = {
        "a": a,
        "b": b,
        "n": n,
        "n1": n - 1,
        "ab": a - b,
        "p": scene.draw_word("first"),
        "w": scene.draw_word(),
    }
    what, old, new, rest = (text.format(**slots) for text in (what, old, new, rest))
    head, _, tail = rest.partition("|")
    lines = (
        (head, old, tail)
        if tail
        else ((old, head) if old.endswith(":") or old.startswith("result") else (head, old))
    )
    name = scene.put_file(scene.draw_name(ending="py"), "\n".join(filter(None, lines)))
    from training import hands

    yield scene.ask("wrong", name=name, what=hands.resolve_choices(scene.random, what))
    yield format_bash(f"cat {quote_text(name)}")
    seen = yield f"{format_edit(name, old, new)}\n{format_bash(f'python3 {quote_text(name)}')}"
    yield f"I changed the line to {new.strip()}\nIt now prints {', '.join(seen.lines[:12])}."


def change_program(scene: Scene) -> Script:
    """It works and shall do something else."""
    old, new = scene.draw_word("first"), scene.draw_word("first")
    a, b = scene.random.randint(3, 20), scene.random.randint(21, 40)
    section, line, better, rest = scene.pick(
        ("change-name", f'print("Hello, {old}!")', f'print("Hello, {new}!")', ""),
        ("change-name", f"name = '{old}'", f"name = '{new}'", "print('Hello', name)"),
        ("change-number", f"for i in range(1, {a} + 1):", f"for i in range(1, {b} + 1):", "    print(i)"),
        ("change-number", f"limit = {a}", f"limit = {b}", "print(sum(range(limit + 1)))"),
        ("change-text", f'print("{old} is here")', f'print("{new} is here")', ""),
    )
    code = "\n".join(filter(None, (line, rest)))
    name = scene.put_file(scene.draw_name(ending="py"), code)
    if section == "change-number":
        old, new = str(a), str(b)
    yield scene.ask(section, name=name, old=old, new=new)
    yield format_bash(f"cat {quote_text(name)}")
    seen = yield f"{format_edit(name, line, better)}\n{format_bash(f'python3 {quote_text(name)}')}"
    shown = seen.text if len(seen.lines) == 1 else f"{len(seen.lines)} lines, the last is {seen.lines[-1]}"
    yield f"I changed {name}. It prints {shown}."


def add_line(scene: Scene) -> Script:
    """One more thing for a program to do."""
    draft, word = draw_program(scene, *scene.pick(*get_rows("plain")[:12])), scene.draw_word()
    name = scene.put_file(scene.draw_name(ending="py"), draft.code)
    yield scene.ask("add-print", name=name, word=word)
    line = f"""echo 'print("{word}")' >> {quote_text(name)}\npython3 {quote_text(name)}"""
    seen = yield format_bash(line)
    yield f"{name} now prints {seen.lines[-1]} at the end."


def fix_shell(scene: Scene) -> Script:
    word, n = scene.draw_word(), scene.random.randint(2, 6)
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
    name = scene.put_file(scene.draw_name(ending="sh"), "\n".join(filter(None, (first, bad, rest))))
    yield scene.ask("fix", name=name)
    yield expect_failure(format_bash(f"bash {quote_text(name)}"))
    yield format_bash(f"cat {quote_text(name)}")
    yield f"{format_edit(name, bad, good)}\n{format_bash(f'bash {quote_text(name)}')}"
    yield f"I corrected the line: {good}\n{name} runs now."


def explain_error(scene: Scene) -> Script:
    """Only the reason is asked for; nothing is changed."""
    bug = _break_program(scene)
    name = scene.put_file(scene.draw_name(ending="py"), bug.code)
    yield scene.ask("why", name=name)
    seen = yield expect_failure(format_bash(f"python3 {quote_text(name)}"))
    error = seen.lines[-1] if seen.lines else "nothing"
    code = {line.strip() for line in bug.code.splitlines()} - {""}
    named = [line.strip() for line in seen.lines if line.strip() in code]
    yield f"It stops with {error}" + (f" The line is: {named[-1]}" if named else "")


def _fix_file_name(scene: Scene) -> Script:
    """It opens a file that is there under another name."""
    right = scene.make_file("text", inside=0)
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
    name = scene.put_file(scene.draw_name(ending="py"), f"{bad}\n{rest}")
    yield scene.ask("fix", name=name)
    run = format_bash(f"python3 {quote_text(name)}")
    seen = yield expect_failure(run)
    error = seen.lines[-1]
    yield format_bash("ls")
    yield f"{format_edit(name, bad, good)}\n{run}"
    yield f"The error was {error}. The file is called {right}. I corrected the line: {good}\nIt runs now."


def _is_shown(old: str, text: str) -> bool:
    return all(line.strip() in text for line in old.splitlines())


def _draw_bug(scene: Scene) -> Bug:
    """One of the bugs of the table."""
    code, old, new, *look = scene.pick(*get_rows("bugs"))
    code, old, new = draw_program(scene, "", "\0".join((code, old, new))).code.split("\0")
    return Bug(code, old, new, bool(look))


def _break_program(scene: Scene) -> Bug:
    if scene.draw_chance(0.5):
        return _draw_bug(scene)
    while True:
        code = draw_program(
            scene, "", scene.pick(*get_rows("snippets"), *(code for _, code in get_rows("plain")[4:30]))
        ).code
        if found := scene.pick(*MUTATIONS)(scene.random, code):
            return found


def _break_line(
    random: Random, code: str, wanted: Callable[[str], bool], spoil: Callable[[str], str]
) -> Bug | None:
    lines = code.split("\n")
    able = [at for at, line in enumerate(lines) if wanted(line) and lines.count(line) == 1]
    if not able:
        return None
    at = random.choice(able)
    new, lines[at] = lines[at], spoil(lines[at])
    return Bug("\n".join(lines), lines[at], new) if lines[at] != new and lines.count(lines[at]) == 1 else None


def _drop_colon(random: Random, code: str) -> Bug | None:
    return _break_line(random, code, lambda line: line.endswith(":"), lambda line: line[:-1])


def _drop_bracket(random: Random, code: str) -> Bug | None:
    return _break_line(random, code, lambda line: line.endswith(")"), lambda line: line[:-1])


def _drop_quote(random: Random, code: str) -> Bug | None:
    return _break_line(
        random, code, lambda line: line.count('"') == 2, lambda line: "".join(line.rsplit('"', 1))
    )


def _misspell_word(random: Random, code: str) -> Bug | None:
    able = [row for row in get_rows("misspelt") if row[0] in code]
    if not able:
        return None
    right, wrongs = random.choice(able)
    return _break_line(
        random, code, lambda line: right in line, lambda line: line.replace(right, random.choice(wrongs), 1)
    )


def _misspell_variable(random: Random, code: str) -> Bug | None:
    names = [name for name in re.findall(r"^(\w{3,}) =", code, re.M) if code.count(name) > 1]
    if not names:
        return None
    name = random.choice(names)
    typo = random.choice((name[:-1], name + "s", name.upper(), name[0] + name[2:]))
    used = re.compile(rf"\b{name}\b(?! =)")
    return _break_line(
        random, code, lambda line: bool(used.search(line)), lambda line: used.sub(typo, line, count=1)
    )


def _drop_import(random: Random, code: str) -> Bug | None:
    first, _, rest = code.partition("\n")
    if not first.startswith("import ") or not rest:
        return None
    line = rest.split("\n")[0]
    return Bug(rest, line, f"{first}\n{line}") if rest.split("\n").count(line) == 1 else None


def _drop_indent(random: Random, code: str) -> Bug | None:
    return _break_line(random, code, lambda line: line.startswith("    "), lambda line: line[4:])


def _add_indent(random: Random, code: str) -> Bug | None:
    lines = code.split("\n")
    able = {
        line
        for before, line in pairwise(lines)
        if line
        and not line.startswith((" ", "else", "elif"))
        and before
        and not before.startswith((" ", "@"))
    }
    return _break_line(random, code, lambda line: line in able, lambda line: f"    {line}")


def _drop_open_bracket(random: Random, code: str) -> Bug | None:
    return _break_line(
        random, code, lambda line: "print(" in line, lambda line: line.replace("print(", "print ", 1)
    )


def _misspell_function(random: Random, code: str) -> Bug | None:
    """A function is called by another name than it has."""
    names = re.findall(r"^def (\w{3,})\(", code, re.M)
    if not names:
        return None
    name = random.choice(names)
    typo = random.choice(
        (name[:-1], name.capitalize(), name + "s", name[0] + name[2:], name[:-2] + name[:-3:-1])
    )
    called = re.compile(rf"(?<!def )\b{name}\(")
    return _break_line(
        random,
        code,
        lambda line: bool(called.search(line)),
        lambda line: called.sub(f"{typo}(", line, count=1),
    )


def _drop_equals_sign(random: Random, code: str) -> Bug | None:
    return _break_line(random, code, lambda line: " == " in line, lambda line: line.replace(" == ", " = ", 1))


def _drop_str_call(random: Random, code: str) -> Bug | None:
    return _break_line(
        random, code, lambda line: "str(" in line, lambda line: re.sub(r"str\((\w+)\)", r"\1", line)
    )


def _use_old_print(random: Random, code: str) -> Bug | None:
    lone = re.compile(r"^( *)print\(([^()]*)\)$")
    return _break_line(
        random, code, lambda line: bool(lone.match(line)), lambda line: lone.sub(r"\1print \2", line)
    )


MUTATIONS = (
    _drop_colon,
    _drop_colon,
    _drop_bracket,
    _drop_quote,
    _misspell_word,
    _misspell_word,
    _misspell_word,
    _misspell_variable,
    _misspell_variable,
    _drop_import,
    _drop_import,
    _drop_indent,
    _add_indent,
    _misspell_function,
    _misspell_function,
    _drop_open_bracket,
    _drop_equals_sign,
    _drop_str_call,
    _use_old_print,
)

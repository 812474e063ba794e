"""Programs that are written, saved and run; with arguments where the request has some.

What ran is what is told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from training import hands, words
from training.scene import Scene, format_names, quote_text
from training.script import Script, format_bash, format_python, format_write
from training.tables import get_rows

AGENTS = ("coder", "coder", "coder", "coder", "coder", "file")
SHOWN = 5
GREETS = 0.18
"""How often a program is the first that everybody writes."""
INFINITIVES = 0.45
"""How often a program is asked for as one to do something, and not as one that does it."""
USUAL = ("hello.py", "main.py", "test.py", "app.py", "program.py", "script.py", "demo.py", "example.py")
GREETERS = ("hello.py", "hello.py", "hello_world.py", "hi.py", "greet.py", "greeting.py", "main.py", "say.py")
GREETINGS = (
    *("hello", "Hello", "hi", "Hi", "hello world", "hello world", "Hello World", "Hello, World!"),
    *("Hello!", "hey", "Hey there", "Good morning", "good evening", "Welcome", "welcome back", "Hi there"),
    *("bonjour", "hola", "hallo", "ciao", "Hello everyone", "Nice to meet you", "howdy", "good day"),
)
_VERB = re.compile(r"^\w+|(?<= and )\w+|(?<= and then )\w+")
_THIRD = """
    adds alphabetizes calculates calls changes checks chooses combines compares computes congratulates
    connects contains converts counts creates defines deletes determines displays divides does doubles draws
    drops echoes exchanges finds flips generates gets gives goes greets halves has joins keeps lets lists
    loops makes mixes multiplies numbers orders outputs picks plays prints puts raises reads receives removes
    repeats returns reverses rolls saves says sends shares shows shuffles simulates sleeps solves sorts spells
    splits stores strips subtracts sums swaps takes tallies tells tests throws tosses totals tries turns walks
    waits wants welcomes wishes works writes accepts
    """
_VERBS = frozenset(_THIRD.split())
_BASES = {"does": "do", "goes": "go", "has": "have", "echoes": "echo", "wishes": "wish", "tosses": "toss"}
_DOUBLED = frozenset(("get", "let", "put", "split", "strip", "sum", "swap", "flip", "drop", "output"))
_HOLE = re.compile(r"\{(w|v|p|q|t|g|c|d|n|m|m2|k|names|bare|list|nums|numlist|out)\}")


@dataclass(frozen=True, slots=True)
class Draft:
    """A program, and what it is said to do."""

    what: str
    """In the third person: prints hello."""
    code: str
    do: str
    """In the base form: print hello."""
    doing: str
    """In the form of a noun: printing hello."""

    @property
    def slots(self) -> dict[str, str]:
        """What it does, for the wordings' slots."""
        return {"what": self.what, "do": self.do, "doing": self.doing}


def write_program(scene: Scene) -> Script:
    greets = scene.draw_chance(GREETS)
    draft = draw_program(scene, *scene.pick(*get_rows("greetings" if greets else "plain")))
    name = (
        scene.draw_name(ending="py")
        if scene.draw_chance(0.5 if greets else 0.8)
        else scene.pick(*(GREETERS if greets else USUAL))
    )
    scene.add_other_files(2)
    section = "program-do" if scene.draw_chance(INFINITIVES) else "program"
    yield scene.ask(section, name=name, **draft.slots)
    seen = yield format_python(draft.code, name)
    yield describe_saved(name, seen.lines)


def write_with_arguments(scene: Scene) -> Script:
    """A program with arguments is saved, then run with some."""
    what, code, kind = scene.pick(*get_rows("taking"))
    draft, arguments = draw_program(scene, what, f"import sys\n{code}"), _draw_arguments(scene, kind)
    name = scene.draw_name(ending="py")
    given = scene.draw_chance(0.5)
    yield scene.ask("program-try" if given else "program", name=name, **draft.slots, arguments=arguments)
    seen = yield f"{format_write(name, draft.code)}\n{format_bash(f'python3 {quote_text(name)} {arguments}')}"
    shown = f"It printed {seen.text}." if len(seen.lines) == 1 else f"It printed {format_names(seen.lines)}."
    yield f"I saved {name} and ran it with {arguments}. {shown}"


def write_function(scene: Scene) -> Script:
    """A function in a file, tried once."""
    title, parameters, what, body, example = scene.pick(*get_rows("functions"))
    name = scene.draw_name(ending="py")
    code = f"def {title}({parameters}):\n    {body}\n\nprint({title}({example}))"
    draft = draw_program(scene, what, code)
    yield scene.ask("function", name=name, **draft.slots, title=title)
    seen = yield format_python(draft.code, name)
    yield f"{title} is in {name}. Tried once, it gave {seen.text}."


def write_shell(scene: Scene) -> Script:
    draft, name = draw_program(scene, *scene.pick(*get_rows("shell"))), scene.draw_name(ending="sh")
    scene.add_other_files(2)
    yield scene.ask("shell", name=name, **draft.slots)
    seen = yield format_bash(draft.code, name)
    yield describe_saved(name, seen.lines)


def run_file(scene: Scene) -> Script:
    draft = draw_program(scene, *scene.pick(*get_rows("plain")))
    shell = scene.draw_chance(0.25)
    draft = draw_program(scene, *scene.pick(*get_rows("shell"))) if shell else draft
    name = scene.put_file(scene.draw_name(ending="sh" if shell else "py"), draft.code)
    scene.add_other_files(2)
    yield scene.ask("run", name=name)
    seen = yield format_bash(f"{'bash' if shell else 'python3'} {quote_text(name)}")
    yield describe_output(name, seen.lines)


def run_with(scene: Scene) -> Script:
    """A program that is there is run with what the request names."""
    what, code, kind = scene.pick(*get_rows("taking"))
    draft, arguments = draw_program(scene, what, f"import sys\n{code}"), _draw_arguments(scene, kind)
    name = scene.put_file(scene.draw_name(ending="py"), draft.code)
    yield scene.ask("run-with", name=name, arguments=arguments)
    seen = yield format_bash(f"python3 {quote_text(name)} {arguments}")
    yield describe_output(name, seen.lines)


def explain_file(scene: Scene) -> Script:
    """What a program does is read, not run."""
    draft = draw_program(scene, *scene.pick(*get_rows("plain")))
    name = scene.put_file(scene.draw_name(ending="py"), draft.code)
    yield scene.ask("explain-file", name=name)
    yield format_bash(f"cat {quote_text(name)}")
    yield f"{name} is a program that {draft.what}."


def draw_program(scene: Scene, what: str, code: str) -> Draft:
    """Fill the holes of a program and of what it is said to do, and choose the words."""
    names = [scene.draw_word("first") for _ in range(scene.random.randint(2, 5))]
    numbers = [scene.draw_number(2) for _ in range(scene.random.randint(3, 6))]
    text = words.draw_phrase(scene.random).replace("'", "")
    holes: dict[str, object] = {
        "w": (word := scene.draw_word()),
        "v": scene.draw_word(),
        "p": scene.draw_word("first"),
        "q": scene.draw_word("first"),
        "t": text,
        "g": scene.pick(*GREETINGS),
        "c": scene.pick(*word),
        "d": words.draw_day(scene.random),
        "n": scene.random.randint(3, 12),
        "m": scene.random.randint(6, 40),
        "m2": scene.random.randint(10, 99),
        "k": scene.draw_number(2),
        "names": words.format_list(names),
        "bare": " ".join(names),
        "list": repr(names),
        "nums": ", ".join(map(str, numbers)),
        "numlist": repr(numbers),
        "out": scene.draw_name(ending="txt") if "{out}" in code else "",
    }

    def fill_holes(text: str) -> str:
        return _HOLE.sub(lambda hole: str(holes[hole[1]]), text)

    what = hands.resolve_choices(scene.random, what)
    return Draft(
        fill_holes(what),
        fill_holes(code),
        fill_holes(convert_to_base(what)),
        fill_holes(convert_to_gerund(what)),
    )


def convert_to_base(what: str) -> str:
    """Put the verbs of what a program does into the base form: prints hello, print hello."""
    return _VERB.sub(lambda found: _get_base(found[0]), what)


def convert_to_gerund(what: str) -> str:
    """Put the verbs of what a program does into the form of a noun: prints hello, printing hello."""
    return _VERB.sub(lambda found: _get_gerund(found[0]), what)


def _get_base(verb: str) -> str:
    if verb not in _VERBS:
        return verb
    return _BASES.get(verb) or (f"{verb[:-3]}y" if verb.endswith("ies") else verb[:-1])


def _get_gerund(verb: str) -> str:
    if verb not in _VERBS:
        return verb
    stem = _get_base(verb)
    if stem in _DOUBLED:
        return f"{stem}{stem[-1]}ing"
    return f"{stem[:-1] if stem.endswith('e') else stem}ing"


def describe_saved(name: str, lines: list[str]) -> str:
    if not lines:
        return f"I saved {name}, and it ran."
    if len(lines) == 1:
        return f"I saved {name}, and it printed {lines[0]}."
    return f"I saved {name}, and it printed {len(lines)} lines, from {lines[0]} to {lines[-1]}."


def describe_output(name: str, lines: list[str]) -> str:
    if len(lines) == 1:
        return f"{name} printed: {lines[0]}"
    if len(lines) > SHOWN:
        return f"{name} printed {len(lines)} lines, from {lines[0]} to {lines[-1]}."
    return f"{name} printed:\n" + "\n".join(lines) if lines else f"{name} ran and printed nothing."


def _draw_arguments(scene: Scene, kind: str) -> str:
    if kind == "file":
        return quote_text(scene.make_file("text", inside=0))
    values = {
        "name": scene.draw_word("first"),
        "two": f"{scene.draw_number(2)} {scene.draw_number(2)}",
        "number": str(scene.draw_number(3)),
        "small": str(scene.random.randint(3, 12)),
        "word": scene.draw_word(),
        "word-small": f"{scene.draw_word()} {scene.random.randint(2, 5)}",
        "many": " ".join(str(scene.draw_number(2)) for _ in range(scene.random.randint(2, 5))),
    }
    return values[kind]

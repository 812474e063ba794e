"""Programs that are written, saved and run; with arguments where the request has some. What ran is what is told."""

from __future__ import annotations

import re
from dataclasses import dataclass

from training import hands, words
from training.scene import Scene, listing, quoted
from training.script import Script, bash, python, write

AGENTS = ("coder", "coder", "coder", "coder", "coder", "file")
SHOWN = 5
PLAIN = (
    ("prints {w}", 'print("{w}")'),
    ("says hello to {p}", 'print("Hello, {p}!")'),
    ("greets {p}", 'print("Hello, {p}!")'),
    ("prints the (text|words|sentence|message) '{t}'", 'print("{t}")'),
    ("(prints|shows|lists) the numbers from 1 to {n}", "for i in range(1, {n} + 1):\n    print(i)"),
    ("counts (from 1 to|up to) {n}", "for i in range(1, {n} + 1):\n    print(i)"),
    ("counts (down|backwards) from {n} to 1", "for i in range({n}, 0, -1):\n    print(i)"),
    ("(prints|lists) the even numbers (up to|from 2 to) {m}", "for i in range(2, {m} + 1, 2):\n    print(i)"),
    ("(prints|lists) the odd numbers (up to|below) {m}", "for i in range(1, {m} + 1, 2):\n    print(i)"),
    ("prints the squares (of 1 to {n}|of the numbers from 1 to {n})", "for i in range(1, {n} + 1):\n    print(i * i)"),
    ("prints the cubes of 1 to {n}", "for i in range(1, {n} + 1):\n    print(i ** 3)"),
    ("(prints|calculates|computes) the sum of (1 to {m}|all numbers up to {m})", "print(sum(range(1, {m} + 1)))"),
    ("(prints|shows) the (multiplication|times) table of {n}", 'for i in range(1, 11):\n    print({n}, "x", i, "=", {n} * i)'),
    ("prints the first {n} fibonacci numbers", "a, b = 0, 1\nfor _ in range({n}):\n    print(a)\n    a, b = b, a + b"),
    ("(prints|finds) [all] the prime[s| numbers] (below|up to) {m}", "for p in range(2, {m} + 1):\n    if all(p % d for d in range(2, p)):\n        print(p)"),
    ("prints (today's date|the date of today|the current date)", "import datetime\nprint(datetime.date.today())"),
    ("prints {w} {n} times", 'for _ in range({n}):\n    print("{w}")'),
    ("adds {m} and {k} and prints the result", "print({m} + {k})"),
    ("multiplies {m} (by|with) {k}", "print({m} * {k})"),
    ("(prints|computes) the factorial of {n}", "import math\nprint(math.factorial({n}))"),
    ("prints a random number (from|between) 1 (to|and) {m}", "import random\nprint(random.randint(1, {m}))"),
    ("(rolls|throws) a (die|dice)", "import random\nprint(random.randint(1, 6))"),
    ("(prints|draws) a (triangle|pyramid) of stars with {n} rows", 'for i in range(1, {n} + 1):\n    print("*" * i)'),
    ("(prints|draws) a square of {n} times {n} stars", 'for _ in range({n}):\n    print("*" * {n})'),
    ("(plays|does|prints) fizzbuzz (up to|from 1 to) {m}", 'for i in range(1, {m} + 1):\n    text = "Fizz" * (i % 3 == 0) + "Buzz" * (i % 5 == 0)\n    print(text or i)'),
    ("prints the names {names}, one per line", "for name in {list}:\n    print(name)"),
    ("sorts the (list|names) {names} and prints (it|them)", "for name in sorted({list}):\n    print(name)"),
    ("prints the average of {nums}", "numbers = {numlist}\nprint(sum(numbers) / len(numbers))"),
    ("finds the (largest|biggest) of {nums}", "print(max({numlist}))"),
    ("reverses the word {w}", 'print("{w}"[::-1])'),
    ("counts the vowels in {w}", 'print(sum(letter in "aeiou" for letter in "{w}"))'),
    ("prints the alphabet", "import string\nprint(string.ascii_lowercase)"),
    ("prints the powers of 2 up to 2 to the {n}", "for i in range({n} + 1):\n    print(2 ** i)"),
    ("converts {m} celsius to fahrenheit", "print({m} * 9 / 5 + 32)"),
    ("(prints|shows) whether {m} is (even or odd|even)", 'print("even" if {m} % 2 == 0 else "odd")'),
    ("(prints|makes) a dictionary of {w} and its length", 'print({"{w}": len("{w}")})'),
    ("prints the weekday of today", 'import datetime\nprint(datetime.date.today().strftime("%A"))'),
    ("(lists|prints) the files in (this|the) folder", "import os\nfor name in sorted(os.listdir()):\n    print(name)"),
    ("defines a class (Animal|for an animal) and prints the name {p}", 'class Animal:\n    def __init__(self, name):\n        self.name = name\n\nprint(Animal("{p}").name)'),
    ("saves {w} to {out}", 'with open("{out}", "w") as file:\n    file.write("{w}\\n")\nprint("saved")'),
)  # fmt: skip
TAKING = (
    ("(takes|gets) a name and (greets it|says hello to it|greets the person)", 'print(f"Hello, {sys.argv[1]}!")', "name"),
    ("(adds|sums) two numbers [from the command line|given as arguments]", "print(float(sys.argv[1]) + float(sys.argv[2]))", "two"),
    ("multiplies two numbers [from the command line|given as arguments]", "print(float(sys.argv[1]) * float(sys.argv[2]))", "two"),
    ("takes a number and prints (its square|the square of it)", "print(int(sys.argv[1]) ** 2)", "number"),
    ("takes a number and (prints|says) (if|whether) it is (even or odd|even)", 'print("even" if int(sys.argv[1]) % 2 == 0 else "odd")', "number"),
    ("takes a number and (prints|says) (if|whether) it is prime", 'n = int(sys.argv[1])\nprint("prime" if n > 1 and all(n % d for d in range(2, n)) else "not prime")', "number"),
    ("counts (from 1 to|up to) a [given] number [that is given as argument]", "for i in range(1, int(sys.argv[1]) + 1):\n    print(i)", "small"),
    ("counts down from a [given] number", "for i in range(int(sys.argv[1]), 0, -1):\n    print(i)", "small"),
    ("takes a word and (reverses it|prints it backwards)", "print(sys.argv[1][::-1])", "word"),
    ("takes a word and prints (it in capital letters|it in upper case)", "print(sys.argv[1].upper())", "word"),
    ("takes a word and (counts|prints the number of) its letters", "print(len(sys.argv[1]))", "word"),
    ("takes a word and a number and prints the word (that many times|so often)", "for _ in range(int(sys.argv[2])):\n    print(sys.argv[1])", "word-small"),
    ("(takes|gets) (some|any number of) numbers and prints (their sum|the sum)", "print(sum(float(number) for number in sys.argv[1:]))", "many"),
    ("(takes|gets) (some|any number of) numbers and prints the (largest|biggest)", "print(max(float(number) for number in sys.argv[1:]))", "many"),
    ("(takes|gets) numbers and prints (their average|the mean)", "numbers = [float(number) for number in sys.argv[1:]]\nprint(sum(numbers) / len(numbers))", "many"),
    ("converts celsius [as argument|] to fahrenheit", "print(float(sys.argv[1]) * 9 / 5 + 32)", "number"),
    ("converts kilometers [given as argument|] to miles", "print(round(float(sys.argv[1]) / 1.609344, 2))", "number"),
    ("(takes|gets) a file name and (counts its lines|prints how many lines it has)", "print(len(open(sys.argv[1]).readlines()))", "file"),
    ("(takes|gets) a file name and (counts its words|prints how many words it has)", "print(len(open(sys.argv[1]).read().split()))", "file"),
    ("(takes|gets) a file name and prints (its lines sorted|the sorted lines)", "for line in sorted(open(sys.argv[1]).read().splitlines()):\n    print(line)", "file"),
    ("prints the (multiplication|times) table of a [given] number", 'n = int(sys.argv[1])\nfor i in range(1, 11):\n    print(n, "x", i, "=", n * i)', "small"),
    ("prints the factorial of (a given number|its argument)", "import math\nprint(math.factorial(int(sys.argv[1])))", "small"),
)  # fmt: skip
FUNCTIONS = (
    ("add", "a, b", "adds two numbers", "return a + b", "{m}, {k}"),
    ("multiply", "a, b", "multiplies two numbers", "return a * b", "{m}, {k}"),
    ("is_even", "n", "(tells|says|checks) whether a number is even", "return n % 2 == 0", "{m}"),
    ("square", "n", "gives the square of a number", "return n * n", "{n}"),
    ("largest", "numbers", "(gives|finds|returns) the largest number of a list", "return max(numbers)", "{numlist}"),
    ("average", "numbers", "(gives|returns|computes) the average of a list", "return sum(numbers) / len(numbers)", "{numlist}"),
    ("reverse", "text", "(reverses|turns round) a text", "return text[::-1]", '"{w}"'),
    ("count_vowels", "text", "counts the vowels of a text", 'return sum(letter in "aeiou" for letter in text.lower())', '"{w}"'),
    ("is_palindrome", "text", "(tells|says|checks) whether a text is a palindrome", "return text == text[::-1]", '"{w}"'),
    ("factorial", "n", "(gives|computes|returns) the factorial of a number", "return 1 if n < 2 else n * factorial(n - 1)", "{n}"),
    ("greet", "name", "greets a person by name", 'return f"Hello, {name}!"', '"{p}"'),
    ("celsius", "f", "turns fahrenheit into celsius", "return (f - 32) * 5 / 9", "{m}"),
    ("double", "n", "doubles a number", "return 2 * n", "{m}"),
    ("unique", "items", "removes doubles from a list", "return sorted(set(items))", "{numlist}"),
)
SHELL = (
    ("prints {w}", "echo {w}"), ("says hello to {p}", 'echo "Hello, {p}!"'), ("prints the date", "date +%F"),
    ("lists the files", "ls"), ("counts from 1 to {n}", "for i in $(seq 1 {n}); do\n  echo $i\ndone"),
    ("counts down from {n}", "for i in $(seq {n} -1 1); do\n  echo $i\ndone"),
    ("counts the files (here|in this folder)", "find . -maxdepth 1 -type f | wc -l"), ("makes a folder {w}", "mkdir -p {w}\nls -d {w}"),
    ("prints {w} {n} times", "for i in $(seq {n}); do\n  echo {w}\ndone"), ("prints the (user|user name)", "whoami"),
    ("adds {m} and {k}", "echo $(({m} + {k}))"), ("prints the free disk space", "df -h . | tail -n 1"),
    ("writes {w} to {out}", "echo {w} > {out}\ncat {out}"), ("says hello world", "echo 'Hello, World!'"),
)  # fmt: skip
_HOLE = re.compile(r"\{(w|p|t|n|m|k|names|list|nums|numlist|out)\}")


@dataclass(frozen=True, slots=True)
class Draft:
    """A program, and what it is said to do."""

    what: str
    code: str


def program(scene: Scene) -> Script:
    draft = drawn(scene, *scene.pick(*PLAIN))
    name = scene.fresh(ending="py") if scene.chance(0.8) else scene.pick("hello.py", "main.py", "test.py", "app.py")
    scene.litter(2)
    yield scene.ask("program", name=name, what=draft.what)
    seen = yield python(draft.code, name)
    yield told(name, seen.lines)


def taking(scene: Scene) -> Script:
    """A program with arguments is saved, then run with some."""
    what, code, kind = scene.pick(*TAKING)
    draft, arguments = drawn(scene, what, f"import sys\n{code}"), _arguments(scene, kind)
    name = scene.fresh(ending="py")
    given = scene.chance(0.5)
    yield scene.ask("program-try" if given else "program", name=name, what=draft.what, arguments=arguments)
    seen = yield f"{write(name, draft.code)}\n{bash(f'python3 {quoted(name)} {arguments}')}"
    shown = f"It printed {seen.text}." if len(seen.lines) == 1 else f"It printed {listing(seen.lines)}."
    yield f"I saved {name} and ran it with {arguments}. {shown}"


def function(scene: Scene) -> Script:
    """A function in a file, tried once."""
    title, parameters, what, body, example = scene.pick(*FUNCTIONS)
    name = scene.fresh(ending="py")
    code = f"def {title}({parameters}):\n    {body}\n\nprint({title}({example}))"
    draft = drawn(scene, what, code)
    yield scene.ask("function", name=name, what=draft.what, title=title)
    seen = yield python(draft.code, name)
    yield f"{title} is in {name}. Tried once, it gave {seen.text}."


def shell(scene: Scene) -> Script:
    draft, name = drawn(scene, *scene.pick(*SHELL)), scene.fresh(ending="sh")
    scene.litter(2)
    yield scene.ask("shell", name=name, what=draft.what)
    seen = yield bash(draft.code, name)
    yield told(name, seen.lines)


def run_file(scene: Scene) -> Script:
    draft = drawn(scene, *scene.pick(*PLAIN))
    shell = scene.chance(0.25)
    draft = drawn(scene, *scene.pick(*SHELL)) if shell else draft
    name = scene.put(scene.fresh(ending="sh" if shell else "py"), draft.code)
    scene.litter(2)
    yield scene.ask("run", name=name)
    seen = yield bash(f"{'bash' if shell else 'python3'} {quoted(name)}")
    yield printed(name, seen.lines)


def run_with(scene: Scene) -> Script:
    """A program that is there is run with what the request names."""
    what, code, kind = scene.pick(*TAKING)
    draft, arguments = drawn(scene, what, f"import sys\n{code}"), _arguments(scene, kind)
    name = scene.put(scene.fresh(ending="py"), draft.code)
    yield scene.ask("run-with", name=name, arguments=arguments)
    seen = yield bash(f"python3 {quoted(name)} {arguments}")
    yield printed(name, seen.lines)


def explain_file(scene: Scene) -> Script:
    """What a program does is read, not run."""
    draft = drawn(scene, *scene.pick(*PLAIN))
    name = scene.put(scene.fresh(ending="py"), draft.code)
    yield scene.ask("explain-file", name=name)
    yield bash(f"cat {quoted(name)}")
    yield f"{name} is a program that {draft.what}."


def drawn(scene: Scene, what: str, code: str) -> Draft:
    """Fill the holes of a program and of what it is said to do, and choose the words."""
    names = [scene.word("first") for _ in range(scene.random.randint(2, 5))]
    numbers = [scene.number(2) for _ in range(scene.random.randint(3, 6))]
    text = words.phrase(scene.random).replace("'", "")
    holes: dict[str, object] = dict(
        w=scene.word(), p=scene.word("first"), t=text, n=scene.random.randint(3, 12), m=scene.random.randint(6, 40),
        k=scene.number(2), names=words.listed(names), list=repr(names), nums=", ".join(map(str, numbers)),
        numlist=repr(numbers), out=scene.fresh(ending="txt") if "{out}" in code else "",
    )  # fmt: skip

    def fill(text: str) -> str:
        return _HOLE.sub(lambda hole: str(holes[hole[1]]), text)

    return Draft(fill(hands.chosen(scene.random, what)), fill(code))


def told(name: str, lines: list[str]) -> str:
    if not lines:
        return f"I saved {name}, and it ran."
    if len(lines) == 1:
        return f"I saved {name}, and it printed {lines[0]}."
    return f"I saved {name}, and it printed {len(lines)} lines, from {lines[0]} to {lines[-1]}."


def printed(name: str, lines: list[str]) -> str:
    if len(lines) == 1:
        return f"{name} printed: {lines[0]}"
    if len(lines) > SHOWN:
        return f"{name} printed {len(lines)} lines, from {lines[0]} to {lines[-1]}."
    return f"{name} printed:\n" + "\n".join(lines) if lines else f"{name} ran and printed nothing."


def _arguments(scene: Scene, kind: str) -> str:
    if kind == "file":
        return quoted(scene.file("text", inside=0))
    values = {
        "name": scene.word("first"),
        "two": f"{scene.number(2)} {scene.number(2)}",
        "number": str(scene.number(3)),
        "small": str(scene.random.randint(3, 12)),
        "word": scene.word(),
        "word-small": f"{scene.word()} {scene.random.randint(2, 5)}",
        "many": " ".join(str(scene.number(2)) for _ in range(scene.random.randint(2, 5))),
    }
    return values[kind]

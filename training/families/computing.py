"""What is reckoned with a short program: numbers, words, lists, dates, chance. Nothing is reckoned in the head."""

from __future__ import annotations

import datetime

from training import words
from training.scene import Scene
from training.script import Script, reckoned

AGENTS = ("coder", "coder", "coder", "coder", "coder", "file")
SIGNS = (("+", "plus"), ("-", "minus"), ("*", "times"), ("*", "multiplied by"), ("/", "divided by"))
STORIES = (
    ("story-boxes", "{a} * {b} - {c}"), ("story-share", "{a} / {c}"), ("story-trip", "{a} / {c}"),
    ("story-shop", "{a} * {p} + {b} * {q}"), ("story-change", "{big} - {a} * {p}"), ("story-save", "{a} * {c}"),
    ("story-class", "{a} * {c} + {b}"), ("story-percent-off", "{a} - {a} * {pc} / 100"), ("story-tip", "{a} + {a} * {pc} / 100"),
    ("story-area", "{a} * {b}"), ("story-left", "{big} - {a} - {b}"), ("story-twice", "{a} + 2 * {a}"),
    ("story-hours", "{c} * {q} * 60"), ("story-average", "({a} + {b} + {c}) / 3"),
)  # fmt: skip
UNITS = (
    ("celsius", "fahrenheit", "{n} * 9 / 5 + 32"), ("fahrenheit", "celsius", "({n} - 32) * 5 / 9"),
    ("kilometers", "miles", "{n} / 1.609344"), ("miles", "kilometers", "{n} * 1.609344"), ("inches", "centimeters", "{n} * 2.54"),
    ("pounds", "kilograms", "{n} * 0.45359237"), ("kilograms", "pounds", "{n} / 0.45359237"), ("hours", "seconds", "{n} * 3600"),
    ("minutes", "hours", "{n} / 60"), ("feet", "meters", "{n} * 0.3048"), ("gigabytes", "megabytes", "{n} * 1024"), ("days", "hours", "{n} * 24"),
    ("liters", "gallons", "{n} / 3.785411784"), ("weeks", "days", "{n} * 7"), ("meters", "feet", "{n} / 0.3048"),
)  # fmt: skip
NUMBERS = (
    ("fibonacci", "a, b = 0, 1\nfor _ in range({n}):\n    a, b = b, a + b\nprint(a)", "Fibonacci number {n} is {o}."),
    ("primes-below", "print([p for p in range(2, {n}) if all(p % d for d in range(2, p))])", "The primes below {n} are {o}."),
    ("is-prime", "n = {k}\nprint(n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1)))", "{yes}, {k} is {no}a prime number."),
    ("factorial", "import math\nprint(math.factorial({n}))", "The factorial of {n} is {o}."),
    ("gcd", "import math\nprint(math.gcd({k}, {m}))", "The greatest common divisor of {k} and {m} is {o}."),
    ("lcm", "import math\nprint(math.lcm({n}, {m}))", "The least common multiple of {n} and {m} is {o}."),
    ("sum-to", "print(sum(range(1, {k} + 1)))", "The sum of 1 to {k} is {o}."),
    ("sum-even", "print(sum(range(2, {k} + 1, 2)))", "The sum of the even numbers up to {k} is {o}."),
    ("to-binary", "print(bin({k})[2:])", "{k} in binary is {o}."),
    ("to-hex", "print(hex({k})[2:])", "{k} in hexadecimal is {o}."),
    ("from-binary", "print(int('{bits}', 2))", "{bits} is {o} in decimal."),
    ("divisors", "print([d for d in range(1, {m} + 1) if {m} % d == 0])", "The divisors of {m} are {o}."),
    ("digit-sum", "print(sum(int(digit) for digit in '{k}'))", "The digits of {k} add up to {o}."),
    ("is-even", "print({k} % 2 == 0)", "{yes}, {k} is {no}an even number."),
    ("divisible", "print({k} % {n} == 0)", "{yes}, {k} can {no}be divided by {n}."),
    ("to-roman", "n, roman = {m}, ''\nfor value, sign in [(1000, 'M'), (900, 'CM'), (500, 'D'), (400, 'CD'), (100, 'C'), (90, 'XC'), (50, 'L'), (40, 'XL'), (10, 'X'), (9, 'IX'), (5, 'V'), (4, 'IV'), (1, 'I')]:\n    while n >= value:\n        roman, n = roman + sign, n - value\nprint(roman)", "{m} in Roman numerals is {o}."),
    ("nth-prime", "found, p = [], 2\nwhile len(found) < {n}:\n    if all(p % d for d in found):\n        found.append(p)\n    p += 1\nprint(found[-1])", "Prime number {n} is {o}."),
    ("circle", "import math\nprint(round(math.pi * {n} ** 2, 2))", "The area is {o}."),
)  # fmt: skip
STRINGS = (
    ("reverse-word", "print({w}[::-1])", "{w0} backwards is {o}."),
    ("word-length", "print(len({w}))", "{w0} has {o} characters."),
    ("count-letter", "print({w}.lower().count('{c}'))", "The letter {c} stands {o} times in {w0}."),
    ("upper-word", "print({w}.upper())", "In capital letters: {o}"),
    ("palindrome", "text = {w}.lower()\nprint(text == text[::-1])", "{yes}, {w0} is {no}a palindrome."),
    ("vowels", "print(sum(letter in 'aeiou' for letter in {w}.lower()))", "{w0} has {o} vowels."),
    ("repeat-word", "print(' '.join([{w}] * {n}))", "{o}"),
    ("words-in", "print(len({w}.split()))", "It has {o} words."),
    ("letters-sorted", "print(''.join(sorted({w})))", "The letters in order: {o}"),
    ("title-word", "print({w}.title())", "It reads: {o}"),
)
DRAWN = (
    ("die", "import random\nprint(random.randint(1, 6))", "You rolled a {o}."),
    ("coin", "import random\nprint(random.choice(['heads', 'tails']))", "The coin shows {o}."),
    ("password", "import secrets, string\nprint(''.join(secrets.choice(string.ascii_letters + string.digits) for _ in range({n})))", "Your password is {o}"),
    ("random-number", "import random\nprint(random.randint(1, {k}))", "The random number is {o}."),
    ("choose", "import random\nprint(random.choice({list}))", "I choose {o}."),
    ("shuffle", "import random\nitems = {list}\nrandom.shuffle(items)\nprint(', '.join(items))", "In random order: {o}"),
)  # fmt: skip


def reckon(scene: Scene) -> Script:
    """A sum as it is spoken or written."""
    a, b, c = scene.number(4), scene.number(4), scene.number(2)
    sign, spoken = scene.pick(*SIGNS)
    expression, spoken = scene.pick(
        (f"{a} {sign} {b}", f"{a} {spoken} {b}"), (f"{a} {sign} {b}", f"{a} {spoken} {b}"),
        (f"{a} {sign} {b}", f"{a}{sign}{b}"), (f"({a} + {b}) * {c}",) * 2, (f"{a} * {c} - {b}",) * 2,
        (f"{a} + {b} + {c}", f"{a} plus {b} plus {c}"), (f"{c} ** {c % 9 + 2}", f"{c} to the power of {c % 9 + 2}"),
        (f"{a} ** 2", f"the square of {a}"), (f"{a} ** 0.5", f"the square root of {a}"),
        (f"{b} * {c} / 100", f"{c}% of {b}"), (f"{b} * {c} / 100", f"{c} percent of {b}"),
        (f"{a} % {c}", f"the remainder of {a} divided by {c}"), (f"{a} / 2", f"half of {a}"),
        (f"{b} / 3", f"a third of {b}"), (f"{a}.5 * {c}", f"{a}.5 times {c}"),
        (f"{a} - {a} * {c} / 100", f"{a} minus {c} percent"), (f"({a} + {b}) / 2", f"the average of {a} and {b}"),
    )  # fmt: skip
    yield scene.ask("reckon", what=spoken)
    seen = yield reckoned(f"print({expression})", scene.agent)
    yield f"The result is {seen.text}."


def story(scene: Scene) -> Script:
    """A problem in words."""
    section, expression = scene.pick(*STORIES)
    a, b, c = scene.number(3), scene.number(2), scene.random.randint(2, 12)
    values = dict(a=a, b=b, c=c, p=scene.random.randint(2, 30), q=scene.random.randint(2, 20),
                  pc=scene.pick(5, 10, 15, 20, 25, 30, 12, 7), big=a * 40 + b)  # fmt: skip
    things = dict(who=scene.word("first"), thing=scene.word(), other=scene.word())
    yield scene.ask(section, **values, **things)
    seen = yield reckoned(f"print({expression.format(**values)})", scene.agent)
    yield f"The answer is {seen.text}."


def convert(scene: Scene) -> Script:
    one, other, expression = scene.pick(*UNITS)
    n = scene.number(3)
    yield scene.ask("convert", n=n, one=one, other=other)
    seen = yield reckoned(f"print(round({expression.format(n=n)}, 2))", scene.agent)
    yield f"{n} {one} are {seen.text} {other}."


def numbers(scene: Scene) -> Script:
    section, code, answer = scene.pick(*NUMBERS)
    slots = dict(n=scene.random.randint(3, 40), k=scene.number(4), m=scene.random.randint(6, 400),
                 bits=bin(scene.number(3))[2:])  # fmt: skip
    yield from _short(scene, section, code, answer, slots)


def strings(scene: Scene) -> Script:
    section, code, answer = scene.pick(*STRINGS)
    text = scene.pick(scene.word(), scene.word("first"), words.made_up(scene.random), scene.word("city"))
    if section == "words-in" or scene.chance(0.12):
        text = words.sentence(scene.random)
    letter = scene.random.choice([sign for sign in text.lower() if sign.isalpha()])
    yield from _short(scene, section, code, answer, dict(w=repr(text), w0=text, c=letter, n=scene.random.randint(2, 6)))


def chance(scene: Scene) -> Script:
    section, code, answer = scene.pick(*DRAWN)
    names = [scene.word(scene.pick("first", "city", "color")) for _ in range(scene.random.randint(2, 6))]
    slots = dict(n=scene.random.randint(6, 24), k=scene.number(3), list=repr(names), names=words.listed(names))
    yield from _short(scene, section, code, answer, slots)


def sort_list(scene: Scene) -> Script:
    """A list that the person types: in order, or its largest, its mean …"""
    many = scene.random.randint(3, 12)
    kind = scene.pick("number", "number", "first", "noun", "city")
    items: list[object] = [scene.number(3) if kind == "number" else scene.word(kind) for _ in range(many)]
    text = scene.pick(", ", " ", ", ").join(map(str, items))
    back = scene.chance(0.25)
    if kind != "number" or scene.chance(0.5):
        yield scene.ask("sort-down" if back else "sort-up", text=text)
        yield reckoned(f"print(sorted({items}{', reverse=True' if back else ''}))", scene.agent)
        yield f"Sorted: {', '.join(map(str, sorted(items, reverse=back)))}."  # type: ignore[type-var]
        return
    name, code = scene.pick(
        ("largest", "max({})"), ("smallest", "min({})"), ("sum", "sum({})"), ("average", "sum({0}) / len({0})"),
        ("mean", "sum({0}) / len({0})"), ("median", "statistics.median({})"), ("total", "sum({})"),
        ("difference between the largest and the smallest", "max({0}) - min({0})"),
    )  # fmt: skip
    yield scene.ask("of-list", what=name, text=text)
    first = "import statistics\n" if "statistics" in code else ""
    seen = yield reckoned(f"{first}numbers = {items}\nprint({code.format('numbers')})", scene.agent)
    yield f"The {name} is {seen.text}."


def dates(scene: Scene) -> Script:
    first = datetime.date.fromisoformat(words.day(scene.random))
    last = first + datetime.timedelta(scene.random.randint(3, 700))
    n, section = scene.number(3), scene.pick("days-between", "weekday", "days-after", "days-before", "leap", "weeks-between")
    one, other = (f"date({day.year}, {day.month}, {day.day})" for day in (first, last))
    form = scene.pick("%Y-%m-%d", "%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y")
    a, b = first.strftime(form), last.strftime(form)
    code, answer = {
        "days-between": (f"print(({other} - {one}).days)", "There are {o} days between {a} and {b}."),
        "weeks-between": (f"print(({other} - {one}).days // 7)", "There are {o} full weeks between {a} and {b}."),
        "weekday": (f"print({one}.strftime('%A'))", "{a} is a {o}."),
        "days-after": (f"print({one} + timedelta(days={n}))", "{n} days after {a} is {o}."),
        "days-before": (f"print({one} - timedelta(days={n}))", "{n} days before {a} is {o}."),
        "leap": (f"print(calendar.isleap({first.year}))", "{yes}, {year} is {no}a leap year."),
    }[section]
    head = "import calendar" if "calendar" in code else "from datetime import date" + (", timedelta" if "timedelta" in code else "")
    yield from _short(scene, section, f"{head}\n{code}", answer, dict(a=a, b=b, n=n, year=first.year))


def _short(scene: Scene, section: str, code: str, answer: str, slots: dict[str, object]) -> Script:
    """Ask, run a short program, word what it printed."""
    yield scene.ask(section, **slots)
    for name, value in slots.items():
        code = code.replace(f"{{{name}}}", str(value))
    seen = yield reckoned(code, scene.agent)
    true = seen.text == "True"
    yield answer.format(**slots, o=seen.text, yes="Yes" if true else "No", no="" if true else "not ")

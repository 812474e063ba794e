"""Tables as people keep them: what was spent or sold and when.

Asked by meaning; the file is looked for where it is not named. Not covered: columns by their names (data).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from training import words
from training.families.reading import read_file
from training.scene import Scene, quote_text
from training.script import Script, format_bash, format_file_program

GOODS = {
    "food": ("bread", "milk and eggs", "pizza", "coffee", "vegetables", "lunch", "cheese", "fish"),
    "travel": ("train ticket", "fuel", "taxi", "hotel", "bus pass", "flight", "parking"),
    "home": ("rent", "electricity", "lamp", "paint", "vacuum cleaner", "curtains", "internet"),
    "health": ("pharmacy", "dentist", "glasses", "gym", "vitamins", "bandages"),
    "fun": ("cinema", "concert", "board game", "novel", "museum", "swimming pool"),
    "clothes": ("shoes", "winter coat", "socks", "shirt", "jeans", "gloves"),
    "office": ("printer paper", "pens", "desk chair", "toner", "stamps", "envelopes"),
    "pets": ("dog leash", "vet", "bird seed", "aquarium"),
    "car": ("new tyres", "oil change", "car wash", "insurance", "wipers"),
    "gifts": ("flowers", "birthday present", "wine", "toys", "chocolate"),
}
ALSO = {
    "food": ("eating", "groceries"),
    "travel": ("trips", "journeys"),
    "home": ("housing", "living"),
    "health": ("medical things", "staying well"),
    "fun": ("entertainment", "going out"),
    "clothes": ("clothing", "things to wear"),
    "pets": ("animals",),
    "car": ("driving",),
    "gifts": ("presents",),
}
"""What else people call a kind of things."""
SPENT = ("expenses", "spending", "costs", "household", "money_out", "purchases", "my_expenses", "payments")
SOLD = ("sales", "shop_sales", "sold", "turnover", "takings", "revenue")
SUM = "print(round(sum(float(row['{a}']) for row in rows if {c}), 2))"
COUNT = "print(sum({c} for row in rows))"
MEAN = """\
values = [float(row['{a}']) for row in rows if {c}]
print(round(sum(values) / len(values), 2))"""
TOP = """\
row = max(rows, key=lambda row: float(row['{a}']))
print(row['{a}'], 'for', row['{w}'])"""
TOP_WHEN = """\
row = max((row for row in rows if {c}), key=lambda row: float(row['{a}']))
print(row['{a}'], 'for', row['{w}'])"""
WHAT = "print(', '.join(row['{w}'] for row in rows if {c}))"
MONTH = """\
months = {{}}
for row in rows:
    month = row['{d}'][:7]
    months[month] = months.get(month, 0) + float(row['{a}'])
print(max(months, key=months.get))"""
ASKED = {
    "spent": (
        ("spent-when", SUM, "You spent {o} {when}."),
        ("spent-when", SUM, "You spent {o} {when}."),
        ("spent-count", COUNT, "Purchases {when}: {o}."),
        ("spent-mean", MEAN, "On average it was {o} {when}."),
        ("spent-what", WHAT, "{When} you paid for {o}."),
        ("spent-top", TOP, "The largest expense was {o}."),
        ("spent-top-when", TOP_WHEN, "The largest expense {when} was {o}."),
        ("spent-month", MONTH, "The most expensive month was {o}."),
    ),
    "sold": (
        ("sold-when", SUM, "The sales {when} come to {o}."),
        ("sold-count", COUNT, "Sales {when}: {o}."),
        ("sold-top", TOP, "The largest sale was {o}."),
        ("sold-month", MONTH, "The best month was {o}."),
        ("sold-mean", MEAN, "A sale was {o} on average {when}."),
    ),
}
ON = "print(round(sum(float(row['{a}']) for row in rows if row['{g}'] == '{v}'), 2))"
ON_WHEN = "print(round(sum(float(row['{a}']) for row in rows if row['{g}'] == '{v}' and {c}), 2))"


@dataclass(frozen=True, slots=True)
class Ledger:
    """A table of payments: its file, whether that is named, its columns and rows."""

    file: str
    named: bool
    date: str
    what: str
    group: str
    amount: str
    rows: tuple[dict[str, str], ...]


def sum_payments(scene: Scene) -> Script:
    """What was spent, or sold, in a month or since a day."""
    kind = scene.pick("spent", "spent", "sold")
    book = _make_ledger(scene, SPENT if kind == "spent" else SOLD)
    section, code, answer = scene.pick(*ASKED[kind])
    when, where = _draw_period(scene, book)
    yield scene.ask(section, when=when, file=format_source(scene, book.file, book.named))
    yield from read_file(book.file, not book.named, "head -n 2")
    slots = {"a": book.amount, "w": book.what, "d": book.date, "c": where}
    seen = yield build_csv_program(scene, book.file, code.format(**slots))
    yield answer.format(o=seen.text, when=when, When=when[0].upper() + when[1:])


def sum_category(scene: Scene) -> Script:
    """What one kind of thing came to; the table is seen whole, as its kinds are not known."""
    book = _make_ledger(scene, SPENT)
    value = scene.pick(*book.rows)[book.group]
    when, where = _draw_period(scene, book)
    timed = scene.draw_chance(0.35)
    said = scene.pick(value.lower(), *ALSO.get(value.lower(), ()))
    yield scene.ask(
        "spent-on-when" if timed else "spent-on",
        thing=said,
        when=when,
        file=format_source(scene, book.file, book.named),
    )
    yield from read_file(book.file, not book.named)
    slots = {"a": book.amount, "g": book.group, "v": value, "c": where}
    seen = yield build_csv_program(scene, book.file, (ON_WHEN if timed else ON).format(**slots))
    yield f"You spent {seen.text} on {said}{f' {when}' if timed else ''}."


def find_payment(scene: Scene) -> Script:
    """One payment: when it was, or how much."""
    book = _make_ledger(scene, SPENT)
    row = scene.pick(*book.rows)
    thing = row[book.what]
    mark = max(thing.split(), key=len)
    section = scene.pick("paid-when", "paid-much")
    yield scene.ask(section, thing=thing, file=format_source(scene, book.file, book.named))
    yield format_bash(f"grep -i {mark} {quote_text(book.file)}" if book.named else f"grep -ri {mark} .")
    if section == "paid-when":
        yield f"You paid for the {thing} on {row[book.date]}."
    else:
        yield f"The {thing} cost {row[book.amount]}."


def format_source(scene: Scene, name: str, named: bool) -> str:
    """Say where it stands, or nothing."""
    if not named:
        return ""
    return scene.pick(f" in {name}", f" ({name})", f", see {name}", f" according to {name}", f", from {name}")


def format_place(scene: Scene, name: str, named: bool) -> str:
    """Say where something changes, or nothing."""
    return scene.pick(f" in {name}", f" ({name})", f", it's in {name}", f", file {name}") if named else ""


def draw_file_name(scene: Scene, stems: Sequence[str], endings: Sequence[str], year: int = 0) -> str:
    """Give a file's name that says what it holds."""
    year = year or scene.random.randint(2015, 2030)
    more = scene.pick("", "", "", f"_{year}", f"-{scene.random.randint(1, 12)}")
    name = f"{scene.pick(*stems)}{more}.{scene.pick(*endings)}"
    scene.used.add(name.lower())
    return name


def build_csv_program(scene: Scene, file: str, code: str) -> str:
    return format_file_program(
        f"import csv, sys\nrows = list(csv.DictReader(open(sys.argv[1])))\n{code}", file
    )


def _draw_period(scene: Scene, book: Ledger) -> tuple[str, str]:
    """Say a time, and the test of a row for it; a month without its year where there is but one year."""
    day = scene.pick(*book.rows)[book.date]
    year, month, cell = day[:4], day[5:7], f"row['{book.date}']"
    name = words.read_words()["month"][int(month) - 1]
    name = name if scene.draw_chance(0.8) else name.lower()
    ways = [
        (f"in {name} {year}", f"{cell}.startswith('{year}-{month}')"),
        (f"in {year}-{month}", f"{cell}.startswith('{year}-{month}')"),
        (f"since {name} {year}", f"{cell} >= '{year}-{month}'"),
        (f"since {day}", f"{cell} >= '{day}'"),
    ]
    if len({row[book.date][:4] for row in book.rows}) == 1:
        ways += [(f"in {name}", f"{cell}[5:7] == '{month}'")] * 4
        ways += [(f"since {name}", f"{cell}[5:7] >= '{month}'")] * 2
    return scene.pick(*ways)


def _make_ledger(scene: Scene, stems: Sequence[str]) -> Ledger:
    """Make a table of payments by day."""
    named = scene.draw_chance(0.5)
    year, whole = scene.random.randint(2015, 2030), scene.draw_chance(0.5)
    own = named and scene.draw_chance(0.5)
    file = scene.draw_name(ending="csv") if own else draw_file_name(scene, stems, ("csv",), year)
    years = 0 if str(year) in file else scene.pick(0, 0, 1)
    styles: tuple[Callable[[str], str], ...] = (str, str, str.capitalize)
    style = scene.pick(*styles)
    date, what, group, amount = map(
        style,
        (
            scene.pick("date", "date", "day"),
            scene.pick("what", "item", "description", "for", "product"),
            scene.pick("category", "type", "kind", "group"),
            scene.pick("amount", "price", "cost", "total", "euros", "sum"),
        ),
    )
    order = scene.pick((date, what, group, amount), (date, group, what, amount), (date, amount, what, group))
    goods, months = _draw_goods(scene), scene.random.sample(range(1, 13), 4)
    days = sorted(
        f"{year + scene.random.randint(0, years)}-{scene.pick(*months):02}-{scene.random.randint(1, 28):02}"
        for _ in goods
    )
    rows = tuple(
        {
            date: day,
            what: thing,
            group: style(kind),
            amount: str(scene.draw_number(3)) + ("" if whole else f".{scene.random.randint(10, 99)}"),
        }
        for day, (kind, thing) in zip(days, goods, strict=True)
    )
    scene.put_file(file, "\n".join([",".join(order), *(",".join(row[one] for one in order) for row in rows)]))
    scene.add_other_files(3)
    return Ledger(file, named, date, what, group, amount, rows)


def _draw_goods(scene: Scene) -> list[tuple[str, str]]:
    """Give different things with their kinds, a few of which come several times."""
    kinds = {kind: list(GOODS[kind]) for kind in scene.random.sample(list(GOODS), 3)}
    if scene.draw_chance(0.5):
        kinds[scene.draw_word()] = [scene.draw_word() for _ in range(4)]
    found = {thing: kind for kind, things in kinds.items() for thing in things}
    drawn = scene.random.sample(list(found), scene.random.randint(5, min(11, len(found))))
    return [(found[thing], thing) for thing in drawn]

"""Tables: look at the head first, then a short program. Columns and filters are those that are there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from training import words
from training.scene import Scene, quote_text
from training.script import Script, format_bash, format_edit, format_file_program
from training.tables import get_rows

AGENTS = ("coder", "coder", "coder", "coder", "coder", "file")
SHOWN = 9
KINDS = {
    "person": ("name", "person", "employee", "customer", "student", "member", "player", "user", "client"),
    "full": ("name", "employee", "customer", "guest", "author", "teacher"),
    "thing": ("item", "product", "article", "thing", "part", "tool"),
    "place": ("city", "place", "branch", "town", "store", "station"),
    "time": ("month",),
    "day": ("date", "day"),
    "code": ("id", "code", "number", "order"),
}
AMOUNTS = (
    "age",
    "price",
    "amount",
    "sales",
    "stock",
    "score",
    "salary",
    "hours",
    "points",
    "cost",
    "rent",
    "food",
    "fuel",
    "visitors",
    "weight",
    "distance",
    "temperature",
    "quantity",
    "income",
    "tax",
    "travel",
    "grade",
    "units",
    "votes",
    "goals",
    "profit",
    "budget",
    "rating",
    "minutes",
    "pages",
    "speed",
    "height",
    "rooms",
    "orders",
    "views",
    "fee",
    "balance",
    "calories",
    "unit_price",
    "hours_worked",
    "total_amount",
    "net_weight",
)
GROUPS = {
    "color": "color",
    "city": "city",
    "team": ("red", "blue", "green", "north", "south"),
    "status": ("open", "paid", "late", "done"),
    "category": ("food", "tools", "books", "travel", "office"),
    "department": ("sales", "office", "law", "labs", "shop"),
    "country": ("Italy", "Spain", "France", "Poland", "Chile", "Japan"),
    "region": ("north", "south", "east", "west"),
    "size": ("small", "medium", "large"),
    "type": ("private", "business", "school"),
    "shift": ("early", "late", "night"),
    "priority": ("low", "normal", "high"),
    "payment": ("cash", "card", "transfer"),
    "language": ("English", "Spanish", "German", "French"),
}
FILLERS = ("phone", "date", "email", "room", "note")
"""Columns that stand there and are only looked up."""


SAVED = """\
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
wanted = {which}
with open(sys.argv[2], 'w', newline='') as file:
    out = csv.DictWriter(file, rows[0])
    out.writeheader()
    out.writerows(wanted)
print(len(wanted))"""


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV file: what its rows are called, one column of groups, one or more of numbers."""

    file: str
    key: str
    group: str
    columns: tuple[str, ...]
    amounts: tuple[str, ...]
    rows: tuple[dict[str, str], ...]

    def get_values(self, column: str) -> list[str]:
        return [row[column] for row in self.rows]


def compute_column(scene: Scene) -> Script:
    """Sum, mean, extremes of a column."""
    table = _make_table(scene)
    amount = scene.pick(*table.amounts)
    yield from _ask_table(scene, table, scene.pick(*get_rows("csv-columns")), {"a": amount})


def filter_rows(scene: Scene) -> Script:
    """Rows above or below a number, or of one group."""
    table = _make_table(scene)
    amount, limit = scene.pick(*table.amounts), scene.pick(*table.rows)
    bound = limit[amount]
    group = scene.pick(*table.get_values(table.group))
    more = {"a": amount, "n": bound, "v": group}
    yield from _ask_table(scene, table, scene.pick(*get_rows("csv-filters")), more)


def look_up_cell(scene: Scene) -> Script:
    """One cell, or all of a column, or what columns there are."""
    table = _make_table(scene)
    row, amount = scene.pick(*table.rows), scene.pick(*(one for one in table.columns if one != table.key))
    more = {"a": amount, "b": table.amounts[0], "v": row[table.key], "n": row[table.amounts[0]]}
    yield from _ask_table(scene, table, scene.pick(*get_rows("csv-lookups")), more)


def list_columns(scene: Scene) -> Script:
    table, count = _make_table(scene), scene.draw_chance(0.3)
    yield scene.ask("csv-column-count" if count else "csv-columns", file=table.file)
    yield format_bash(f"head -n 1 {quote_text(table.file)}")
    names = words.format_list(list(table.columns))
    yield f"{table.file} has {len(table.columns)} columns: {names}." if count else f"The columns are {names}."


def add_row(scene: Scene) -> Script:
    table = _make_table(scene)
    if scene.draw_chance(0.35):
        yield from _change_cell(scene, table)
        return
    row = [
        words.invent_word(scene.random).capitalize() if name == table.key else _draw_cell(scene, table, name)
        for name in table.columns
    ]
    text = ",".join(row)
    yield scene.ask("csv-add", file=table.file, row=scene.pick(text, text, ", ".join(row)))
    yield format_bash(f"echo '{text}' >> {quote_text(table.file)}")
    yield f"I added the row {text} to {table.file}."


def _change_cell(scene: Scene, table: Table) -> Script:
    """One cell gets another value: look at its row, then write the row anew."""
    row, amount = scene.pick(*table.rows), scene.pick(*table.amounts)
    new = str(scene.draw_number(3))
    while new == row[amount]:
        new = str(scene.draw_number(3))
    yield scene.ask(
        "csv-set",
        file=table.file,
        key=table.key,
        value=row[table.key],
        amount=_format_column(scene, amount),
        new=new,
    )
    yield format_bash(f"cat {quote_text(table.file)}")
    old, better = ",".join(row.values()), ",".join((row | {amount: new}).values())
    yield format_edit(table.file, old, better)
    yield f"The {amount} of {row[table.key]} in {table.file} is now {new}."


def save_sorted(scene: Scene) -> Script:
    """A part of a table, or the table in order, as a new file."""
    table, target = _make_table(scene), scene.draw_name(ending="csv")
    amount, value = table.amounts[0], scene.pick(*table.rows)[table.group]
    by_group = scene.draw_chance(0.5)
    which = (
        f"[row for row in rows if row['{table.group}'] == '{value}']"
        if by_group
        else f"sorted(rows, key=lambda row: float(row['{amount}']))"
    )
    yield scene.ask(
        "csv-save-group" if by_group else "csv-save-sorted",
        file=table.file,
        target=target,
        amount=_format_column(scene, amount),
        group=_format_column(scene, table.group),
        value=value,
    )
    yield format_bash(f"head -n 2 {quote_text(table.file)}")
    seen = yield format_file_program(SAVED.format(which=which), table.file, target)
    yield f"I saved {seen.text} rows as {target}."


def _ask_table(scene: Scene, table: Table, row: Sequence[str], more: dict[str, str]) -> Script:
    section, code, answer = row
    slots = {"f": table.file, "k": table.key, "g": table.group} | more
    yield scene.ask(
        section,
        file=table.file,
        key=_format_column(scene, table.key),
        group=_format_column(scene, table.group),
        amount=_format_column(scene, more.get("a", "")),
        by=_format_column(scene, more.get("b", "")),
        limit=more.get("n", ""),
        value=more.get("v", ""),
    )
    yield format_bash(f"head -n 2 {quote_text(table.file)}")
    head = "import csv, sys\nrows = list(csv.DictReader(open(sys.argv[1])))\n"
    seen = yield format_file_program(head + code.format(**slots), table.file)
    shown = seen.text if len(seen.lines) <= SHOWN else "\n".join(seen.lines[:SHOWN])
    yield answer.format(**slots, o=shown or "none")


def _format_column(scene: Scene, column: str) -> str:
    """Say a column as people do: the header has it as it is."""
    return scene.pick(column, column.lower().replace("_", " "))


def _make_table(scene: Scene) -> Table:
    kind = scene.pick(*KINDS)
    key, group = scene.pick(*KINDS[kind]), scene.pick(*GROUPS)
    amounts = tuple(scene.random.sample(AMOUNTS, scene.random.randint(1, 3)))
    group = group if group != key else "status"
    fillers = [one for one in [scene.pick(*FILLERS)] if one != key and scene.draw_chance(0.3)]
    names = [key, group, *amounts, *fillers]
    if scene.draw_chance(0.4):
        names = [names[0], *scene.random.sample(names[1:], len(names) - 1)]
    if scene.draw_chance(0.1):
        names = [*names[1:], names[0]]
    styles: tuple[Callable[[str], str], ...] = (str, str, str, str.capitalize, str.capitalize, str.upper)
    style = scene.pick(*styles)
    draft = Table("", key, group, tuple(names), amounts, ())
    cells = tuple(
        {style(name): one if name == key else _draw_cell(scene, draft, name) for name in names}
        for one in _draw_keys(scene, kind)
    )
    file = scene.draw_name(ending="csv")
    columns = tuple(map(style, names))
    scene.put_file(file, "\n".join([",".join(columns), *(",".join(row.values()) for row in cells)]))
    scene.add_other_files(2)
    return Table(file, style(key), style(group), columns, tuple(map(style, amounts)), cells)


def _draw_keys(scene: Scene, kind: str) -> list[str]:
    draws: dict[str, Callable[[], str]] = {
        "person": lambda: scene.draw_word("first"),
        "full": lambda: f"{scene.draw_word('first')} {scene.draw_word('last')}",
        "thing": scene.draw_word,
        "place": lambda: scene.draw_word("city"),
        "time": lambda: scene.draw_word("month"),
        "day": lambda: words.draw_day(scene.random),
        "code": lambda: scene.pick("", "A", "B", "X-") + str(scene.random.randint(100, 999)),
    }
    return list(dict.fromkeys(draws[kind]() for _ in range(scene.random.randint(3, 9))))


def _draw_cell(scene: Scene, table: Table, name: str) -> str:
    name = name.lower()
    if name in (one.lower() for one in table.amounts):
        return str(scene.draw_number(3)) + (
            f".{scene.random.randint(10, 99)}" if scene.draw_chance(0.1) else ""
        )
    if name in FILLERS:
        return {
            "phone": f"0{scene.random.randint(100, 999)}-{scene.draw_number(4)}",
            "date": words.draw_day(scene.random),
            "email": f"{scene.draw_word('first').lower()}@{words.invent_word(scene.random)}.com",
            "room": str(scene.random.randint(1, 400)),
        }.get(name, scene.draw_word())
    values = GROUPS[name]
    return scene.draw_word(values) if isinstance(values, str) else scene.pick(*values)

"""Tables: look at the head first, then a short program. Columns and filters are those that are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from training import words
from training.scene import Scene, quoted
from training.script import Script, bash, reckoned
from training.tables import rows

AGENTS = ("coder", "coder", "coder", "coder", "coder", "file")
SHOWN = 6
KINDS = {
    "person": ("name", "person", "employee", "customer", "student"),
    "thing": ("item", "product", "article", "thing"),
    "place": ("city", "place", "branch"),
    "time": ("month", "weekday"),
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
)
GROUPS = {
    "color": "color",
    "city": "city",
    "team": ("red", "blue", "green", "north", "south"),
    "status": ("open", "paid", "late", "done"),
    "category": ("food", "tools", "books", "travel", "office"),
    "department": ("sales", "office", "law", "labs", "shop"),
    "country": ("Italy", "Spain", "France", "Poland", "Chile", "Japan"),
}


SAVED = """\
import csv
rows = list(csv.DictReader(open('{file}')))
wanted = {which}
with open('{target}', 'w', newline='') as file:
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

    def values(self, column: str) -> list[str]:
        return [row[column] for row in self.rows]


def column(scene: Scene) -> Script:
    """Sum, mean, extremes of a column."""
    table = _table(scene)
    amount = scene.pick(*table.amounts)
    yield from _asked(scene, table, scene.pick(*rows("csv-columns")), {"a": amount})


def filtered(scene: Scene) -> Script:
    """Rows above or below a number, or of one group."""
    table = _table(scene)
    amount, limit = scene.pick(*table.amounts), scene.pick(*table.rows)
    bound = limit[amount]
    group = scene.pick(*table.values(table.group))
    yield from _asked(scene, table, scene.pick(*rows("csv-filters")), {"a": amount, "n": bound, "v": group})


def lookup(scene: Scene) -> Script:
    """One cell, or all of a column, or what columns there are."""
    table = _table(scene)
    row, amount = scene.pick(*table.rows), scene.pick(*table.amounts, table.group)
    more = {"a": amount, "b": table.amounts[0], "v": row[table.key]}
    yield from _asked(scene, table, scene.pick(*rows("csv-lookups")), more)


def columns(scene: Scene) -> Script:
    table = _table(scene)
    yield scene.ask("csv-columns", file=table.file)
    yield bash(f"head -n 1 {quoted(table.file)}")
    yield f"The columns are {words.listed(list(table.columns))}."


def add_row(scene: Scene) -> Script:
    table = _table(scene)
    row = [
        words.made_up(scene.random).capitalize() if name == table.key else _cell(scene, table, name)
        for name in table.columns
    ]
    text = ",".join(row)
    yield scene.ask("csv-add", file=table.file, row=scene.pick(text, text, ", ".join(row)))
    yield bash(f"echo '{text}' >> {quoted(table.file)}")
    yield f"I added the row {text} to {table.file}."


def save_sorted(scene: Scene) -> Script:
    """A part of a table, or the table in order, as a new file."""
    table, target = _table(scene), scene.fresh(ending="csv")
    amount, value = table.amounts[0], scene.pick(*table.rows)[table.group]
    by_group = scene.chance(0.5)
    which = (
        f"[row for row in rows if row['{table.group}'] == '{value}']"
        if by_group
        else f"sorted(rows, key=lambda row: float(row['{amount}']))"
    )
    yield scene.ask(
        "csv-save-group" if by_group else "csv-save-sorted",
        file=table.file,
        target=target,
        amount=amount,
        group=table.group,
        value=value,
    )
    yield bash(f"head -n 2 {quoted(table.file)}")
    seen = yield reckoned(SAVED.format(file=table.file, target=target, which=which), scene.agent)
    yield f"I saved {seen.text} rows as {target}."


def _asked(scene: Scene, table: Table, row: Sequence[str], more: dict[str, str]) -> Script:
    section, code, answer = row
    slots = {"f": table.file, "k": table.key, "g": table.group} | more
    yield scene.ask(
        section,
        file=table.file,
        key=table.key,
        group=table.group,
        amount=more.get("a", ""),
        by=more.get("b", ""),
        limit=more.get("n", ""),
        value=more.get("v", ""),
    )
    yield bash(f"head -n 2 {quoted(table.file)}")
    head = f"import csv\nrows = list(csv.DictReader(open('{table.file}')))\n"
    seen = yield reckoned(head + code.format(**slots), scene.agent)
    shown = seen.text if len(seen.lines) <= SHOWN else "\n".join(seen.lines[:SHOWN])
    yield answer.format(**slots, o=shown or "none")


def _table(scene: Scene) -> Table:
    kind = scene.pick(*KINDS)
    key, group = scene.pick(*KINDS[kind]), scene.pick(*GROUPS)
    amounts = tuple(scene.random.sample(AMOUNTS, scene.random.randint(1, 3)))
    group = group if group != key else "status"
    names = [key, group, *amounts]
    if scene.chance(0.3):
        names = [names[0], *scene.random.sample(names[1:], len(names) - 1)]
    keys = _keys(scene, kind)
    draft = Table("", key, group, tuple(names), amounts, ())
    cells = tuple({name: one if name == key else _cell(scene, draft, name) for name in names} for one in keys)
    file = scene.fresh(ending="csv")
    scene.put(file, "\n".join([",".join(names), *(",".join(row.values()) for row in cells)]))
    scene.litter(2)
    return Table(file, key, group, tuple(names), amounts, cells)


def _keys(scene: Scene, kind: str) -> list[str]:
    pool = {"person": "first", "thing": "noun", "place": "city", "time": "month"}[kind]
    drawn = [scene.word(pool) for _ in range(scene.random.randint(3, 9))]
    return list(dict.fromkeys(drawn))


def _cell(scene: Scene, table: Table, name: str) -> str:
    if name in table.amounts:
        return str(scene.number(3)) + (f".{scene.random.randint(10, 99)}" if scene.chance(0.1) else "")
    values = GROUPS[name]
    return scene.word(values) if isinstance(values, str) else scene.pick(*values)

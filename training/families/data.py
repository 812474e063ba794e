"""Tables and JSON: look at the head first, then a short program. Columns and filters are those that are there."""

from __future__ import annotations

import json
from dataclasses import dataclass

from training import words
from training.scene import Scene, listing, quoted
from training.script import Script, bash, reckoned

AGENTS = ("coder", "coder", "coder", "coder", "coder", "file")
SHOWN = 6
KINDS = {
    "person": ("name", "person", "employee", "customer", "student"),
    "thing": ("item", "product", "article", "thing"),
    "place": ("city", "place", "branch"),
    "time": ("month", "weekday"),
}
AMOUNTS = (
    "age", "price", "amount", "sales", "stock", "score", "salary", "hours", "points", "cost", "rent", "food", "fuel",
    "visitors", "weight", "distance", "temperature", "quantity", "income", "tax", "travel", "grade", "units",
)  # fmt: skip
GROUPS = {
    "color": "color", "city": "city", "team": ("red", "blue", "green", "north", "south"),
    "status": ("open", "paid", "late", "done"), "category": ("food", "tools", "books", "travel", "office"),
    "department": ("sales", "office", "law", "labs", "shop"), "country": ("Italy", "Spain", "France", "Poland", "Chile", "Japan"),
}  # fmt: skip


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
    table, what = _table(scene), ""
    amount = scene.pick(*table.amounts)
    section, code, answer = scene.pick(
        ("csv-sum", "print(sum(float(row['{a}']) for row in rows))", "The total {a} is {o}."),
        ("csv-sum", "print(sum(float(row['{a}']) for row in rows))", "The total {a} is {o}."),
        ("csv-mean", "print(sum(float(row['{a}']) for row in rows) / len(rows))", "The average {a} is {o}."),
        ("csv-max", "print(max(float(row['{a}']) for row in rows))", "The highest {a} is {o}."),
        ("csv-min", "print(min(float(row['{a}']) for row in rows))", "The lowest {a} is {o}."),
        ("csv-top", "row = max(rows, key=lambda row: float(row['{a}']))\nprint(row['{k}'], row['{a}'])", "The highest {a}: {o}."),
        ("csv-bottom", "row = min(rows, key=lambda row: float(row['{a}']))\nprint(row['{k}'], row['{a}'])", "The lowest {a}: {o}."),
    )  # fmt: skip
    yield from _asked(scene, table, section, code, answer, dict(a=amount, what=what))


def filtered(scene: Scene) -> Script:
    """Rows above or below a number, or of one group."""
    table = _table(scene)
    amount, limit = scene.pick(*table.amounts), scene.pick(*table.rows)
    bound = limit[amount]
    group = scene.pick(*table.values(table.group))
    section, code, answer = scene.pick(
        ("csv-above", "print(', '.join(row['{k}'] for row in rows if float(row['{a}']) > {n}))", "With {a} above {n}: {o}."),
        ("csv-below", "print(', '.join(row['{k}'] for row in rows if float(row['{a}']) < {n}))", "With {a} below {n}: {o}."),
        ("csv-count-above", "print(sum(float(row['{a}']) > {n} for row in rows))", "{o} rows have {a} above {n}."),
        ("csv-group", "print(', '.join(row['{k}'] for row in rows if row['{g}'] == '{v}'))", "With {g} {v}: {o}."),
        ("csv-count-group", "print(sum(row['{g}'] == '{v}' for row in rows))", "{o} rows have {g} {v}."),
        ("csv-sum-group", "print(sum(float(row['{a}']) for row in rows if row['{g}'] == '{v}'))", "The total {a} for {v} is {o}."),
    )  # fmt: skip
    yield from _asked(scene, table, section, code, answer, dict(a=amount, n=bound, v=group))


def lookup(scene: Scene) -> Script:
    """One cell, or all of a column, or what columns there are."""
    table = _table(scene)
    row, amount = scene.pick(*table.rows), scene.pick(*table.amounts, table.group)
    section, code, answer = scene.pick(
        ("csv-cell", "print(next(row['{a}'] for row in rows if row['{k}'] == '{v}'))", "{v} has {a} {o}."),
        ("csv-cell", "print(next(row['{a}'] for row in rows if row['{k}'] == '{v}'))", "{v} has {a} {o}."),
        ("csv-rows", "print(len(rows))", "{f} has {o} rows."),
        ("csv-column", "print(', '.join(row['{a}'] for row in rows))", "The values of {a} are {o}."),
        ("csv-unique", "print(', '.join(sorted({{row['{g}'] for row in rows}})))", "The different values of {g} are {o}."),
        ("csv-sorted", "for row in sorted(rows, key=lambda row: float(row['{b}'])):\n    print(row['{k}'], row['{b}'])", "By {b}:\n{o}"),
    )  # fmt: skip
    yield from _asked(scene, table, section, code, answer, dict(a=amount, b=table.amounts[0], v=row[table.key]))


def columns(scene: Scene) -> Script:
    table = _table(scene)
    yield scene.ask("csv-columns", file=table.file)
    yield bash(f"head -n 1 {quoted(table.file)}")
    yield f"The columns are {words.listed(list(table.columns))}."


def add_row(scene: Scene) -> Script:
    table = _table(scene)
    row = [words.made_up(scene.random).capitalize() if name == table.key else _cell(scene, table, name) for name in table.columns]
    text = ",".join(row)
    yield scene.ask("csv-add", file=table.file, row=scene.pick(text, text, ", ".join(row)))
    yield bash(f"echo '{text}' >> {quoted(table.file)}")
    yield f"I added the row {text} to {table.file}."


def save_sorted(scene: Scene) -> Script:
    """A part of a table, or the table in order, as a new file."""
    table, target = _table(scene), scene.fresh(ending="csv")
    amount, value = table.amounts[0], scene.pick(*table.rows)[table.group]
    by_group = scene.chance(0.5)
    which = f"[row for row in rows if row['{table.group}'] == '{value}']" if by_group else f"sorted(rows, key=lambda row: float(row['{amount}']))"
    yield scene.ask("csv-save-group" if by_group else "csv-save-sorted", file=table.file, target=target, amount=amount, group=table.group, value=value)
    yield bash(f"head -n 2 {quoted(table.file)}")
    seen = yield reckoned(
        f"import csv\nrows = list(csv.DictReader(open('{table.file}')))\nwanted = {which}\nwith open('{target}', 'w', newline='') as file:\n"
        f"    out = csv.DictWriter(file, rows[0])\n    out.writeheader()\n    out.writerows(wanted)\nprint(len(wanted))", scene.agent)
    yield f"I saved {seen.text} rows as {target}."


def json_get(scene: Scene) -> Script:
    """A value of a JSON file, at its top or one below."""
    data, path = _object(scene)
    name = scene.put(scene.fresh(ending="json"), json.dumps(data, indent=scene.pick(None, 2)))
    key = path[-1]
    section = scene.pick("json-get", "json-get", "json-keys")
    yield scene.ask(section, file=name, key=key)
    if section == "json-keys":
        yield bash(f"cat {quoted(name)}")
        yield f"The keys are {listing(list(data))}."
        return
    yield bash(f"cat {quoted(name)}")
    value: object = data
    for step in path:
        value = value[step]  # type: ignore[index]
    yield f"The {key} is {value}."


def json_list(scene: Scene) -> Script:
    """A list of objects."""
    key, amount = scene.pick("name", "title", "item"), scene.pick(*AMOUNTS)
    rows = [{key: scene.word("first"), amount: scene.number(3)} for _ in range(scene.random.randint(2, 6))]
    name = scene.put(scene.fresh(ending="json"), json.dumps(rows, indent=scene.pick(None, 2)))
    section, code, answer = scene.pick(
        ("json-count", "print(len(data))", "There are {o} entries in {f}."),
        ("json-sum", "print(sum(one['{a}'] for one in data))", "The total {a} is {o}."),
        ("json-names", "print(', '.join(one['{k}'] for one in data))", "They are {o}."),
        ("json-top", "one = max(data, key=lambda one: one['{a}'])\nprint(one['{k}'], one['{a}'])", "The highest {a}: {o}."),
    )
    yield scene.ask(section, file=name, key=key, amount=amount)
    yield bash(f"head -c 200 {quoted(name)}")
    fill = dict(f=name, a=amount, k=key)
    seen = yield reckoned(f"import json\ndata = json.load(open('{name}'))\n{code.format(**fill)}", scene.agent)
    yield answer.format(**fill, o=seen.text)


def common_words(scene: Scene) -> Script:
    """Figures about a text that need a program."""
    name = scene.file("text", scene.note(8), inside=0)
    section, code, answer = scene.pick(
        ("common-word", "from collections import Counter\nwords = open('{f}').read().lower().split()\nprint(Counter(words).most_common(1)[0])", "The most frequent word and its number: {o}."),
        ("longest-line", "print(max(open('{f}').read().splitlines(), key=len))", "The longest line is: {o}"),
        ("longest-word", "print(max(open('{f}').read().split(), key=len))", "The longest word is {o}."),
        ("different-words", "print(len(set(open('{f}').read().lower().split())))", "{f} has {o} different words."),
    )  # fmt: skip
    yield scene.ask(section, file=name)
    seen = yield reckoned(code.format(f=name), scene.agent)
    yield answer.format(f=name, o=seen.text)


def _asked(scene: Scene, table: Table, section: str, code: str, answer: str, more: dict[str, str]) -> Script:
    slots = dict(f=table.file, k=table.key, g=table.group) | more
    yield scene.ask(section, file=table.file, key=table.key, group=table.group,
                    amount=more.get("a", ""), by=more.get("b", ""), limit=more.get("n", ""), value=more.get("v", ""))  # fmt: skip
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
    names = [key, *([group] if scene.chance(0.9) else [group]), *amounts]
    if scene.chance(0.3):
        names = [names[0], *scene.random.sample(names[1:], len(names) - 1)]
    keys = _keys(scene, kind)
    draft = Table("", key, group, tuple(names), amounts, ())
    rows = tuple({name: one if name == key else _cell(scene, draft, name) for name in names} for one in keys)
    file = scene.fresh(ending="csv")
    scene.put(file, "\n".join([",".join(names), *(",".join(row.values()) for row in rows)]))
    scene.litter(2)
    return Table(file, key, group, tuple(names), amounts, rows)


def _keys(scene: Scene, kind: str) -> list[str]:
    pool = {"person": "first", "thing": "noun", "place": "city", "time": "month"}[kind]
    drawn = [scene.word(pool) for _ in range(scene.random.randint(3, 9))]
    return list(dict.fromkeys(drawn))


def _cell(scene: Scene, table: Table, name: str) -> str:
    if name in table.amounts:
        return str(scene.number(3)) + (f".{scene.random.randint(10, 99)}" if scene.chance(0.1) else "")
    values = GROUPS[name]
    return scene.word(values) if isinstance(values, str) else scene.pick(*values)


def _object(scene: Scene) -> tuple[dict[str, object], list[str]]:
    keys = scene.random.sample(("name", "version", "port", "city", "author", "color", "age", "level", "email", "license"), scene.random.randint(2, 5))
    data: dict[str, object] = {key: _plain(scene, key) for key in keys}
    path = [scene.pick(*keys)]
    if scene.chance(0.25):
        inner, key = scene.pick("server", "owner", "options"), scene.pick("host", "port", "mode", "user")
        data[inner] = {key: _plain(scene, key), "active": scene.chance(0.5)}
        path = [inner, key]
    return data, path


def _plain(scene: Scene, key: str) -> object:
    if key in ("port", "age", "level"):
        return scene.number()
    if key == "version":
        return f"{scene.number(1)}.{scene.number(2)}.{scene.number(1)}"
    if key == "email":
        return f"{scene.word('first').lower()}@{words.made_up(scene.random)}.com"
    return {"name": scene.word("first"), "author": scene.word("last"), "city": scene.word("city"), "color": scene.word("color"),
            "license": scene.pick("MIT", "GPL", "Apache-2.0")}.get(key, scene.word())  # fmt: skip

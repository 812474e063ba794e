"""Inventories: what is left, what runs out, a number that changes.

The line of a thing is searched, not the whole list read. Not covered: money (office).
"""

from __future__ import annotations

from training.families.office import build_csv_program, draw_file_name, format_place, format_source
from training.families.reading import read_file
from training.scene import Scene
from training.script import Script, format_bash, format_edit

STOCK = ("inventory", "stock", "storeroom", "supplies", "warehouse", "pantry", "parts", "shelf", "cellar")
THINGS = (
    *("screws", "nails", "bulbs", "batteries", "candles", "pens", "folders", "towels", "cups", "plates"),
    *(
        "jars",
        "bottles",
        "apples",
        "eggs",
        "lamps",
        "cables",
        "chairs",
        "gloves",
        "brushes",
        "tents",
        "ropes",
    ),
    *("helmets", "masks", "stamps", "envelopes", "filters", "tyres", "hammers", "buckets", "blankets"),
)
LOW = "print(', '.join(row['{k}'] for row in rows if int(row['{s}']) {c}))"


def count_stock(scene: Scene) -> Script:
    """How many there are of one thing: its line is searched."""
    name, lines = _make_inventory(scene)
    thing = scene.pick(*lines)
    named = scene.draw_chance(0.4)
    yield scene.ask("stock-left", thing=thing, file=format_source(scene, name, named))
    yield format_bash(f"grep -i {thing} {name}" if named else f"grep -ri {thing} .")
    left = lines[thing][0]
    yield f"There are {left} {thing} left." if left != "0" else f"There are no {thing} left."


def update_stock(scene: Scene) -> Script:
    """A number of the inventory changes: the line is looked for, then written anew."""
    name, lines = _make_inventory(scene)
    thing = scene.pick(*lines)
    old, line = lines[thing]
    named, by = scene.draw_chance(0.4), scene.random.randint(1, 40)
    section = scene.pick(
        "stock-now", "stock-now", "stock-more", "stock-less" if int(old) > by else "stock-more"
    )
    new = str(by if str(by) != old else by + 1)
    yield scene.ask(
        section, thing=thing, n=new if section == "stock-now" else by, file=format_place(scene, name, named)
    )
    yield format_bash(f"grep -i {thing} {name}" if named else f"grep -ri {thing} .")
    if section == "stock-now":
        yield format_edit(name, line, line.replace(old, new, 1))
        yield f"{name} says {new} {thing} now."
        return
    sign = "+" if section == "stock-more" else "-"
    sum_ = line.replace(old, f"$(({old} {sign} {by}))", 1)
    yield format_bash(f'sed -i "s/^{line}$/{sum_}/" {name} && grep -i {thing} {name}')
    total = int(old) + by if sign == "+" else int(old) - by
    yield f"There are {total} {thing} now."


def list_low_stock(scene: Scene) -> Script:
    """What runs out: below its minimum, below a number, or gone."""
    name = draw_file_name(scene, STOCK, ("csv",))
    key, stock, least = (
        scene.pick("item", "article", "part", "product", "name"),
        scene.pick("stock", "count", "quantity", "left", "amount"),
        scene.pick("minimum", "min", "reorder_at", "needed"),
    )
    minimal = scene.draw_chance(0.5)
    rows = [
        (thing, scene.random.choice((0, scene.draw_number(2), scene.draw_number(2))))
        for thing in _draw_things(scene)
    ]
    lines = [f"{thing},{left}" + (f",{scene.draw_number(2)}" if minimal else "") for thing, left in rows]
    scene.put_file(name, "\n".join([f"{key},{stock}" + (f",{least}" if minimal else ""), *lines]))
    scene.add_other_files(3)
    bound = scene.draw_number(2)
    section, test = scene.pick(
        ("stock-low", f"< int(row['{least}'])") if minimal else ("stock-below", f"< {bound}"),
        ("stock-gone", "== 0"),
        ("stock-below", f"< {bound}"),
    )
    named = scene.draw_chance(0.4)
    yield scene.ask(section, n=bound, file=format_source(scene, name, named))
    yield from read_file(name, not named, "head -n 2")
    seen = yield build_csv_program(scene, name, LOW.format(k=key, s=stock, c=test))
    what = {"stock-low": "Low", "stock-gone": "Used up", "stock-below": f"Fewer than {bound}"}[section]
    yield f"{what}: {seen.text or 'nothing'}."


def _draw_things(scene: Scene) -> list[str]:
    many = scene.random.randint(4, 8)
    drawn = (scene.pick(*THINGS) if scene.draw_chance(0.6) else f"{scene.draw_word()}s" for _ in range(many))
    return list(dict.fromkeys(drawn))


def _make_inventory(scene: Scene) -> tuple[str, dict[str, tuple[str, str]]]:
    """Make an inventory in one of its layouts: of each thing its number and its line."""
    form = scene.pick(
        "{thing}: {n}", "{thing},{n}", "- {n} {thing}", "{thing} = {n}", "{n} {thing}", "- {thing}: {n}"
    )
    head = {"{thing},{n}": "item,stock"}.get(form, scene.pick("", "", "# Stock", "In the cellar:"))
    lines = {thing: (n := _draw_count(scene), form.format(thing=thing, n=n)) for thing in _draw_things(scene)}
    name = draw_file_name(scene, STOCK, ("csv",) if "," in form else ("txt", "md", "txt"))
    scene.put_file(name, "\n".join([*([head] if head else []), *(line for _, line in lines.values())]))
    scene.add_other_files(3)
    return name, lines


def _draw_count(scene: Scene) -> str:
    return "0" if scene.draw_chance(0.1) else str(scene.draw_number(3))

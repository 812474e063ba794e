"""A run as one HTML page with plots as SVG: what was solved, what it cost, every task.

No script, nothing fetched. What models and files said is escaped, and a policy in the head forbids the
page to load anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from math import ceil, floor, log10

from tripletick.bench import summary_table
from tripletick.bench.attempt import Attempt
from tripletick.bench.run_file import RunHeader
from tripletick.history.page import CSS, PAGE, POLICY
from tripletick.ui.sanitize import escape_controls

LOOK = """
body { max-width: 60rem; } svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--ink); } .grid { stroke: var(--line); fill: none; }
.bar { fill: var(--good); opacity: .55; }
.span { stroke: var(--ink); fill: none; } circle.good { fill: var(--good); fill-opacity: .6; }
path.bad { stroke: var(--bad); stroke-width: 2; fill: none; } td.number { text-align: right; }
table { font-size: .85rem; width: 100%; } .no { color: var(--bad); }
"""
TITLE = "{model}: {solved} of {of} solved"
INTERVAL = "Lines show 95 % confidence intervals (Wilson)."
SCATTER = "Seconds and tokens of each trial: circles are solved, crosses are not. Point at one for its name."
HEADS = ("task", "wording", "repeat", "", "seconds", "attempts", "steps", "read", "written", "why not")

WIDTH, LEFT, ROW, BAR = 640, 90, 30, 16
HEIGHT, TOP, FOOT = 330, 20, 40
DOT = 4
SVG = '<svg viewBox="0 0 {width} {height}" role="img" aria-label="{label}">{parts}</svg>'


def render_page(header: RunHeader, attempts: Sequence[Attempt]) -> str:
    """Give the page of a run."""
    rows = summary_table.make_rows(attempts)
    solved = sum(attempt.solved for attempt in attempts)
    bars = [
        ShareBar(row.name, row.solved / row.of, row.low, row.high, f"{row.solved} of {row.of}")
        for row in rows
    ]
    points = [
        PlotPoint(f"{one.task} ({one.wording})", one.seconds, one.read + one.written, one.solved)
        for one in attempts
        if one.seconds > 0 and one.read + one.written > 0
    ]
    parts = [
        _render_heading("By family", INTERVAL),
        draw_bars(bars, "Share of tasks solved, by family"),
        _render_table(summary_table.COLUMNS, [list(summary_table.format_cells(row)) for row in rows]),
        f'<p class="note">{escape(summary_table.BELOW)}</p>',
        _render_heading("Cost", SCATTER),
        draw_points(points, "Seconds against tokens", "seconds", "tokens"),
        _render_heading("Tasks"),
        _render_table(HEADS, map(_format_attempt, attempts)),
        _render_heading("The run"),
        _render_table(("", ""), [(name, str(value)) for name, value in asdict(header).items() if value]),
    ]
    title = TITLE.format(model=header.model, solved=solved, of=len(attempts))
    return PAGE.format(
        policy=POLICY,
        title=_escape_text(title),
        css=CSS + LOOK,
        about=_escape_text(
            f"tripletick {header.version}, {header.engine}, suite {header.suite}, {header.started}"
        ),
        parts="\n".join(parts),
    )


def _format_attempt(one: Attempt) -> tuple[str, ...]:
    counts = (f"{one.seconds:.1f}", one.attempts, one.steps, one.read, one.written)
    says = "solved" if one.solved else "no"
    return (one.task, one.wording, str(one.repeat), says, *map(str, counts), one.why)


def _render_heading(words: str, below: str = "") -> str:
    return f"<h2>{escape(words)}</h2>" + (f'<p class="note">{escape(below)}</p>' if below else "")


def _render_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(word)}</th>" for word in heads)
    body = "\n".join(f"<tr>{''.join(map(_render_cell, row))}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>\n{body}</table>"


def _render_cell(words: str) -> str:
    kind = "number" if words.replace(".", "", 1).isdigit() else "no" if words == "no" else ""
    return f'<td class="{kind}">{_escape_text(words)}</td>' if kind else f"<td>{_escape_text(words)}</td>"


def _escape_text(words: str) -> str:
    return escape(escape_controls(words))


@dataclass(frozen=True, slots=True)
class ShareBar:
    """A share from 0 to 1, and the interval that the true one lies in."""

    name: str
    share: float
    low: float
    high: float
    says: str


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """A point; both numbers above 0. `good` gives its colour and its shape."""

    name: str
    x: float
    y: float
    good: bool


def draw_bars(rows: Sequence[ShareBar], label: str) -> str:
    """Draw shares below each other, on a scale from 0 to 100 per cent."""
    wide, height = WIDTH - LEFT - 70, ROW * len(rows) + FOOT
    parts = list(_draw_scale(wide, height))
    for at, row in enumerate(rows):
        top, middle = at * ROW + 6, at * ROW + 6 + BAR / 2
        low, high = LEFT + row.low * wide, LEFT + row.high * wide
        parts += [
            _draw_text(LEFT - 8, middle + 4, row.name, "end"),
            f'<rect class="bar" x="{LEFT}" y="{top}" width="{row.share * wide:.1f}" height="{BAR}"/>',
            f'<path class="span" d="M{low:.1f} {middle - 4}v8m0 -4H{high:.1f}m0 -4v8"/>',
            _draw_text(WIDTH - 64, middle + 4, row.says),
        ]
    return SVG.format(width=WIDTH, height=height, label=_escape_text(label), parts="".join(parts))


def draw_points(rows: Sequence[PlotPoint], label: str, across: str, up: str) -> str:
    """Draw points; a circle is good, a cross is not. Nothing where there is none."""
    if not rows:
        return ""
    wide, high = WIDTH - LEFT - 20, HEIGHT - FOOT - TOP
    columns, lines = _find_decades([row.x for row in rows]), _find_decades([row.y for row in rows])
    parts = list(_draw_axes(columns, lines, wide, high))
    for row in rows:
        x = LEFT + _to_fraction(row.x, columns) * wide
        y = TOP + (1 - _to_fraction(row.y, lines)) * high
        parts.append(_draw_dot(x, y, row))
    parts += [_draw_text(LEFT + wide / 2, HEIGHT - 4, across, "middle"), _draw_text(4, 12, up)]
    return SVG.format(width=WIDTH, height=HEIGHT, label=_escape_text(label), parts="".join(parts))


def _draw_scale(wide: float, height: float) -> Iterator[str]:
    for share in (0, 25, 50, 75, 100):
        x = LEFT + share * wide / 100
        yield f'<path class="grid" d="M{x:.1f} 0V{height - FOOT + 8}"/>'
        yield _draw_text(x, height - FOOT + 24, f"{share} %", "middle")


def _draw_axes(columns: range, lines: range, wide: float, high: float) -> Iterator[str]:
    for power in columns:
        x = LEFT + _to_fraction(10**power, columns) * wide
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{TOP + high}"/>'
        yield _draw_text(x, TOP + high + 16, f"{10.0**power:g}", "middle")
    for power in lines:
        y = TOP + (1 - _to_fraction(10**power, lines)) * high
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{LEFT + wide}"/>'
        yield _draw_text(LEFT - 8, y + 4, f"{10.0**power:g}", "end")


def _draw_dot(x: float, y: float, row: PlotPoint) -> str:
    if row.good:
        shape = f'<circle class="good" cx="{x:.1f}" cy="{y:.1f}" r="{DOT}">'
        end = "</circle>"
    else:
        cross = f"M{x - DOT:.1f} {y - DOT:.1f}l8 8m0 -8l-8 8"
        shape, end = f'<path class="bad" d="{cross}">', "</path>"
    return f"{shape}<title>{_escape_text(row.name)}</title>{end}"


def _find_decades(values: Sequence[float]) -> range:
    """Give the powers of ten that hold the values, at least two."""
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    return range(low, max(high, low + 1) + 1)


def _to_fraction(value: float, decades: range) -> float:
    return (log10(value) - decades[0]) / (decades[-1] - decades[0])


def _draw_text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_escape_text(words)}</text>'

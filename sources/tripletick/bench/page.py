"""A run as one HTML page: what was solved, what it cost, every task. No script, nothing fetched.

What models and files said is escaped, and a policy in the head forbids the page to load anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from html import escape

from tripletick.bench import plots, summary_table
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


def render_page(header: RunHeader, attempts: Sequence[Attempt]) -> str:
    """Give the page of a run."""
    rows = summary_table.make_rows(attempts)
    solved = sum(attempt.solved for attempt in attempts)
    bars = [
        plots.ShareBar(row.name, row.solved / row.of, row.low, row.high, f"{row.solved} of {row.of}")
        for row in rows
    ]
    points = [
        plots.PlotPoint(f"{one.task} ({one.wording})", one.seconds, one.read + one.written, one.solved)
        for one in attempts
        if one.seconds > 0 and one.read + one.written > 0
    ]
    parts = [
        _render_heading("By family", INTERVAL),
        plots.draw_bars(bars, "Share of tasks solved, by family"),
        _render_table(summary_table.COLUMNS, [list(summary_table.format_cells(row)) for row in rows]),
        f'<p class="note">{escape(summary_table.BELOW)}</p>',
        _render_heading("Cost", SCATTER),
        plots.draw_points(points, "Seconds against tokens", "seconds", "tokens"),
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

"""The Markdown table of a comparison, from the lines that run.py writes: a row an agent, means over tasks."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

Record = dict[str, Any]
NONE = "-"
COLUMNS = (
    "agent",
    "MB",
    "packages",
    "first prompt",
    "requests",
    "tokens read",
    "tokens written",
    "reusable prefix",
    "seconds",
    "out of time",
    "solved",
    "without a person",
)


def format_table(records: Iterable[Record]) -> str:
    """Give the table; agents stand in the order in which they come, each under its latest version."""
    lines = list(records)
    heads = {record["peer"]: record for record in lines if "installed" in record}
    about: Record = next((record["about"] for record in lines if "about" in record), {})
    rows = [format_row(head, filter_trials(head, lines), about.get("ctx", 0)) for head in heads.values()]
    drawn = ["| " + " | ".join(each) + " |" for each in [COLUMNS, ["---"] * len(COLUMNS), *rows]]
    return "\n".join([*drawn, "", ", ".join(f"{name} {value}" for name, value in about.items() if value), ""])


def filter_trials(head: Record, lines: Sequence[Record]) -> list[Record]:
    """Give an agent's trials, of the version and the context that it has now."""
    named = ("peer", "version", "ctx")
    mine = [head.get(name) for name in named]
    return [line for line in lines if "task" in line and [line.get(name) for name in named] == mine]


def format_row(head: Record, trials: Sequence[Record], context: int) -> list[str]:
    """Give an agent's row; what was never tried has no figures. A context of its own stands by its name."""
    installed, own = head["installed"], head.get("ctx", context)
    weight = [f"{installed['megabytes']:.0f}", str(installed["packages"])] if installed else []
    beside = f", context {format_number(own)}" if own != context else ""
    first = [f"{head['peer']} {head['version']}".strip() + beside, *weight]
    if not trials:
        return [*first, *[NONE] * (len(COLUMNS) - len(first) - 1), head["alone"]]
    costs = [trial["cost"] for trial in trials]
    prompts = [cost["first"] for cost in costs if cost["first"]]
    return [
        *first,
        format_first_prompt(prompts, own),
        f"{compute_mean(costs, 'requests'):.1f}",
        format_number(compute_mean(costs, "read")),
        format_number(compute_mean(costs, "written")),
        format_share(sum(cost["kept"] for cost in costs), sum(cost["sent"] for cost in costs)),
        f"{compute_mean(trials, 'seconds'):.0f}",
        f"{sum(trial['late'] for trial in trials)}",
        f"{sum(not trial['why'] for trial in trials)} of {len(trials)}",
        head["alone"],
    ]


def format_first_prompt(prompts: Sequence[int], context: int) -> str:
    """Give the median; one that fills the context was longer, and the server cut it without a word."""
    if not prompts:
        return NONE
    median = statistics.median(prompts)
    return f"{format_number(median)}, cut" if median == context else format_number(median)


def compute_mean(records: Sequence[Record], name: str) -> float:
    return statistics.fmean(record[name] for record in records)


def format_number(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ")


def format_share(part: int, whole: int) -> str:
    """Give a percentage, rounded down so that 100 % is all of it; none after one request a task."""
    return f"{100 * part // whole} %" if whole else NONE

"""What helps small models, by name: the setting that turns each on and off, for whoever measures it.

What each does stands with its setting (config/schema.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Technique:
    """A setting, `section.key`, and the value that is the other way than the shipped one."""

    setting: str
    other: str


TECHNIQUES: Mapping[str, Technique] = {
    "fences": Technique("agent.dialect", "xml"),
    "folder-names": Technique("agent.folder", "no"),
    "thinking-budget": Technique("model.think_tokens", "0"),
    "example": Technique("model.example", "off"),
    "fresh-start": Technique("trial.fresh_start", "no"),
    "progress-kept": Technique("trial.progress", "no"),
    "warmer-later": Technique("trial.heat", "0"),
    "files-go-along": Technique("trial.files", "no"),
    "failure-run-ahead": Technique("trial.rerun", "no"),
    "effects": Technique("trial.effects", "no"),
    "restated": Technique("trial.restate", "no"),
    "known-errors": Technique("trial.advice", "no"),
    "what-failed-teaches": Technique("trial.teach", "no"),
    "checked-at-once": Technique("trial.check", "no"),
    "examples-hold": Technique("trial.examples", "no"),
    "doubted-once": Technique("trial.doubt", "no"),
    "no-blind-overwrite": Technique("trial.known_files", "no"),
    "invented-paths": Technique("trial.paths", "no"),
    "loops-ended": Technique("trial.repeats", "no"),
    "nudge": Technique("trial.nudge", "no"),
    "budgets-by-size": Technique("trial.sizes", "no"),
    "no-small-plans": Technique("trial.small_plans", "yes"),
}

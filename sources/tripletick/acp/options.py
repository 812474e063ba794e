"""What the user may choose in the editor: mode, model and agent, and the slash commands for there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from acp import schema

from tripletick.agents.definitions import AUTO, Agent
from tripletick.chat.chat import COMMANDS
from tripletick.chat.commands.turns import EACH
from tripletick.errors import UsageError
from tripletick.event_log.session_log import clean_text

MODES = {
    "read": ("Read", "Blocks change nothing."),
    "work": ("Work", "Blocks change files in this folder, in the sandbox."),
    "net": ("Work with network", "Blocks change files in this folder and reach public addresses."),
    "bare": ("No sandbox", "Blocks run on this computer; each is asked for."),
}
OFFERED = (
    "agent",
    "model",
    "ctx",
    "undo",
    "redo",
    "diff",
    "commit",
    "compact",
    "retry",
    "tools",
    "config",
    "save",
    "export",
    "tokens",
    "status",
)
"""The chat's slash commands that need no terminal, and that no editor has of its own."""
BY_ITSELF = "default"
"""The model that is chosen where the user has named none."""
Category = Literal["mode", "model"] | None


@dataclass(slots=True)
class Choices:
    """What is chosen, and what there is."""

    mode: str
    model: str
    agent: str
    models: Sequence[str] = ()
    agents: Mapping[str, Agent] | None = None

    def choose(self, name: str, value: str) -> None:
        """Choose one. Raises UsageError for what there is not."""
        rows = {option.id: option for option in self.list_options()}
        known = [one.value for one in rows[name].options] if name in rows else []
        if value not in known:
            what = f"There is no {name} {value!r}." if name in rows else f"There is no option {name!r}."
            raise UsageError(what, f"There are: {', '.join(known or rows)}.")
        setattr(self, name, value)

    @property
    def modes(self) -> dict[str, tuple[str, str]]:
        """What blocks may do; without a sandbox only where that was chosen outside."""
        return {name: row for name, row in MODES.items() if name != "bare" or self.mode == "bare"}

    def build_mode_state(self) -> schema.SessionModeState:
        """Give the modes, for editors that know no options."""
        modes = [
            schema.SessionMode(id=name, name=title, description=says)
            for name, (title, says) in self.modes.items()
        ]
        return schema.SessionModeState(current_mode_id=self.mode, available_modes=modes)

    def list_options(self) -> list[schema.SessionConfigOptionSelect]:
        """Give all that may be chosen, and what is."""
        models = dict.fromkeys((self.model, *self.models))
        agents = [(AUTO, EACH), *((one.name, one.when) for one in (self.agents or {}).values())]
        known = [name for name, _ in agents]
        agents += [] if self.agent in known else [(self.agent, "")]
        return [
            _make_option(
                "mode", "Sandbox", self.mode, ((name, *row) for name, row in self.modes.items()), "mode"
            ),
            _make_option("model", "Model", self.model, ((name, name, "") for name in models), "model"),
            _make_option("agent", "Agent", self.agent, ((name, name, says) for name, says in agents), None),
        ]


def _make_option(
    name: str, title: str, value: str, rows: Iterable[tuple[str, str, str]], category: Category
) -> schema.SessionConfigOptionSelect:
    options = [
        schema.SessionConfigSelectOption(
            value=clean_text(one), name=clean_text(label), description=clean_text(says) or None
        )
        for one, label, says in rows
    ]
    return schema.SessionConfigOptionSelect(
        id=name, name=title, type="select", category=category, current_value=value, options=options
    )


def list_commands() -> list[schema.AvailableCommand]:
    """Give the slash commands, for the editor to complete."""
    return [
        schema.AvailableCommand(
            name=name,
            description=row.says,
            input=schema.AvailableCommandInput(schema.UnstructuredCommandInput(hint=row.takes))
            if row.takes
            else None,
        )
        for name, row in ((name, COMMANDS[name]) for name in OFFERED)
    ]

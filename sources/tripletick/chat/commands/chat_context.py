"""What every slash command works with: the session, the screen, and the line that is typed next.

Which commands there are is chat.py's table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from tripletick.chat.frontend import Screen
from tripletick.events import Ask, Event, Interrupted
from tripletick.history.history import Past
from tripletick.messages import Answer
from tripletick.session import builder
from tripletick.session.session import App
from tripletick.system.turn_summary import TurnSummary
from tripletick.turn.loop import Loop, Turn
from tripletick.ui.input_line import Suggestion
from tripletick.ui.terminal import Terminal
from tripletick.ui.typeahead import TypeAhead

Sink = Callable[[Event], None]
Commands = Mapping[str, Callable[[], int]]
"""The program's own commands by name; each gives its exit code."""


@dataclass(slots=True)
class ChatContext:
    """One conversation with the user, at the terminal or in an editor."""

    app: App
    screen: Screen
    commands: Commands
    done: bool = False
    """The user leaves."""
    draft: str = ""
    """What stands in the next input line already."""
    warned: str = ""
    """What was said already of a model that cannot see pictures."""
    stopped: bool = False
    """The user has interrupted what was done last: what was typed meanwhile is not sent by itself."""
    past: Past | None = None
    """The session that is gone on with once this one is left."""
    models: Sequence[str] = ()
    """The models there are, once they were asked for."""
    spent: TurnSummary = field(default_factory=TurnSummary)
    """What the turns of this chat have cost."""
    attached: str = ""
    """What goes along with the next request."""
    confined: bool = False
    """The user may reach no more than blocks do: files are saved in the folder, listed models are opened."""
    _ahead: TypeAhead | None = None

    def __post_init__(self) -> None:
        self._ahead = self.screen.terminal.start_chat() if self.screen.terminal else None

    @property
    def terminal(self) -> Terminal:
        """The terminal, for what only works there."""
        assert self.screen.terminal
        return self.screen.terminal

    @property
    def ahead(self) -> TypeAhead:
        """What is typed at the terminal while the model works."""
        assert self._ahead
        return self._ahead

    def run_turn(self, turn: Turn, *sinks: Sink) -> None:
        """Pull a turn to its end and show it; what is typed meanwhile waits."""
        self.stopped = False
        with self._ahead.capture_keys() if self._ahead else nullcontext():
            self.app.run_turn(
                turn, [*sinks, self.spent.add_event, self.screen.show, self._note_interrupt], self.ask_user
            )
            self.screen.close()

    def ask_user(self, question: Ask) -> Answer:
        """Ask the user; what was typed before the question does not answer it."""
        with self._ahead.pause_capture() if self._ahead else nullcontext():
            return self.screen.ask(question)

    def ask_yes_no(self, line: str) -> bool:
        """Ask a question that is answered with yes or no."""
        return self.ask_user(Ask(line)).choice == "y"

    def open_loop(self) -> Loop | None:
        """Give the loop, opened where it was not yet; None where that failed, which has been told then."""
        if self.app.loop is None:
            self.run_turn(self.app.open_session())
        return self.app.loop

    def find_program(self, program: str) -> str | None:
        """Find a program that the user has, and not the workspace."""
        return builder.make_program_lookup(self.app.workspace.root)(program)

    def show_table(self, rows: Iterable[tuple[str, str]]) -> None:
        """Say rows of two columns."""
        self.screen.table(rows)

    def _note_interrupt(self, event: Event) -> None:
        self.stopped = self.stopped or isinstance(event, Interrupted)


Names = Callable[[ChatContext, str], Iterable[Suggestion]]
"""What may stand behind a command, by what stands there already."""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """One slash command: what may stand behind it, its sentence, what it does, and what Tab gives."""

    name: str
    takes: str
    says: str
    run: Callable[[ChatContext, str], None]
    names: Names | None = None
    also: tuple[str, ...] = ()
    """Other names of it."""

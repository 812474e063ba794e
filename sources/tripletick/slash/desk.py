"""What every slash command works with: the session, the screen, and the line that is typed next.

Which commands there are is chat.py's table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tripletick.app import App
from tripletick.events import Ask
from tripletick.loop import Loop, Turn
from tripletick.screens import Screen


@dataclass(slots=True)
class Desk:
    """One conversation with the person at the terminal."""

    app: App
    screen: Screen
    done: bool = False
    """The person leaves."""
    draft: str = ""
    """What stands in the next input line already."""

    def play(self, turn: Turn) -> None:
        """Pull a turn to its end and show it."""
        self.app.run(turn, [self.screen.show], self.screen.ask)
        self.screen.close()

    def agrees(self, line: str) -> bool:
        """Ask a question that is answered with yes or no."""
        return self.screen.ask(Ask(line)).choice == "y"

    def opened(self) -> Loop | None:
        """Give the loop, opened where it was not yet; None where that failed, which has been told then."""
        if self.app.loop is None:
            self.play(self.app.begin())
        return self.app.loop

    def table(self, rows: Iterator[tuple[str, str]] | list[tuple[str, str]]) -> None:
        """Say rows of two columns."""
        rows = list(rows)
        width = max((len(left) for left, _ in rows), default=0)
        self.screen.say("\n".join(f"{left:{width}}  {right}".rstrip() for left, right in rows))

"""The chat: a line is typed, a turn is worked on, and the line comes back, whatever went wrong.

What a line may be stands in two tables: what it begins with, and the slash commands. How the line is edited
is in ui/line.py, how a turn is drawn in ui/console.py; what is done is the app's.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tripletick import __version__, wiring
from tripletick.app import App
from tripletick.errors import TripletickError, UsageError
from tripletick.events import Ask
from tripletick.loop import Turn
from tripletick.models import hosts
from tripletick.screens import Screen
from tripletick.ui.line import Line
from tripletick.ui.summary import Summary

USAGE = 2
"""The exit code of what was typed wrongly on the command line; nothing has been said yet then."""
TWICE = "Ctrl+C once more leaves."
UNCHANGED = "No turn changed anything here."
HELP = "/help tells what can be typed."
GOES_THERE = "What is read goes to {host}, which is not this machine."
KEYS = (
    ("@agent …", "give it to another agent, who stays"),
    ("!command", "run a command in the box; the model reads its output"),
    ("//text", "a text that begins with a slash"),
    ("Enter", "send; Ctrl+J or Alt+Enter: a new line"),
    ("Tab", "complete a command or an agent"),
    ("Ctrl+R", "search what was typed"),
    ("Ctrl+C", "stop what runs; drop the line; on an empty line twice: leave"),
)


@dataclass(frozen=True, slots=True)
class Slash:
    """One slash command: what may stand behind it, its sentence, and what it does."""

    name: str
    takes: str
    says: str
    run: Callable[[Chat, str], None]


@dataclass(slots=True)
class Chat:
    """One conversation with the person at the terminal."""

    app: App
    screen: Screen
    history: Path | None
    ready: bool = True
    """False where the person has already been told why there is no model."""
    done: bool = False

    def run(self) -> int:
        """Read lines until the person leaves; gives the exit code."""
        if self.ready and self._begin() == USAGE:
            return USAGE
        self.screen.say("\n".join(self._greeting()))
        line, leaving = Line(self.history, self.complete), False
        while not self.done:
            try:
                text = line.read(self._prompt())
                leaving = False
                self.take(text)
            except EOFError:
                break
            except KeyboardInterrupt:
                if leaving:
                    break
                leaving = True
                self.screen.say(TWICE)
        return 0

    def take(self, text: str) -> None:
        """Do what a line says; what goes wrong is said."""
        try:
            opener = OPENERS.get(text[:1])
            if opener is None or text.startswith("//"):
                self._play(self.app.turn(text.removeprefix("/").strip()))
            else:
                opener(self, text[1:].strip())
        except TripletickError as error:
            self.screen.say(str(error))
        except KeyboardInterrupt:
            self.screen.say("interrupted")
        finally:
            self.screen.close()

    def complete(self, so_far: str) -> Iterator[str]:
        """Give what a command or an agent's name can become."""
        words = [f"/{name}" for name in COMMANDS]
        if so_far.startswith(("@", "/agent ")):
            words = [f"{head}{name} " for head in ("@", "/agent ") for name in self.app.prompts.agents]
        return (word for word in words if so_far and word.startswith(so_far))

    def command(self, text: str) -> None:
        """Do a slash command. Raises UsageError where there is none of that name."""
        name, rest = _parted(text)
        if name not in COMMANDS:
            close = difflib.get_close_matches(name, COMMANDS, 1, 0.4)
            remedy = f"Did you mean /{close[0]}?" if close else "What there is: /help."
            raise UsageError(f"There is no /{name}.", f"{remedy} A text that begins with a slash: //{name}")
        if rest and not COMMANDS[name].takes:
            raise UsageError(f"/{name} takes nothing behind it.", "", f"Type it alone: /{name}")
        COMMANDS[name].run(self, rest)

    def mention(self, text: str) -> None:
        """Give the agent what stands behind its name, or what follows. Raises UsageError."""
        name, rest = _parted(text)
        try:
            self.app.use_agent(name)
        except UsageError as error:
            raise UsageError(
                error.what, error.why, f"To send it as it is, begin with a blank: @{name}"
            ) from error
        if rest:
            self._play(self.app.turn(rest))

    def shell(self, text: str) -> None:
        """Run a command in the box."""
        if text:
            self._play(self.app.shell(text))

    def help(self, rest: str) -> None:
        rows = [(f"/{one.name} {one.takes}".rstrip(), one.says) for one in COMMANDS.values()]
        self._table([*rows, *KEYS])

    def agent(self, name: str) -> None:
        if name:
            self.app.use_agent(name.removeprefix("@"))
            return
        self._table([(agent.name, agent.when) for agent in self.app.prompts.agents.values()])
        self.screen.say(f"At work: {self.app.config.agent.name}. Switch: /agent NAME")

    def model(self, name: str) -> None:
        if name:
            self._play(self.app.use_model(name))
            return
        try:
            for model in wiring.listed(self.app.config):
                self.screen.say(model.name)
        except TripletickError as error:
            # what is at work may need no server
            self.screen.say(error.what)
        self.screen.say(f"At work: {self._model()}. Switch: /model NAME")

    def undo(self, count: str) -> None:
        self._play(self.app.undo(_turns("undo", count), self._agrees))

    def redo(self, count: str) -> None:
        self._play(self.app.redo(_turns("redo", count), self._agrees))

    def diff(self, count: str) -> None:
        compared = self.app.checkpoints.diff(_turns("diff", count))
        self.screen.diff((line.tone, line.text) for one in compared for line in one.lines)
        if not compared:
            self.screen.say(UNCHANGED)

    def clear(self, rest: str) -> None:
        self._play(self.app.clear())
        self.screen.say("A new conversation. The files stay as they are.")

    def retry(self, rest: str) -> None:
        self._play(self.app.retry())

    def status(self, rest: str) -> None:
        self._table([(name, value) for name, value in self._state() if value])

    def leave(self, rest: str) -> None:
        self.done = True

    def _prompt(self) -> str:
        loop = self.app.loop
        bare = "" if loop is None or loop.bench.box.holds else "NO SANDBOX "
        return f"{bare}{self.app.config.agent.name}> "

    def _begin(self) -> int:
        opened = Summary()
        self.app.run(self.app.begin(), [opened.show, self.screen.show], self.screen.ask)
        self.screen.close()
        return opened.exit

    def _play(self, turn: Turn) -> None:
        self.app.run(turn, [self.screen.show], self.screen.ask)
        self.screen.close()

    def _agrees(self, line: str) -> bool:
        return self.screen.ask(Ask(line)).choice == "y"

    def _table(self, rows: list[tuple[str, str]]) -> None:
        width = max(len(left) for left, _ in rows)
        self.screen.say("\n".join(f"{left:{width}}  {right}" for left, right in rows))

    def _model(self) -> str:
        about = self.app.about
        return f"{about.engine}:{about.name}" if about else self.app.config.model.name or "none yet"

    def _greeting(self) -> Iterator[str]:
        about = self.app.about
        where = f" at {about.where}" if about and about.where != about.name else ""
        yield f"tripletick {__version__} · {self._model()}{where} · {self.app.folder}"
        if about and about.engine == "ollama" and not hosts.parse(about.where).loopback:
            yield GOES_THERE.format(host=hosts.parse(about.where).host)
        yield HELP

    def _state(self) -> Iterator[tuple[str, str]]:
        about, loop = self.app.about, self.app.loop
        yield "model", self._model()
        if about:
            yield "engine", f"{about.engine} {about.version}".strip()
            yield "address", about.where
        yield "agent", self.app.config.agent.name
        if loop:
            budget = loop.replies.budget
            used = budget.estimate(loop.replies.talk.messages())
            yield "context", f"{used} of {budget.window} tokens used ({100 * used // budget.window} %)"
            yield "box", f"{loop.bench.box.name}, mode {self.app.standing.mode}"
            yield "blocks", self.app.standing.verdict
        yield "folder", str(self.app.folder)
        yield "session", self.app.log.id


OPENERS: Mapping[str, Callable[[Chat, str], None]] = {
    "/": Chat.command,
    "@": Chat.mention,
    "!": Chat.shell,
}
"""What a line may begin with; all else is a request."""
COMMANDS: Mapping[str, Slash] = {
    slash.name: slash
    for slash in (
        Slash("help", "", "what can be typed here", Chat.help),
        Slash("agent", "[NAME]", "who there is; another agent for what follows", Chat.agent),
        Slash("model", "[NAME]", "the server's models; another model for what follows", Chat.model),
        Slash("undo", "[N]", "the files as they were before the last N turns", Chat.undo),
        Slash("redo", "[N]", "what the last N undos took back", Chat.redo),
        Slash("diff", "[N]", "what the last N turns changed", Chat.diff),
        Slash("clear", "", "a new conversation; the files stay", Chat.clear),
        Slash("retry", "", "the last request once more, a little less predictably", Chat.retry),
        Slash("status", "", "model, context, box, folder, session", Chat.status),
        Slash("exit", "", "leave; Ctrl+D does it too", Chat.leave),
    )
}


def _turns(name: str, count: str) -> int:
    if count and not (count.isdecimal() and int(count)):
        raise UsageError(f"/{name} {count} is not understood.", "It takes a number of turns.", f"/{name} 2")
    return int(count or 1)


def _parted(text: str) -> tuple[str, str]:
    name, _, rest = re.sub(r"\s+", " ", text, count=1).partition(" ")
    return name, rest.strip()

"""The chat: a line is typed, a turn is worked on, and the line comes back, whatever went wrong.

What a line may be stands in two tables: what it begins with, and the slash commands. What these do is in
slash/, how the line is edited in ui/line.py, how a turn is drawn in ui/console.py.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tripletick import agents
from tripletick.app import App
from tripletick.errors import TripletickError, UsageError
from tripletick.screens import Screen
from tripletick.slash import files, giving, past, pasting, running, settings, telling, words, work
from tripletick.slash.desk import Commands, Desk
from tripletick.slash.meanings import MEANT
from tripletick.slash.row import Slash
from tripletick.ui.line import Line
from tripletick.ui.summary import Summary

USAGE = 2
"""The exit code of what was typed wrongly on the command line; nothing has been said yet then."""
TWICE = "Ctrl+C once more leaves."
KEYS = (
    ("@agent TEXT", "give it to this agent; without a text: all that follows, as /agent does"),
    ("@path", "add a file or folder to the request; Tab completes it and tells its tokens"),
    ("!command", "run a command in the box; the model reads its output"),
    ("//text", "a text that begins with a slash"),
    ("Enter", "send; Ctrl+J or Alt+Enter: a new line"),
    ("Tab", "complete a command, a path, an agent, a model"),
    ("Ctrl+R", "search what was typed"),
    ("Ctrl+T", "show or fold the model's reasoning, the last one too"),
    ("Ctrl+X Ctrl+E", "write on in your editor"),
    ("Ctrl+C", "stop what runs; drop the line; on an empty line twice: leave"),
)


@dataclass(slots=True)
class Chat:
    """One conversation with the person at the terminal."""

    app: App
    screen: Screen
    history: Path | None
    ready: bool = True
    """False where the person has already been told why there is no model."""
    commands: Commands = field(default_factory=dict)
    """The program's own commands."""
    desk: Desk = field(init=False)

    def __post_init__(self) -> None:
        self.desk = Desk(self.app, self.screen, self.commands)

    def run(self) -> int:
        """Read lines until the person leaves; gives the exit code."""
        with self.desk.ahead.listening():
            if self.ready and self._begin() == USAGE:
                return USAGE
            self.screen.say("\n".join(telling.greeting(self.app)))
            self._talk(Line(self.history, words.board(self.desk, COMMANDS)))
        return 0

    def _talk(self, line: Line) -> None:
        desk, leaving = self.desk, False
        while not desk.done:
            try:
                text = self._read(line)
                leaving = False
                self.take(text)
            except EOFError:
                break
            except KeyboardInterrupt:
                if leaving:
                    break
                leaving = True
                self.screen.say(TWICE)

    def _read(self, line: Line) -> str:
        desk = self.desk
        with desk.ahead.handed() as typed:
            line.type_ahead(typed, send=not desk.stopped)
            draft, desk.draft, desk.stopped = desk.draft, "", False
            return line.read(self._prompt(), draft)

    def take(self, text: str) -> None:
        """Do what a line says; what goes wrong is said."""
        try:
            opener = OPENERS.get(text[:1])
            if text.rstrip() in LEAVES:
                self.desk.done = True
            elif opener is None or text.startswith("//"):
                files.request(self.desk, text.removeprefix("/").strip())
            else:
                opener(self.desk, text[1:].strip())
        except TripletickError as error:
            self.screen.say(str(error))
        except KeyboardInterrupt:
            self.screen.say("interrupted")
        finally:
            self.screen.close()

    def _prompt(self) -> str:
        loop = self.app.loop
        bare = "" if loop is None or loop.bench.box.holds else "NO SANDBOX "
        name = self.app.config.agent.name
        return f"{bare}{'' if name == agents.AUTO else name}> "

    def _begin(self) -> int:
        opened = Summary()
        self.desk.play(self.app.begin(), opened.show)
        if not opened.exit:
            self.desk.play(self.app.go_on())
        return opened.exit


def command(desk: Desk, text: str) -> None:
    """Do a slash command. Raises UsageError where there is none of that name."""
    name, rest = _parted(text)
    if name not in COMMANDS:
        why = f"{meant(desk, name)} To send it as text: //{name}"
        raise UsageError(f"There is no /{name}.", why)
    if rest and not COMMANDS[name].takes:
        raise UsageError(f"/{name} takes nothing behind it.", "", f"Type it alone: /{name}")
    COMMANDS[name].run(desk, rest)


def meant(desk: Desk, name: str) -> str:
    """Say what to type instead of a command that there is not: by its meaning, else by its letters."""
    if typed := MEANT.get(name.lower()):
        return f"For that: {typed}."
    if name in desk.commands:
        return f"Outside the chat: tripletick {name}."
    close = next(iter(difflib.get_close_matches(name, [*COMMANDS, *MEANT], 1)), "help")
    return f"For /{close}: {MEANT[close]}." if close in MEANT else f"Did you mean /{close}?"


def mention(desk: Desk, text: str) -> None:
    """Give the agent what stands behind its name, else all that follows; a file's name is no agent's.

    Raises UsageError.
    """
    name, rest = _parted(text)
    if name and name not in desk.app.prompts.agents and (text.startswith('"') or files.is_there(desk, name)):
        files.request(desk, f"@{text}")
        return
    try:
        named = agents.named(desk.app.prompts, name)
    except UsageError as error:
        remedy = f"To send it as it is, begin with a blank: @{name}"
        raise UsageError(error.what, error.why, remedy) from error
    if rest:
        files.request(desk, rest, named.name)
    else:
        desk.app.use_agent(name)


def shell(desk: Desk, text: str) -> None:
    """Run a command in the box."""
    if text:
        desk.play(desk.app.shell(text))


def help_(desk: Desk, rest: str) -> None:
    rows = [(f"/{one.name} {one.takes}".rstrip(), one.says) for one in ROWS]
    desk.table([*rows, *KEYS])


THINK = words.one_of("last", "yes", "no", "auto")
OPENERS: Mapping[str, Callable[[Desk, str], None]] = {"/": command, "@": mention, "!": shell}
"""What a line may begin with; all else is a request."""
LEAVES = frozenset({"exit", "quit", ":q", ":q!", ":wq", "exit()", "quit()"})
"""What leaves where it stands alone: other programs have taught it to hands."""
ROWS = (
    Slash("help", "", "what can be typed here", help_),
    Slash("agent", "[NAME]", "who there is; one for what follows, or auto", work.agent, words.agents),
    Slash("model", "[NAME]", "the models there are; another for what follows", work.model, words.models),
    Slash("ctx", "[N]", "the context in tokens; another size, read anew", settings.ctx),
    Slash(
        "think",
        "[WORD]",
        "show or fold the reasoning; last: the last one; yes, no, auto: turn it on or off",
        giving.think,
        THINK,
    ),
    Slash("show", "[N]", "a long output in full, by its number", giving.show, words.outputs),
    Slash("copy", "[N]", "the last answer, or block N, to your clipboard", giving.copy),
    Slash(
        "paste",
        "[TEXT]",
        "the picture in the clipboard, for the next request or with this one",
        pasting.paste,
    ),
    Slash("run", "FILE", "a program in your own terminal, without the box", running.run, words.paths),
    Slash("undo", "[N]", "the files as they were before the last N turns", work.undo),
    Slash("redo", "[N]", "what the last N undos took back", work.redo),
    Slash("diff", "[N]", "what the last N turns changed", work.diff),
    Slash("commit", "[TEXT]", "commit what the turns changed, with this message or the model's", work.commit),
    Slash("clear", "", "a new conversation; the files stay; also /new", work.clear, also=("new",)),
    Slash("compact", "", "have the model sum up what is old, to make room", work.compact),
    Slash("retry", "", "the last request once more, a little less predictably", work.retry),
    Slash("editor", "", "write the next request in your editor", giving.editor),
    Slash("tools", "", "what the agent at work can do", settings.tools),
    Slash("config", "[WORD]", "what is set, and where; settings with that word", settings.config),
    Slash("save", "FILE", "the last answer as a file", past.save),
    Slash("export", "[FILE]", "this session as .md, .html or .json", past.export),
    Slash("sessions", "[WORDS]", "this folder's sessions; those in which these words stand", past.sessions),
    Slash("resume", "[ID]", "what was before; go on with another session", past.resume, past.names),
    Slash("tokens", "", "what the context holds, and what this chat has cost", telling.tokens),
    Slash("init", "", "write AGENTS.md from a look at the folder", work.init),
    Slash("status", "", "model, context, box, folder, session", telling.status),
    Slash("exit", "", "leave; also /quit, Ctrl+D, and exit, quit or :q alone", work.leave, also=("quit",)),
)
COMMANDS: Mapping[str, Slash] = {name: slash for slash in ROWS for name in (slash.name, *slash.also)}


def _parted(text: str) -> tuple[str, str]:
    name, _, rest = re.sub(r"\s+", " ", text, count=1).partition(" ")
    return name, rest.strip()

"""The chat: a line is typed, a turn is worked on, and the line comes back, whatever went wrong.

What a line may be stands in two tables: what it begins with, and the slash commands. What these do is in
slash/, how the line is edited in ui/input_line.py, how a turn is drawn in ui/terminal.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tripletick.agents import definitions
from tripletick.chat.commands import (
    completion,
    mentions,
    output,
    paste,
    programs,
    sessions,
    settings,
    status,
    turns,
)
from tripletick.chat.commands.chat_context import ChatContext, Commands, SlashCommand
from tripletick.chat.frontend import Screen
from tripletick.errors import TripletickError, UsageError
from tripletick.session.session import App
from tripletick.system.text import find_close_match
from tripletick.ui.input_line import InputLine
from tripletick.ui.summary import TurnSummary

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

MEANINGS = (
    ("bye q x close end leave logout", "/exit"),
    ("reset restart forget wipe empty cls", "/clear"),
    ("history chats conversations log logs threads past list", "/sessions"),
    ("continue load open chat", "/resume"),
    ("cost usage stats size", "/tokens"),
    ("context window", "/tokens shows what is used, /ctx N asks for another size"),
    ("provider engine llm", "/model"),
    ("models", "/model; outside the chat: tripletick models"),
    ("agents subagents personas mode chat-mode switch", "/agent"),
    ("ask code web file casual coder", "@NAME TEXT gives one request to an agent; /agent lists them"),
    ("plan architect todos planner", "@planner TEXT"),
    ("review security-review", "@reviewer TEXT"),
    ("search browse fetch url", "@web TEXT"),
    ("add attach files mention read read-only include drop", "@PATH in a request adds that file"),
    ("image picture screenshot", "/paste, or @picture.png in a request"),
    ("add-dir directory dir folder workspace cd", "tripletick --read DIR; another folder: tripletick -C DIR"),
    ("rewind revert restore rollback checkpoint back", "/undo"),
    ("forward", "/redo"),
    ("changes patch", "/diff"),
    ("compress summarize summarise summary shorten", "/compact"),
    ("again repeat regenerate", "/retry"),
    ("settings set preferences options", "/config; to change one: tripletick config set KEY VALUE"),
    ("theme color colour colors colours dark light", "tripletick config set ui.theme light"),
    (
        "permissions approvals approve sandbox trust yolo",
        "tripletick --sandbox read|work|net|bare; to be asked: tripletick config set sandbox.ask always",
    ),
    ("reasoning effort think-tokens reason thinking", "/think"),
    ("bash sh shell cmd exec terminal git ls pwd test lint build push pr", "!COMMAND, such as !git status"),
    ("memory rules instructions", "AGENTS.md in this folder; /init writes one"),
    ("debug bug report feedback issue health", "tripletick doctor"),
    ("extensions plugin plugins servers", "tripletick help mcp"),
    ("login auth key", "[model] key_env names the variable that holds it: /config key"),
    ("version about", "tripletick --version"),
    ("update", "tripletick upgrade"),
    ("stop cancel abort", "Ctrl+C"),
    ("edit vim vi nano multiline multiline-mode", "/editor; Ctrl+J begins a new line"),
    ("output full more expand", "/show"),
    ("copy-context clipboard yank", "/copy"),
    ("write download", "/save FILE, or /export"),
    ("share print", "/export session.html"),
    ("keys shortcuts commands hotkeys ? h", "/help"),
)
"""Words, and what to type for them."""


@dataclass(slots=True)
class ChatLoop:
    """One conversation with the person at the terminal."""

    app: App
    screen: Screen
    history: Path | None
    ready: bool = True
    """False where the person has already been told why there is no model."""
    commands: Commands = field(default_factory=dict)
    """The program's own commands."""
    desk: ChatContext = field(init=False)

    def __post_init__(self) -> None:
        self.desk = ChatContext(self.app, self.screen, self.commands)

    def run(self) -> int:
        """Read lines until the person leaves; gives the exit code."""
        with self.desk.ahead.capture_keys():
            if self.ready and self._begin_session() == USAGE:
                return USAGE
            self.screen.say("\n".join(status.format_greeting(self.app)))
            self._read_lines(InputLine(self.history, completion.make_keyboard(self.desk, COMMANDS)))
        return 0

    def _read_lines(self, line: InputLine) -> None:
        desk, leaving = self.desk, False
        while not desk.done:
            try:
                text = self._read_line(line)
                leaving = False
                self.handle_line(text)
            except EOFError:
                break
            except KeyboardInterrupt:
                if leaving:
                    break
                leaving = True
                self.screen.say(TWICE)

    def _read_line(self, line: InputLine) -> str:
        desk = self.desk
        with desk.ahead.hand_over_keys() as typed:
            line.queue_keys(typed, send=not desk.stopped)
            draft, desk.draft, desk.stopped = desk.draft, "", False
            return line.read_input(self._format_prompt(), draft)

    def handle_line(self, text: str) -> None:
        """Do what a line says; what goes wrong is said."""
        try:
            opener = OPENERS.get(text[:1])
            if text.rstrip() in LEAVES:
                self.desk.done = True
            elif opener is None or text.startswith("//"):
                mentions.send_request(self.desk, text.removeprefix("/").strip())
            else:
                opener(self.desk, text[1:].strip())
        except TripletickError as error:
            self.screen.say(str(error))
        except KeyboardInterrupt:
            self.screen.say("interrupted")
        finally:
            self.screen.close()

    def _format_prompt(self) -> str:
        loop = self.app.loop
        bare = "" if loop is None or loop.bench.box.holds else "NO SANDBOX "
        name = self.app.config.agent.name
        return f"{bare}{'' if name == definitions.AUTO else name}> "

    def _begin_session(self) -> int:
        opened = TurnSummary()
        self.desk.run_turn(self.app.open_session(), opened.add_event)
        if not opened.exit:
            self.desk.run_turn(self.app.resume_plan())
        return opened.exit


def run_slash_command(desk: ChatContext, text: str) -> None:
    """Do a slash command. Raises UsageError where there is none of that name."""
    name, rest = _split_first_word(text)
    if name not in COMMANDS:
        why = f"{suggest_command(desk, name)} To send it as text: //{name}"
        raise UsageError(f"There is no /{name}.", why)
    if rest and not COMMANDS[name].takes:
        raise UsageError(f"/{name} takes nothing behind it.", "", f"Type it alone: /{name}")
    COMMANDS[name].run(desk, rest)


def suggest_command(desk: ChatContext, name: str) -> str:
    """Say what to type instead of a command that there is not: by its meaning, else by its letters."""
    if typed := MEANT.get(name.lower()):
        return f"For that: {typed}."
    if name in desk.commands:
        return f"Outside the chat: tripletick {name}."
    close = find_close_match(name, [*COMMANDS, *MEANT]) or "help"
    return f"For /{close}: {MEANT[close]}." if close in MEANT else f"Did you mean /{close}?"


def send_to_agent(desk: ChatContext, text: str) -> None:
    """Give the agent what stands behind its name, else all that follows; a file's name is no agent's.

    Raises UsageError.
    """
    name, rest = _split_first_word(text)
    if (
        name
        and name not in desk.app.prompts.agents
        and (text.startswith('"') or mentions.is_workspace_path(desk, name))
    ):
        mentions.send_request(desk, f"@{text}")
        return
    try:
        named = definitions.find_agent(desk.app.prompts, name)
    except UsageError as error:
        remedy = f"To send it as it is, begin with a blank: @{name}"
        raise UsageError(error.what, error.why, remedy) from error
    if rest:
        mentions.send_request(desk, rest, named.name)
    else:
        desk.app.use_agent(name)


def run_shell(desk: ChatContext, text: str) -> None:
    """Run a command in the box."""
    if text:
        desk.run_turn(desk.app.run_script(text))


def show_help(desk: ChatContext, rest: str) -> None:
    rows = [(f"/{one.name} {one.takes}".rstrip(), one.says) for one in ROWS]
    desk.show_table([*rows, *KEYS])


THINK = completion.complete_from("last", "yes", "no", "auto")
OPENERS: Mapping[str, Callable[[ChatContext, str], None]] = {
    "/": run_slash_command,
    "@": send_to_agent,
    "!": run_shell,
}
"""What a line may begin with; all else is a request."""
LEAVES = frozenset({"exit", "quit", ":q", ":q!", ":wq", "exit()", "quit()"})
"""What leaves where it stands alone: other programs have taught it to hands."""
ROWS = (
    SlashCommand("help", "", "what can be typed here", show_help),
    SlashCommand(
        "agent",
        "[NAME]",
        "who there is; one for what follows, or auto",
        turns.choose_agent,
        completion.complete_agents,
    ),
    SlashCommand(
        "model",
        "[NAME]",
        "the models there are; another for what follows",
        turns.choose_model,
        completion.complete_models,
    ),
    SlashCommand("ctx", "[N]", "the context in tokens; another size, read anew", settings.set_context),
    SlashCommand(
        "think",
        "[WORD]",
        "show or fold the reasoning; last: the last one; yes, no, auto: turn it on or off",
        output.set_reasoning,
        THINK,
    ),
    SlashCommand(
        "show", "[N]", "a long output in full, by its number", output.show_output, completion.complete_outputs
    ),
    SlashCommand("copy", "[N]", "the last answer, or block N, to your clipboard", output.copy_text),
    SlashCommand(
        "paste",
        "[TEXT]",
        "the picture in the clipboard, for the next request or with this one",
        paste.paste_picture,
    ),
    SlashCommand(
        "run",
        "FILE",
        "a program in your own terminal, without the box",
        programs.run_file,
        completion.complete_paths,
    ),
    SlashCommand("undo", "[N]", "the files as they were before the last N turns", turns.undo_turns),
    SlashCommand("redo", "[N]", "what the last N undos took back", turns.redo_turns),
    SlashCommand("diff", "[N]", "what the last N turns changed", turns.show_diff),
    SlashCommand(
        "commit",
        "[TEXT]",
        "commit what the turns changed, with this message or the model's",
        turns.commit_changes,
    ),
    SlashCommand(
        "clear", "", "a new conversation; the files stay; also /new", turns.clear_conversation, also=("new",)
    ),
    SlashCommand(
        "compact", "", "have the model sum up what is old, to make room", turns.compact_conversation
    ),
    SlashCommand("retry", "", "the last request once more, a little less predictably", turns.retry_request),
    SlashCommand("editor", "", "write the next request in your editor", output.open_editor),
    SlashCommand("tools", "", "what the agent at work can do", settings.show_tools),
    SlashCommand("config", "[WORD]", "what is set, and where; settings with that word", settings.show_config),
    SlashCommand("save", "FILE", "the last answer as a file", sessions.save_answer),
    SlashCommand("export", "[FILE]", "this session as .md, .html or .json", sessions.export_session),
    SlashCommand(
        "sessions",
        "[WORDS]",
        "this folder's sessions; those in which these words stand",
        sessions.list_sessions,
    ),
    SlashCommand(
        "resume",
        "[ID]",
        "what was before; go on with another session",
        sessions.resume_session,
        sessions.complete_sessions,
    ),
    SlashCommand("tokens", "", "what the context holds, and what this chat has cost", status.show_tokens),
    SlashCommand("init", "", "write AGENTS.md from a look at the folder", turns.write_agents_file),
    SlashCommand("status", "", "model, context, box, folder, session", status.show_status),
    SlashCommand(
        "exit", "", "leave; also /quit, Ctrl+D, and exit, quit or :q alone", turns.leave_chat, also=("quit",)
    ),
)
COMMANDS: Mapping[str, SlashCommand] = {name: slash for slash in ROWS for name in (slash.name, *slash.also)}


def _split_first_word(text: str) -> tuple[str, str]:
    name, _, rest = re.sub(r"\s+", " ", text, count=1).partition(" ")
    return name, rest.strip()


def _expand_meanings() -> Iterator[tuple[str, str]]:
    for words, typed in MEANINGS:
        for word in words.split():
            yield word, typed


MEANT = dict(_expand_meanings())
"""By word."""

"""The chat: the user types a line, a turn runs, and the prompt returns, whatever went wrong.

What a line may be stands in two tables: what it begins with, and the slash commands. What these do is in
commands/, how the line is edited in ui/input_line.py, how a turn is drawn in ui/terminal.py.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
from tripletick.system.turn_summary import TurnSummary
from tripletick.ui.input_line import InputLine

USAGE = 2
"""The exit code of what was typed wrongly on the command line; nothing has been said yet then."""
ALIKE = 0.7
"""How alike a command must be that is suggested; with less, /find was taken for /window."""
TWICE = "Press Ctrl+C again to exit."
KEYS = (
    ("@agent TEXT", "send it to this agent; without TEXT: switch to it, like /agent"),
    ("@path", "add a file or folder to the request; Tab completes it and shows its token count"),
    ("!command", "run a command in the sandbox; the model reads its output"),
    ("//text", "send text that starts with a slash"),
    ("Enter", "send; Ctrl+J or Alt+Enter: insert a new line"),
    ("Tab", "complete a command, path, agent or model"),
    ("Ctrl+R", "search the input history"),
    ("Ctrl+T", "show or hide the model's reasoning, also the last one"),
    ("Ctrl+X Ctrl+E", "continue in your editor"),
    ("Ctrl+C", "stop the current work; clear the line; twice on an empty line: exit"),
)

MEANINGS = (
    ("bye q x close end leave logout", "/exit"),
    ("reset restart forget wipe empty cls", "/clear"),
    ("history chats conversations log logs threads past list", "/sessions"),
    ("continue load open chat", "/resume"),
    ("cost usage stats size", "/tokens"),
    ("context window", "/tokens to see usage, /ctx N to change the size"),
    ("provider engine llm connect weak-model", "/model"),
    ("models", "/model, or outside the chat: tripletick models"),
    ("agents subagents personas mode chat-mode switch", "/agent"),
    ("output-style personality", "tripletick help agents"),
    ("ask code web file casual coder", "@NAME TEXT to send one request to an agent, /agent to list them"),
    ("plan architect todos tasks planner", "@planner TEXT"),
    ("review security-review pr_comments", "@reviewer TEXT"),
    ("search browse fetch url", "@web TEXT"),
    ("add attach files mention read read-only include drop view ide", "@PATH in a request to add a file"),
    ("find locate map", "@file TEXT"),
    ("image picture screenshot", "/paste, or @picture.png in a request"),
    (
        "add-dir directory dir folder workspace cd",
        ("tripletick --read DIR, or tripletick -C DIR for another folder"),
    ),
    ("rewind revert restore rollback checkpoint back", "/undo"),
    ("forward", "/redo"),
    ("changes patch", "/diff"),
    ("compress summarize summarise summary shorten", "/compact"),
    ("again repeat regenerate", "/retry"),
    ("settings set preferences options", "/config, or to change one: tripletick config set KEY VALUE"),
    ("theme color colour colors colours dark light", "tripletick config set ui.theme light"),
    (
        "permissions approvals approve sandbox trust yolo",
        (
            "tripletick --sandbox read|work|net|bare, or to approve every block: tripletick config set "
            "sandbox.ask always"
        ),
    ),
    ("reasoning effort think-tokens reason thinking", "/think"),
    (
        "bash sh shell cmd exec terminal git ls pwd test lint format build push pr",
        ("!COMMAND, for example !git status"),
    ),
    ("memory rules instructions", "AGENTS.md in this folder (/init writes one)"),
    ("debug bug report feedback issue health", "tripletick doctor"),
    ("mcp extension extensions plugin plugins servers", "tripletick help mcp"),
    ("hooks", "tripletick help hooks"),
    ("skills recipe recipes custom", "tripletick help agents, or tripletick help tools"),
    ("system prompt prompts", "tripletick help prompts"),
    ("fork branch", "tripletick sessions fork ID"),
    ("pull", "tripletick models pull NAME"),
    ("privacy telemetry", "tripletick help box"),
    ("vi-mode keybindings terminal-setup statusline", "/help for the keys"),
    ("login auth key", "[model] key_env, which names the variable with the key (/config key)"),
    ("version about release-notes", "tripletick --version"),
    ("update", "tripletick upgrade"),
    ("stop cancel abort kill", "Ctrl+C"),
    ("edit vim vi nano multiline multiline-mode", "/editor, or Ctrl+J for a new line"),
    ("output details full more expand", "/show"),
    ("copy-context clipboard yank", "/copy"),
    ("write download", "/save FILE, or /export"),
    ("share print", "/export session.html"),
    ("keys shortcuts commands hotkeys ? h", "/help"),
)
"""Words, and what to type for them."""


@dataclass(slots=True)
class ChatLoop:
    """One conversation with the user at the terminal."""

    app: App
    screen: Screen
    history: Path | None
    ready: bool = True
    """False where the user has already been told why there is no model."""
    commands: Commands = field(default_factory=dict)
    """The program's own commands."""
    desk: ChatContext = field(init=False)

    def __post_init__(self) -> None:
        self.desk = ChatContext(self.app, self.screen, self.commands)

    def run(self) -> int:
        """Read lines until the user leaves; gives the exit code."""
        # a Ctrl+C that comes while the terminal is being set counts where the session is opened
        early: list[int] = []
        usual = signal.signal(signal.SIGINT, lambda number, frame: early.append(number))
        with self.desk.ahead.capture_keys():
            if self._begin_session(usual, early) == USAGE:
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
        bare = "" if loop is None or loop.context.box.holds else "NO SANDBOX "
        name = self.app.config.agent.name
        return f"{bare}{'' if name == definitions.AUTO else name}> "

    def _begin_session(self, usual: Any, early: Sequence[int]) -> int:
        """Open the session, where there is a model, and go on with its plan; Ctrl+C leaves that to the first
        request. `usual` is done at one from now on, those that came before are in `early`.
        """
        opened = TurnSummary()
        try:
            signal.signal(signal.SIGINT, usual)
            if early:
                raise KeyboardInterrupt
            if self.ready:
                self.desk.run_turn(self.app.open_session(), opened.add_event)
            if self.ready and not opened.exit:
                self.desk.run_turn(self.app.resume_plan())
        except KeyboardInterrupt:
            self.screen.close()
        if asked := self.app.lookup:  # nobody waits for the answer any more
            asked.close()
            self.app.lookup = None
        return opened.exit


def run_slash_command(desk: ChatContext, text: str) -> None:
    """Do a slash command. Raises UsageError where there is none of that name."""
    name, rest = _split_first_word(text)
    if name not in COMMANDS:
        why = f"{suggest_command(desk, name)} To send it as text: //{name}"
        raise UsageError(f"Unknown command /{name}.", why)
    if rest and not COMMANDS[name].takes:
        raise UsageError(f"/{name} takes no argument.", "", f"Type only: /{name}")
    COMMANDS[name].run(desk, rest)


def suggest_command(desk: ChatContext, name: str) -> str:
    """Say what to type instead of a command that there is not: by its meaning, else by its letters."""
    if typed := MEANT.get(name.lower()):
        return f"Use {typed}."
    if name in desk.commands:
        return f"Outside the chat, run: tripletick {name}."
    close = find_close_match(name, [*COMMANDS, *MEANT], ALIKE)
    if not close:
        return "To list the commands: /help."
    return f"For /{close}, use {MEANT[close]}." if close in MEANT else f"Did you mean /{close}?"


def send_to_agent(desk: ChatContext, text: str) -> None:
    """Give the agent what stands behind its name, else all that follows; a path is no agent's name.

    Raises UsageError.
    """
    name, rest = _split_first_word(text)
    if name and name not in desk.app.prompts.agents and mentions.is_path(desk, name):
        mentions.send_request(desk, f"@{text}")
        return
    try:
        named = definitions.find_agent(desk.app.prompts, name)
    except UsageError as error:
        remedy = f"To send it as text, start with a space: @{name}"
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
    SlashCommand("help", "", "show this help", show_help),
    SlashCommand(
        "agent",
        "[NAME]",
        "list agents; NAME: switch to it; auto: choose for each request",
        turns.choose_agent,
        completion.complete_agents,
    ),
    SlashCommand(
        "model",
        "[NAME]",
        "list models; NAME: switch to it",
        turns.choose_model,
        completion.complete_models,
    ),
    SlashCommand(
        "ctx",
        "[N]",
        "show the context size; N: change it (the model rereads the conversation)",
        settings.set_context,
    ),
    SlashCommand(
        "think",
        "[WORD]",
        "show or hide reasoning; last: show the last one; yes, no, auto: turn reasoning on, off or auto",
        output.set_reasoning,
        THINK,
    ),
    SlashCommand(
        "show", "[N]", "show long output N in full", output.show_output, completion.complete_outputs
    ),
    SlashCommand("copy", "[N]", "copy the last answer, or block N, to the clipboard", output.copy_text),
    SlashCommand(
        "paste",
        "[TEXT]",
        "attach the picture in the clipboard to the next request, or send it with TEXT",
        paste.paste_picture,
    ),
    SlashCommand(
        "run",
        "FILE",
        "run a program in your terminal, without the sandbox",
        programs.run_file,
        completion.complete_paths,
    ),
    SlashCommand("undo", "[N]", "restore the files to before the last N turns", turns.undo_turns),
    SlashCommand("redo", "[N]", "redo the last N undone turns", turns.redo_turns),
    SlashCommand("diff", "[N]", "show what the last N turns changed", turns.show_diff),
    SlashCommand(
        "commit",
        "[TEXT]",
        "commit the changes, with message TEXT or one by the model",
        turns.commit_changes,
    ),
    SlashCommand(
        "clear",
        "",
        "start a new conversation, keeping the files; also /new",
        turns.clear_conversation,
        also=("new",),
    ),
    SlashCommand("compact", "", "summarize older messages to free up context", turns.compact_conversation),
    SlashCommand(
        "retry", "", "retry the last request with a slightly higher temperature", turns.retry_request
    ),
    SlashCommand("editor", "", "write the next request in your editor", output.open_editor),
    SlashCommand("tools", "", "list what the current agent can do", settings.show_tools),
    SlashCommand(
        "config",
        "[WORD]",
        "show what is set, and where; WORD: only settings that contain it",
        settings.show_config,
    ),
    SlashCommand("save", "FILE", "save the last answer to a file", sessions.save_answer),
    SlashCommand("export", "[FILE]", "export this session as .md, .html or .json", sessions.export_session),
    SlashCommand(
        "sessions",
        "[WORDS]",
        "list this folder's sessions; WORDS: search them",
        sessions.list_sessions,
    ),
    SlashCommand(
        "resume",
        "[ID]",
        "list earlier sessions; ID: continue that session",
        sessions.resume_session,
        sessions.complete_sessions,
    ),
    SlashCommand("tokens", "", "show context and token usage", status.show_tokens),
    SlashCommand("init", "", "generate AGENTS.md by scanning this folder", turns.write_agents_file),
    SlashCommand("status", "", "show model, context, sandbox, folder and session", status.show_status),
    SlashCommand(
        "exit",
        "",
        "exit; also /quit, Ctrl+D, or exit, quit or :q on its own",
        turns.leave_chat,
        also=("quit",),
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

"""Slash commands for turns: which agent and model does them, and how to undo their changes."""

from __future__ import annotations

from tripletick.agents.definitions import AUTO
from tripletick.chat.commands.chat_context import ChatContext
from tripletick.chat.commands.status import current_model_name
from tripletick.errors import TripletickError, UsageError
from tripletick.session import builder
from tripletick.system.text import parse_number

NO_MODEL = "No model is set up yet, so there is nothing to compact."
EACH = "The agent is now chosen for each request."
FROM_NEXT = "It applies from the next chat in this folder."
UNCHANGED = "No turn has changed anything here."


def choose_agent(desk: ChatContext, name: str) -> None:
    """Name the agents, or choose one."""
    app = desk.app
    if name:
        app.use_agent(name.removeprefix("@"))
        return
    rows = [(one.name, one.when) for one in app.prompts.agents.values()]
    desk.show_table([(AUTO, EACH), *rows])
    desk.screen.say(f"Current agent: {app.config.agent.name}. To switch: /agent NAME")


def choose_model(desk: ChatContext, name: str) -> None:
    """Name the models, or go on with one."""
    from tripletick.session import model_list

    app, about = desk.app, desk.app.model_info
    if name:
        if desk.confined and name not in model_list.list_model_names(app.config, app.places.cache):
            raise UsageError(f"There is no model {name!r} in the list.", "", "To list the models: /model")
        desk.run_turn(app.use_model(name, model_list.find_host(app.config, name)))
        return
    # another one takes the place of the one at work
    held = model_list.model_file_size(about.where) if about and about.engine == "embedded" else 0
    look = builder.make_program_lookup(app.folder)
    try:
        lines = model_list.ModelListing(app.config, app.places, look, desk.screen.say, held).format_lines()
        desk.screen.say("\n".join(lines))
    except TripletickError as error:
        # what is at work may need no server
        desk.screen.say(str(error))
    desk.screen.say(f"Current model: {current_model_name(app)}. To switch: /model NAME")


def undo_turns(desk: ChatContext, count: str) -> None:
    desk.run_turn(desk.app.undo_turns(_parse_turn_count("undo", count), desk.ask_yes_no))


def redo_turns(desk: ChatContext, count: str) -> None:
    desk.run_turn(desk.app.redo_turns(_parse_turn_count("redo", count), desk.ask_yes_no))


def show_diff(desk: ChatContext, count: str) -> None:
    """Show what the last turns changed."""
    compared = desk.app.checkpoints.diff(_parse_turn_count("diff", count))
    desk.screen.diff((line.tone, line.text) for one in compared for line in one.lines)
    if not compared:
        desk.screen.say(UNCHANGED)


def commit_changes(desk: ChatContext, message: str) -> None:
    """Commit what the turns have changed, with this message, else with one of the model's."""
    desk.run_turn(desk.app.commit_changes(message))


def clear_conversation(desk: ChatContext, rest: str) -> None:
    desk.run_turn(desk.app.clear_conversation())
    desk.screen.say("Started a new conversation. Your files are unchanged.")


def compact_conversation(desk: ChatContext, rest: str) -> None:
    """Have the model sum up what is old."""
    if desk.app.loop is None:
        desk.screen.say(NO_MODEL)
    else:
        desk.run_turn(desk.app.loop.replies.compact_history())


def retry_request(desk: ChatContext, rest: str) -> None:
    desk.run_turn(desk.app.retry_request())


def leave_chat(desk: ChatContext, rest: str) -> None:
    desk.done = True


def write_agents_file(desk: ChatContext, rest: str) -> None:
    """Write AGENTS.md. Raises UsageError where there is one."""
    if desk.commands["init"]() == 0:
        desk.screen.say(FROM_NEXT)


def _parse_turn_count(name: str, count: str) -> int:
    turns = parse_number(count or "1")
    if not turns:
        raise UsageError(f"/{name} {count} is not understood.", "Expected a number of turns.", f"/{name} 2")
    return turns

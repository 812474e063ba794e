"""Slash commands on the work itself: who does it, with which model, and how its files go back."""

from __future__ import annotations

from tripletick import wiring
from tripletick.agents import AUTO
from tripletick.errors import TripletickError, UsageError
from tripletick.slash.desk import Desk
from tripletick.slash.telling import model_at_work

NO_MODEL = "There is no model to talk to yet, and nothing to compact."
EACH = "For each request the agent that it fits."
FROM_NEXT = "It counts from the next chat in this folder on."
UNCHANGED = "No turn changed anything here."


def agent(desk: Desk, name: str) -> None:
    """Name the agents, or choose one."""
    app = desk.app
    if name:
        app.use_agent(name.removeprefix("@"))
        return
    rows = [(one.name, one.when) for one in app.prompts.agents.values()]
    desk.table([(AUTO, EACH), *rows])
    desk.screen.say(f"At work: {app.config.agent.name}. Switch: /agent NAME")


def model(desk: Desk, name: str) -> None:
    """Name the models, or go on with one."""
    from tripletick import listing

    app, about = desk.app, desk.app.about
    if name:
        desk.play(app.use_model(name, listing.locate(app.config, name)))
        return
    # another one takes the place of the one at work
    held = listing.file_size(about.where) if about and about.engine == "embedded" else 0
    look = wiring.outside(app.folder)
    try:
        lines = listing.Listing(app.config, app.places, look, desk.screen.say, held).lines()
        desk.screen.say("\n".join(lines))
    except TripletickError as error:
        # what is at work may need no server
        desk.screen.say(str(error))
    desk.screen.say(f"At work: {model_at_work(app)}. Switch: /model NAME")


def undo(desk: Desk, count: str) -> None:
    desk.play(desk.app.undo(_turns("undo", count), desk.agrees))


def redo(desk: Desk, count: str) -> None:
    desk.play(desk.app.redo(_turns("redo", count), desk.agrees))


def diff(desk: Desk, count: str) -> None:
    """Show what the last turns changed."""
    compared = desk.app.checkpoints.diff(_turns("diff", count))
    desk.screen.diff((line.tone, line.text) for one in compared for line in one.lines)
    if not compared:
        desk.screen.say(UNCHANGED)


def commit(desk: Desk, message: str) -> None:
    """Commit what the turns have changed, with this message, else with one of the model's."""
    desk.play(desk.app.commit(message))


def clear(desk: Desk, rest: str) -> None:
    desk.play(desk.app.clear())
    desk.screen.say("A new conversation. The files stay as they are.")


def compact(desk: Desk, rest: str) -> None:
    """Have the model sum up what is old."""
    if desk.app.loop is None:
        desk.screen.say(NO_MODEL)
    else:
        desk.play(desk.app.loop.replies.compact())


def retry(desk: Desk, rest: str) -> None:
    desk.play(desk.app.retry())


def leave(desk: Desk, rest: str) -> None:
    desk.done = True


def init(desk: Desk, rest: str) -> None:
    """Write AGENTS.md. Raises UsageError where there is one."""
    if desk.commands["init"]() == 0:
        desk.screen.say(FROM_NEXT)


def _turns(name: str, count: str) -> int:
    if count and not (count.isdecimal() and int(count)):
        raise UsageError(f"/{name} {count} is not understood.", "It takes a number of turns.", f"/{name} 2")
    return int(count or 1)

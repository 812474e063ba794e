"""What users do themselves, and how the model learns of it: scripts, programs, undo, redo."""

from __future__ import annotations

from dataclasses import replace

from tripletick.agents.definitions import Agent
from tripletick.checkpoint import UndoResult
from tripletick.events import Interrupted, Notice
from tripletick.messages import Call
from tripletick.turn.loop import Loop, Turn

PERSON = Agent("person", "", "", ("bash",))
RAN = "The person ran this script, not you:\n{script}\n"
OUTSIDE = "The person ran a program in a terminal of their own, not you. {told} You have not seen its output."
UNDONE = "The person undid your work on {requests}.\n{files}"
REDONE = "The person took the undo of {requests} back: your work is there again.\n{files}"


def run_script(loop: Loop, script: str) -> Turn:
    """Run a script in the box and add what came of it to the conversation."""
    loop.context.ledger.begin_turn()
    loop.checkpoints.begin_turn(loop.context.session, script)
    try:
        results = yield from loop.run_blocks(PERSON, [Call("bash", script)], typed=True)
        told = loop.replies.dialect.build_feedback(results, ())
        loop.conversation.add_user_message(replace(told, text=RAN.format(script=script) + told.text))
    except KeyboardInterrupt:
        yield from loop.finish_stopped_block()
        yield Interrupted("")
    finally:
        loop.checkpoints.end_turn()


def report_program(loop: Loop, told: str) -> Turn:
    """Tell the user and the model how a program ended that had the user's own terminal."""
    yield Notice(told)
    loop.conversation.add_user_message(OUTSIDE.format(told=told))


def report_undo(loop: Loop | None, words: str, done: UndoResult) -> Turn:
    """Tell the user, and the model where there is a conversation already."""
    yield Notice(done.text)
    files = {*done.restored, *done.removed}
    if loop and files:
        loop.forget_files(files)
        requests = ", ".join(f"“{request}”" for request in done.requests)
        loop.conversation.add_user_message(
            words.format(requests=requests, files=done.text.partition("\n")[2])
        )

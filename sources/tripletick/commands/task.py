"""One task and the chat: the two ways to talk with the model."""

from __future__ import annotations

import argparse
import json
import sys

from tripletick.commands.opening import session
from tripletick.commands.piped import read_request
from tripletick.errors import UsageError


def task(options: argparse.Namespace) -> int:
    """Do one request, then end; gives the exit code."""
    from tripletick.ui.summary import Summary

    request, piped = read_request(options.words)
    with session(options) as (app, screen, why):
        if why:
            raise why
        summary = Summary(app.log.id)
        app.run(app.turn(request, piped=piped), [summary.show, screen.show], screen.ask)
    if options.output == "json":
        sys.stdout.write(json.dumps(summary.as_dict(), ensure_ascii=False) + "\n")
    return summary.exit


def chat(options: argparse.Namespace) -> int:
    """Talk until the person leaves; gives the exit code."""
    from tripletick.chat import Chat

    if options.timeout is not None:
        raise UsageError("--timeout is for one task.", "The chat has no end of its own.", "Leave it out.")
    with session(options) as (app, screen, why):
        if why:
            screen.say(str(why))
        return Chat(app, screen, None if options.no_save else app.places.typed, ready=why is None).run()

"""What each command does once its words are known: one task, the chat, undo, models, blocks."""

from __future__ import annotations

import argparse
import json
import os
import select
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tripletick import config, places
from tripletick.errors import TripletickError, UsageError
from tripletick.events import Ask
from tripletick.screens import Screen, open_screen

if TYPE_CHECKING:
    from tripletick.app import App
    from tripletick.firstrun import FirstRun

FLAGS = {
    "agent": "agent.name",
    "model": "model.name",
    "host": "model.host",
    "ctx": "model.context",
    "temperature": "model.temperature",
    "seed": "model.seed",
    "sandbox": "sandbox.mode",
    "max_attempts": "agent.max_attempts",
    "max_steps": "agent.max_steps",
}
"""Flags that set a value of config.ini."""
THINK = {True: "yes", False: "no"}
EVERY_TAG = "bash,python,c,go,java,javascript,read,write,edit,file_finder"
PIPE_PATIENCE = 2.0
"""Seconds after which a pipe that brings nothing is named: the shell of a script may have left it open."""


def task(options: argparse.Namespace) -> int:
    """Do one request, then end; gives the exit code."""
    from tripletick.ui.summary import Summary

    request, piped = read_request(options.words)
    with _session(options) as (app, screen, why):
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
    with _session(options) as (app, screen, why):
        if why:
            screen.say(str(why))
        return Chat(app, screen, None if options.no_save else app.places.typed, ready=why is None).run()


def models(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Fetch the small offline model."""
    from tripletick.firstrun import OFFLINE, FirstRun

    if list(words) != ["create", "offline"]:
        raise UsageError(
            f"models {' '.join(words)}".strip() + " is not understood.",
            "It can fetch the small offline model.",
            "tripletick models create offline",
        )
    found = places.find()
    settings = load_settings(options, found)
    screen = open_screen(options, settings)
    FirstRun(settings, found, options.directory, screen).fetch_offline()
    if not options.quiet:
        screen.say(f"Use it: tripletick -m {OFFLINE}")
    return 0


@contextmanager
def _session(options: argparse.Namespace) -> Iterator[tuple[App, Screen, TripletickError | None]]:
    """Open what works in a folder, and close it; the error tells why the person has no model, where so."""
    from tripletick.app import App
    from tripletick.firstrun import FirstRun
    from tripletick.session import Log

    found, why = places.find(), None
    settings = load_settings(options, found)
    folder = options.directory.expanduser().resolve()
    screen = open_screen(options, settings)
    try:
        if not options.quiet:
            settings, why = _prepared(FirstRun(settings, found, folder, screen))
        log = Log.open(found.sessions, workspace=folder, save=not options.no_save)
        app = App(settings, found, folder, log, "flag" if options.agent else "config", screen.person)
        try:
            yield app, screen, why
        finally:
            app.close()
    finally:
        screen.close()


def _prepared(first: FirstRun) -> tuple[config.Config, TripletickError | None]:
    try:
        return first.prepare(), None
    except TripletickError as error:
        return first.settings, error


def undo(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Put the files back as they were before the last turns."""
    from tripletick.checkpoint import Checkpoints

    if len(words) > 1 or not all(word.isdecimal() and int(word) for word in words):
        raise UsageError(
            f"undo {' '.join(words)} is not understood.", "It takes a number of turns.", "tripletick undo 2"
        )
    folder = options.directory.expanduser().resolve()
    screen = open_screen(options, load_settings(options, places.find()))
    checkpoints = Checkpoints(folder, places.find().state)
    done = checkpoints.undo(
        int(words[0]) if words else 1, ask=lambda line: screen.ask(Ask(line, "yn")).choice == "y"
    )
    screen.close()
    sys.stdout.write(done.text.rstrip("\n") + "\n")
    return 0


def blocks(words: Sequence[str]) -> int:
    """Show what the reader sees in an answer, or in records a line."""
    parser = argparse.ArgumentParser("tripletick blocks", allow_abbrev=False)
    parser.add_argument(
        "file", nargs="?", default="-", help="the answer, or with --jsonl the records; - is stdin"
    )
    parser.add_argument("--tags", default=EVERY_TAG, help="the tags that are calls (default: %(default)s)")
    parser.add_argument("--finish", choices=("stop", "length"), default="stop", help="how the answer ended")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="one object")
    shape.add_argument("--jsonl", action="store_true", help="a record a line in, a record a line out")
    options = parser.parse_args(words)
    if options.jsonl:
        for line in _records(options.file):
            sys.stdout.write(line + "\n")
        return 0
    record = {"answer": _text(options.file), "tags": options.tags.split(","), "finish_reason": options.finish}
    seen = _blocks_record(record)
    sys.stdout.write(json.dumps(seen, ensure_ascii=False) + "\n" if options.json else _worded(seen))
    return 0


def load_settings(options: argparse.Namespace, found: places.Places) -> config.Config:
    """Read the config with the flags over it."""
    flags = {key: getattr(options, name) for name, key in FLAGS.items() if getattr(options, name) is not None}
    if options.think is not None:
        flags["model.think"] = THINK[options.think]
    return config.load([found.shipped_config, found.user_config], os.environ, flags)


def read_request(words: Sequence[str]) -> tuple[str, str]:
    """Give the request and what came on standard input with it. UsageError where there is none."""
    if list(words) == ["-"]:
        request, piped = _standard_input().strip(), ""
    else:
        request, piped = " ".join(words).strip(), _standard_input() if _is_piped() else ""
    if not request:
        raise UsageError("There is no task.", "", 'tripletick "write hello.py and run it"')
    return request, piped


def _is_piped() -> bool:
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _standard_input() -> str:
    if _is_piped() and not select.select([sys.stdin], [], [], PIPE_PATIENCE)[0]:
        sys.stderr.write("Waiting for standard input, which is a pipe; </dev/null says that there is none.\n")
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _text(file: str) -> str:
    if file == "-":
        return _standard_input()
    try:
        return Path(file).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read.", error.strerror or str(error), "tripletick blocks FILE"
        ) from error


def _records(file: str) -> Iterator[str]:
    for number, line in enumerate(_text(file).split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            seen = _blocks_record(record)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"Line {number} of {file} is no record: {error}.", "", "id, answer, tags, finish_reason"
            ) from error
        yield json.dumps(seen, ensure_ascii=False)


def _blocks_record(record: dict[str, Any]) -> dict[str, Any]:
    from tripletick.dialects.fence.records import blocks_record

    return blocks_record(record)


def _worded(seen: dict[str, Any]) -> str:
    problems = " ".join(seen["problems"]) or "none"
    lines = [f"blocks: {len(seen['blocks'])}, problems: {problems}"]
    for block in seen["blocks"]:
        lines += [f"\nline {block['line']}: {block['tag']} {block['path'] or ''}".rstrip(), block["content"]]
    return "\n".join(lines) + "\n"

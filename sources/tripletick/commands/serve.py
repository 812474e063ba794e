"""Serve local models and agents over HTTP: OpenAI's API, and a page for the browser."""

from __future__ import annotations

import argparse
import socket
from collections.abc import Sequence
from pathlib import Path

from tripletick.commands.acp import CommandSessions
from tripletick.commands.flags import FlagParser, shared_flags
from tripletick.errors import UsageError
from tripletick.paths import resolve_folder
from tripletick.serve import PACKAGES
from tripletick.system import dirs, optional_deps
from tripletick.system.dirs import abbreviate_home
from tripletick.system.job import COMMAND
from tripletick.system.redaction import KNOWN
from tripletick.ui.sanitize import print_notice

PORT = 8425
"""The keys that spell TICK."""
TASKS = 2
"""Tasks of agents at a time, where `--parallel` does not say."""
MOST = 64
NO_TLS = (
    "Warning: other machines can connect, and nothing is encrypted: anyone on the network can read the token "
    "and with it run commands in the allowed folders. Use --tls-cert and --tls-key."
)
PAGE, API = "Page: {url}/", "API:  {url}/v1"
NEW = "Token (shown only now; kept in {path}):\n{token}"
KEPT = "Token: in {path}"
NO_FOLDERS = "Without --allow DIR only plain models are served, no agents."


def run_serve(_: argparse.Namespace, words: Sequence[str]) -> int:
    """Serve until Ctrl+C. Raises UsageError."""
    own = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add = own.add_argument
    add(
        "--allow",
        metavar="DIR",
        action="append",
        default=[],
        help="folder in which agents may work, with its subfolders; repeatable",
    )
    add(
        "--listen",
        metavar="ADDRESS",
        default="127.0.0.1",
        help="address to listen on; default: 127.0.0.1",
    )
    add("--port", metavar="N", type=_parse_port, default=PORT, help=f"port to listen on; default: {PORT}")
    add("--tls-cert", metavar="FILE", type=Path, help="certificate for HTTPS, in PEM")
    add("--tls-key", metavar="FILE", type=Path, help="private key of the certificate")
    add(
        "--parallel",
        metavar="N",
        type=_parse_count,
        help="replies, and tasks of agents, at a time; others wait their turn",
    )
    parser = FlagParser(
        "tripletick serve",
        description=f"{__doc__} All other flags apply to each session and task.",
        parents=[own, shared_flags()],
        allow_abbrev=False,
    )
    options = parser.parse_args(words)
    mine, flags = own.parse_known_args(words)
    allowed = [_resolve_folder(name) for name in mine.allow]
    if not all(map(optional_deps.present, ("acp", "starlette", "uvicorn"))):
        what = "tripletick serve needs packages that are not installed."
        why = "They are optional dependencies."
        raise UsageError(what, why, f"Install them: {optional_deps.ask_for(PACKAGES)}")
    return _serve(options, flags, allowed)


def _serve(options: argparse.Namespace, flags: Sequence[str], allowed: Sequence[Path]) -> int:
    from tripletick.serve.agent_tasks import AgentTasks, find_allowed
    from tripletick.serve.app import ServedApp
    from tripletick.serve.browser import PageConnections
    from tripletick.serve.completions import Completions
    from tripletick.serve.engines import Engines
    from tripletick.serve.guard import RequestGuard
    from tripletick.serve.http_server import ListenAddress, run_server
    from tripletick.serve.tokens import load_token
    from tripletick.session import builder

    address = ListenAddress(options.listen, options.port, options.tls_cert, options.tls_key)
    places = dirs.find_dirs()
    sessions = CommandSessions(places)
    # no questions about models: the page has a list of them
    options.quiet, options.given, options.placed = True, False, True
    options.directory = options.directory or Path()
    config = sessions.load_settings(options)
    token = load_token(places.serve_token)
    with address.open_socket() as listener:
        port = listener.getsockname()[1]
        cookie = f"tripletick-{port}"
        agents = list(builder.load_prompts(config, places).agents)
        tasks = AgentTasks(
            (*COMMAND, *flags), allowed, agents, places, options.parallel or TASKS, not options.no_save
        )
        app = ServedApp(
            token,
            cookie,
            tuple(allowed),
            Completions(Engines(config, places.cache, options.parallel or 0, print_notice), tasks),
            PageConnections(options, sessions, lambda folder: find_allowed(str(folder), allowed) is not None),
        )
        names = {"localhost", socket.gethostname().lower(), options.listen.lower()}
        where = abbreviate_home(token.path)
        lines = [
            *([] if address.is_loopback or address.cert else [NO_TLS]),
            *([] if allowed else [NO_FOLDERS]),
            *(line.format(url=address.format_url(port)) for line in (PAGE, API)),
            NEW.format(path=where, token=token.text) if token.is_new else KEPT.format(path=where),
        ]
        for line in lines:
            print_notice(line)
        # from here on it is shown nowhere, whatever a block prints
        KNOWN.learn_keys([token.text])
        run_server(RequestGuard(app.build(), token, names, cookie), address, listener)
    return 0


def _resolve_folder(name: str) -> Path:
    folder = resolve_folder(str(dirs.expand_user(name).absolute()))
    if folder is None:
        what, why = f"{name} is not a folder.", "Agents only work in the folders given with --allow."
        raise UsageError(what, why, "tripletick serve --allow DIR")
    return folder


def _parse_port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port")
    return int(text)


def _parse_count(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST}")
    return int(text)

"""One agent on one task: laid out in a cage, asked once, looked at afterwards, its cost told by the proxy.

The checks are those of `tripletick bench`: they look at files and at the answer, for which all that an agent
writes to its standard output counts, in favour of those that write more.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.peers.cage import URL, Cage, prepare_home
from bench.peers.engine import Engine
from bench.peers.proxy import Exchange, count_reusable, record_exchanges
from bench.peers.roster import Peer, find_interpreters

from tripletick.bench.folders import copy_start_files
from tripletick.bench.grader import grade_task
from tripletick.bench.suites import Trial
from tripletick.config.config import Config
from tripletick.sandbox.user import remove

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
OUTPUT_LIMIT = 2000
"""Characters of either output that are kept with the figures, those of its end."""
ERROR_STATUS = 400
"""The least status of a request that the server refused; 0: hung up on before it answered."""
BINARIES = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class Cost:
    """What the model did for it, tokens as the server counted them.

    `kept` of `sent` characters of the requests after the first began as an earlier request did. `refused`
    requests got an error.
    """

    requests: int
    first: int
    read: int
    written: int
    kept: int
    sent: int
    refused: int


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What came of one agent on one task; without `why` it was solved."""

    peer: str
    version: str
    task: str
    ctx: int
    why: str
    late: bool
    status: int
    seconds: float
    cost: Cost
    said: str
    beside: str


def attempt_task(peer: Peer, version: str, trial: Trial, engine: Engine, seconds: float) -> TrialResult:
    """Have an agent do a task, in a home and a folder that go afterwards."""
    asked = {"request": trial.request, "model": engine.name, "context": str(engine.context), "url": URL}
    room = Path(tempfile.mkdtemp(prefix="peer-"))
    try:
        home, socket, checked = room / "home", room / "model", room / "checked"
        work = prepare_home(home, {path: fill_placeholders(text, asked) for path, text in peer.files.items()})
        copy_start_files(work, trial.task.start)
        command = [*fill_command(peer.command, asked, work)]
        environment = {name: fill_placeholders(text, asked) for name, text in peer.environment.items()}
        environment["PATH"] = f"{peer.folder}/bin:{BINARIES}"
        engine.clear_cache()
        with record_exchanges(engine.host, socket) as record:
            ran = Cage(home, [peer.folder, *find_interpreters()], socket).run(command, environment, seconds)
        checked.mkdir()
        why = grade_task(trial.task, work, ESCAPES.sub("", ran.said), Config(), checked)
    finally:
        remove(room)
    cost = compute_cost([add_token_counts(each, engine) for each in record.exchanges])
    kept = [ESCAPES.sub("", text)[-OUTPUT_LIMIT:] for text in (ran.said, ran.beside)]
    about = (peer.name, version, trial.task.id, engine.context)
    return TrialResult(*about, why, ran.late, ran.status, round(ran.seconds, 2), cost, *kept)


def compute_cost(exchanges: Sequence[Exchange]) -> Cost:
    """Sum up what a session's requests cost."""
    answered = [each for each in exchanges if each.status < ERROR_STATUS]
    return Cost(
        len(answered),
        next((each.read for each in answered if each.read), 0),
        sum(each.read or 0 for each in answered),
        sum(each.written for each in answered),
        *count_reusable([each.prompt_text for each in answered]),
        len(exchanges) - len(answered),
    )


def add_token_counts(exchange: Exchange, engine: Engine) -> Exchange:
    """Give an exchange with its tokens, asked for afterwards where its own answer told none."""
    if exchange.read is not None or exchange.status >= ERROR_STATUS:
        return exchange
    return replace(exchange, read=engine.count_tokens(exchange.path, exchange.body))


def fill_command(command: Sequence[str], asked: Mapping[str, str], work: Path) -> Iterator[str]:
    """Fill in a command's words."""
    for word in command:
        if word == "{files}":
            yield from sorted(str(path.relative_to(work)) for path in work.rglob("*") if path.is_file())
        else:
            yield fill_placeholders(word, asked)


def fill_placeholders(text: str, asked: Mapping[str, str]) -> str:
    """Put each value where its name stands in braces; other braces are left, as JSON has them."""
    return re.sub(r"\{([a-z]+)\}", lambda found: asked.get(found[1], found[0]), text)

"""tripletick beside other agents: the same tasks, model, context and server, and what each of them costs.

Run: python -m bench.peers.run [--model NAME --host URL] [--peers …] [--suite NAME] [--tasks …]. It goes on
where it was stopped. Without a server named it is the small model of the tests, which tells more of cost than
of success.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from bench.peers.engine import SMALL, Engine, open_engine
from bench.peers.roster import CACHE, CannotInstall, Peer, install_peer, load_peers
from bench.peers.table import Record, format_table
from bench.peers.trial import attempt_task

from tripletick.bench.suites import Trial, make_trials

SHOWN_OPTIONS = ("model", "suite", "ctx", "threads", "seconds")
"""Options that stand under the table."""


def main(argv: Sequence[str]) -> int:
    options = parse_options(argv)
    chosen = [
        each for each in make_trials(options.suite) if not options.tasks or each.task.id in options.tasks
    ]
    if long := next((each.task.id for each in chosen if each.task.further), ""):
        sys.exit(f"{long} has several turns, and each agent here is asked once.")
    out = options.out or CACHE / "runs" / f"{Path(options.model).name.replace(':', '-')}.jsonl"
    out.parent.mkdir(parents=True, exist_ok=True)
    with open_engine(options.host, options.model, options.ctx, options.threads) as model:
        about = {name: vars(options)[name] for name in SHOWN_OPTIONS}
        check_run_settings(out, {**about, "ollama": model.version, "cores": os.cpu_count()})
        for peer in (load_peers()[name] for name in options.peers or load_peers()):
            run_peer(peer, chosen, model, out, options.seconds)
    text = format_table(read_records(out))
    out.with_suffix(".md").write_text(text, "utf-8")
    print(text)
    return 0


def parse_options(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.peers.run", description="tripletick beside other agents")
    parser.add_argument("--model", default=SMALL, help="a model of the server at --host, else the small one")
    parser.add_argument("--host", default="", help="an Ollama server; without it one of our own is started")
    parser.add_argument("--ctx", type=int, default=8192, help="tokens of context, the same for all")
    parser.add_argument("--threads", type=int, help="of the server: 1 where others use the machine too")
    parser.add_argument("--peers", nargs="+", choices=list(load_peers()), help="these alone")
    parser.add_argument("--suite", default="core", help="a suite of `tripletick bench`")
    parser.add_argument("--tasks", nargs="+", default=[], help="these of its tasks alone")
    parser.add_argument("--seconds", type=float, default=120, help="the limit of a task")
    parser.add_argument("--out", type=Path, help="a file of JSON lines; the table is written beside it")
    options = parser.parse_args(argv)
    if options.model != SMALL and not options.host:
        parser.error(f"--host URL: on which server is {options.model}?")
    return options


def check_run_settings(out: Path, about: Record) -> None:
    """Record how a run is made; one file holds no two that cannot be compared."""
    before = next((record["about"] for record in read_records(out) if "about" in record), about)
    if before != about:
        sys.exit(f"{out} was made with {before}, and this is {about}.\nChoose another file: --out FILE")
    append_record(out, {"about": about})


def run_peer(peer: Peer, chosen: Sequence[Trial], model: Engine, out: Path, seconds: float) -> None:
    """Have one agent do what it has not done yet, in a context of its own where its row gives one."""
    context = max(peer.ctx, model.context)
    head = measure_install(peer) | {"ctx": context}
    append_record(out, head)
    known = set(list_finished(out))
    todo = [one for one in chosen if (peer.name, head["version"], one.task.id, context) not in known]
    if not todo or not head["installed"]:
        return
    with model.resize_context(context) as own:
        for trial in todo:
            tried = attempt_task(peer, head["version"], trial, own, seconds)
            append_record(out, asdict(tried))
            print(f"{peer.name:16}{tried.task:28}{tried.seconds:6.1f} s  {tried.why or 'solved'}", flush=True)


def measure_install(peer: Peer) -> Record:
    """Install an agent and tell what it is; of one that cannot be had here, that."""
    try:
        installed = install_peer(peer)
    except CannotInstall as error:
        print(error, file=sys.stderr)
        return {"peer": peer.name, "version": "", "installed": None, "alone": "cannot be installed here"}
    return {
        "peer": peer.name,
        "version": installed.version,
        "installed": asdict(installed),
        "alone": peer.alone,
    }


def read_records(out: Path) -> Iterator[Record]:
    """Give what stands in a file; a line that was cut is none."""
    for line in out.read_text("utf-8").splitlines() if out.exists() else ():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def list_finished(out: Path) -> Iterator[tuple[str, str, str, int]]:
    for record in read_records(out):
        if "task" in record:
            yield record["peer"], record["version"], record["task"], record.get("ctx", 0)


def append_record(out: Path, record: Record) -> None:
    """Add a line, unless it stands there already."""
    if record not in read_records(out):
        with out.open("a", encoding="utf-8") as file:
            # in front, so that a line that was cut ends here
            file.write("\n" + json.dumps(record, ensure_ascii=False))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What the model's help is worth: who gets the requests that the router is unsure of, without and with it.

Run: python bench/router_asked.py MODEL [FILE.jsonl], a model such as ollama:NAME or embedded:FILE.gguf. Each
request is the first of its conversation; those with a history are left out. Not a test.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from tripletick import router
from tripletick.agents import definitions
from tripletick.config.config import load_config
from tripletick.event_log.session_log import SessionLog
from tripletick.session import routing
from tripletick.session.session import NOBODY, App
from tripletick.system import dirs

UNSEEN = Path(__file__).with_name("router_unseen.jsonl")


def run_generator(running: Any) -> Any:
    while True:
        try:
            next(running)
        except StopIteration as end:
            return end.value


def open_app(model: str, folder: Path) -> App:
    base = load_config([dirs.find_dirs().shipped_config], {}, {"model.name": model, "model.context": "4096"})
    (folder / "work").mkdir()
    found = dirs.find_dirs()._replace(state=folder / "state")
    return App(base, found, folder / "work", SessionLog.open(found.sessions, workspace=folder, save=False))


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("Say which model: python bench/router_asked.py embedded:offline")
    file = Path(sys.argv[2]) if sys.argv[2:] else UNSEEN
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    first = [record for record in records if not record.get("history")]
    unsure = [record for record in first if not router.guess_agent(record["request"]).sure]
    with tempfile.TemporaryDirectory() as folder, closing(open_app(sys.argv[1], Path(folder))) as app:
        replies = run_generator(app._ensure_loop(NOBODY)).replies
        prompts = definitions.load_prompts(dirs.find_dirs().prompts)
        # a class without an agent may be named all the same, as it will be once it is installed
        missing = {name: prompts.agents["casual"] for name in router.AGENTS if name not in prompts.agents}
        whens = {"web": "Fresh or online facts, web pages."}
        more = {name: replace(agent, name=name, when=whens[name]) for name, agent in missing.items()}
        prompts = replace(prompts, agents={**prompts.agents, **more})
        alone, asked, seconds = [], [], []
        for record in unsure:
            begun = time.monotonic()
            named = run_generator(routing.ask_model(replies, record["request"], prompts))
            seconds.append(time.monotonic() - begun)
            guessed = router.guess_agent(record["request"]).agent
            alone.append(guessed == record["agent"])
            asked.append((named or guessed) == record["agent"])
    sure = len(first) - len(unsure)
    print(f"{sys.argv[1]}: {len(unsure)} of {len(first)} unsure ({sure} sure)")
    print(f"right without the model {statistics.mean(alone):.1%}, with it {statistics.mean(asked):.1%}")
    print(f"a question takes {statistics.median(seconds):.2f} s (median)")


if __name__ == "__main__":
    main()

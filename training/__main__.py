"""The whole of it, as `make offline-model seed=1 minutes=100` runs it: generate, train, export, evaluate.

What is there already is gone on with: conversations, the checkpoint, the measurements. Another seed or
folder begins anew. Training runs in a Python of its own, which has torch and not tripletick.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from training.generate import generate
from tripletick.config.config import load_config
from tripletick.models import catalog
from tripletick.session import prompt_fingerprint
from tripletick.system import dirs

ROOT = Path(__file__).parents[1]
MALLOC = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "20000000000",
    "MALLOC_TOP_PAD_": "500000000",
}
"""On the cores a fifth of the time goes into giving memory back and fetching it again without these."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="training", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--minutes", type=float, default=100.0, help="of training; the rest takes about 40 more"
    )
    parser.add_argument("--count", type=int, default=6000, help="conversations")
    parser.add_argument("--out", type=Path, default=dirs.find_dirs().cache / "training")
    parser.add_argument("--python", type=Path, default=ROOT / ".venv-training" / "bin" / "python")
    parser.add_argument(
        "--fresh", action="store_true", help="begin with no adapter, not with the one that ships"
    )
    parser.add_argument("--suite", default="", help="of the last measurement; usually training/held")
    asked, more = parser.parse_known_args()
    folder = asked.out / str(asked.seed)
    folder.mkdir(parents=True, exist_ok=True)
    base = catalog.model_path(catalog.get_entry(catalog.OFFLINE), dirs.find_dirs().cache)
    talks, state, adapter = folder / "talks.jsonl", folder / "state.pt", folder / "adapter.gguf"
    generate(talks, asked.seed, asked.count, os.cpu_count() or 1)
    begin = [] if asked.fresh else ["--from", str(catalog.ADAPTER)]
    time = ["--minutes", str(asked.minutes), "--seed", str(asked.seed)]
    _apart(asked.python, "training.train", base, state, talks, *begin, *time, *more)
    found = dirs.find_dirs()
    hashed = prompt_fingerprint.hash_current_prompts(load_config([found.shipped_config], {}, {}), found)
    _apart(asked.python, "training.export", state, adapter, "--wording", hashed)
    suite = ["--suite", asked.suite] if asked.suite else []
    measured = ["-m", "training.evaluate", adapter, "--base", base, "--out", folder / "runs", *suite]
    subprocess.run(list(map(str, [sys.executable, *measured])), cwd=ROOT, check=True)
    sys.stdout.write(f"{adapter}: to ship it, put it at {catalog.ADAPTER}\n")


def _apart(python: Path, module: str, *words: object) -> None:
    command = [str(python), "-m", module, *map(str, words)]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, **MALLOC})


if __name__ == "__main__":
    main()

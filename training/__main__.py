"""The whole of it, as `make offline-model base=0.5b minutes=100` runs it.

The base tries requests, families are played, an adapter is trained, exported and measured.
What is there already is gone on with: conversations, the checkpoint, the measurements. Another seed or
folder begins anew. Training runs in a Python of its own, which has torch and not tripletick.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from training.bases import BASES
from training.generate import generate
from training.wording import hash_wording
from tripletick.system import dirs

ROOT = Path(__file__).parents[1]
OLDEST = "135m"
MALLOC = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "20000000000",
    "MALLOC_TOP_PAD_": "500000000",
}
"""On the cores a fifth of the time goes into giving memory back and fetching it again without these."""


def main() -> None:
    asked, more = _parse_arguments()
    base, seed = BASES[asked.base], str(asked.seed)
    folder = asked.out / seed if asked.base == OLDEST else asked.out / asked.base / seed
    folder.mkdir(parents=True, exist_ok=True)
    _run_module("tripletick.cli", "-q", "models", "create", base.name)
    talks, state, adapter = folder / "talks.jsonl", folder / "state.pt", folder / "adapter.gguf"
    learnt = [talks]
    if base.samples and asked.sampling:
        learnt.insert(0, folder / "sampled.jsonl")
        alone = ["--model", f"embedded:{base.path}", "--workers", "1"]
        served = ["--host", asked.host, "--workers", asked.slots] if asked.host else alone
        _run_module("training.sample", learnt[0], *served, "--minutes", asked.sampling, "--seed", seed)
    generate(talks, asked.seed, asked.count, os.cpu_count() or 1, base.model)
    begin = ["--from", base.adapter] if base.adapter and not asked.fresh else []
    time = ["--minutes", asked.minutes, "--seed", seed]
    _run_torch_module(
        asked.python, "training.train", base.path, state, *learnt, *begin, *time, *base.options, *more
    )
    _run_torch_module(asked.python, "training.export", state, adapter, "--wording", hash_wording(base.model))
    suite = ["--suite", asked.suite] if asked.suite else []
    _run_module("training.evaluate", adapter, "--base", asked.base, "--out", folder / "runs", *suite)
    sys.stdout.write(f"{adapter}\n")


def _parse_arguments() -> tuple[argparse.Namespace, list[str]]:
    """Read the command line; what it has besides is for training.train."""
    parser = argparse.ArgumentParser(prog="training", description=__doc__)
    parser.add_argument("--base", choices=BASES, default=OLDEST)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--minutes", type=float, default=100.0, help="of training; the rest takes about 40 more"
    )
    parser.add_argument(
        "--sampling", type=float, default=60.0, help="minutes in which the base tries requests"
    )
    parser.add_argument("--host", default="", help="of a server that has the base; else it is loaded here")
    parser.add_argument("--slots", type=int, default=4, help="of that server")
    parser.add_argument("--count", type=int, default=6000, help="conversations")
    parser.add_argument("--out", type=Path, default=dirs.find_dirs().cache / "training")
    parser.add_argument("--python", type=Path, default=ROOT / ".venv-training" / "bin" / "python")
    parser.add_argument(
        "--fresh", action="store_true", help="begin with no adapter, not with the one that ships"
    )
    parser.add_argument("--suite", default="", help="of the last measurement; usually training/held")
    return parser.parse_known_args()


def _run_module(module: str, *words: object) -> None:
    subprocess.run([sys.executable, "-m", module, *map(str, words)], cwd=ROOT, check=True)


def _run_torch_module(python: Path, module: str, *words: object) -> None:
    command = [str(python), "-m", module, *map(str, words)]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, **MALLOC})


if __name__ == "__main__":
    main()

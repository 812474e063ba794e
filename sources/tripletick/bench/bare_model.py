"""A task without an agent: the model is asked once, and the code of its reply is saved as the task's file.

No system prompt, no tools, no second try: what the model does by itself, to be compared with what it does as
an agent. The sampling is that of an agent's replies, and so are the checks.
"""

from __future__ import annotations

import re
import textwrap
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Timer

from tripletick.bench.task import BarePrompt
from tripletick.config.config import Config
from tripletick.errors import TripletickError
from tripletick.messages import Chunk, Message
from tripletick.models import open_model
from tripletick.models.model import Model
from tripletick.sandbox.box import ignore_notice
from tripletick.session import agent_models, model_limits, model_selection
from tripletick.system import dirs
from tripletick.system.cancellation import Cancelled, CancelToken
from tripletick.system.job import TIME, JobOutcome
from tripletick.system.lazy_regex import lazy_regex

BLOCK = lazy_regex(
    r"^[ \t]*(?P<fence>`{3,})[ \t]*(?P<tag>[\w+.-]*)[^\n]*\n(?P<code>.*?)(?:^[ \t]*(?P=fence)|\Z)",
    re.M | re.S,
)
PYTHON = frozenset({"python", "py", "python3", ""})
"""Tags of the block that is taken; one without a tag is as good."""
LATE = "The task reached its time limit."


def ask_model(bare: BarePrompt, config: Config, seconds: float, folder: Path) -> JobOutcome:
    """Ask once and save the code of the reply; what an engine raises is told in the outcome."""
    outcome, begun, halt = JobOutcome(steps=1, agent="none"), time.monotonic(), CancelToken()
    watch = Timer(seconds, halt.cancel)
    watch.start()
    try:
        with closing(_open_model(config, halt)) as model:
            _read_reply(model, bare.request, config, outcome)
        (folder / bare.path).write_text(extract_code(outcome.answer), "utf-8", "replace")
        outcome.ended = True
    except Cancelled:
        outcome.exit, outcome.error = TIME, LATE
    except TripletickError as error:
        outcome.exit, outcome.error, outcome.code = error.exit, str(error), error.code
    finally:
        watch.cancel()
    outcome.seconds = time.monotonic() - begun
    return outcome


def extract_code(reply: str) -> str:
    """Give the code of a reply: its first Python block, also one that never closes, else all of it."""
    blocks = (block["code"] for block in BLOCK.finditer(reply) if block["tag"].lower() in PYTHON)
    return textwrap.dedent(next(blocks, reply))


def _open_model(config: Config, halt: CancelToken) -> Model:
    return open_model(
        model_selection.resolve_model_name(config),
        replace(model_selection.make_engine_settings(config, ignore_notice), halt=halt),
    )


def _read_reply(model: Model, request: str, config: Config, outcome: JobOutcome) -> None:
    about = model.get_info()
    model.set_context(model_selection.choose_context(config, about))
    output = model_limits.choose_max_output(config, about, dirs.find_dirs().shipped_config)
    sampling = replace(agent_models.make_sampling(config), output=output)
    with closing(model.stream([Message("user", request)], sampling)) as stream:
        for chunk in stream:
            outcome.answer += chunk.text
            _count_chunk(chunk, outcome)


def _count_chunk(chunk: Chunk, outcome: JobOutcome) -> None:
    if counts := chunk.counts:
        outcome.prompt, outcome.output, outcome.cached = counts.prompt, counts.output, counts.cached
        outcome.waited = counts.load_seconds + counts.prompt_seconds
        outcome.wrote = counts.output_seconds

"""The message that carries results back to the model, and a call written as a fence.

The form is PROMPTS.md's, section 3; verdicts and outputs come from the tools, sentences from problems.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tripletick.dialects.fence.hallucinations import disarm_turn_tokens
from tripletick.messages import OUTSIDE, Call, Problem, Result
from tripletick.system.lazy_regex import lazy_regex

MOST_PROBLEMS = 3
NO_OUTPUT = "(no output)"
_TICKS = lazy_regex(r"`{3,}")


def wrap_in_fence(text: str, info: str) -> str:
    """Put a text into a fence that is longer than any in it; `info` stands behind the opening one."""
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=2))
    return f"{fence}{info}\n{text}\n{fence}"


def format_results(
    results: Sequence[tuple[Call, Result]],
    problems: Sequence[Problem],
    *,
    hint: str = "",
    example: Call | None = None,
) -> str:
    """Word results in the order of the blocks, then at most three problems, an example and one hint."""
    parts = [format_result(number, *pair) for number, pair in enumerate(results, 1)]
    shown = format_call(example) if example else None
    return "\n".join((*parts, *format_remarks(problems, hint=hint, example=shown)))


def format_remarks(
    problems: Sequence[Problem], *, hint: str = "", example: str | None = None
) -> Iterator[str]:
    """Word what is told beside the results; `example` is a call as it is written."""
    yield from [one.text for one in problems if one.text][:MOST_PROBLEMS]
    if example is not None:
        yield f"~~~example\n{example}\n~~~"
    if hint:
        yield f"Hint: {hint}"


def format_result(number: int, call: Call, result: Result) -> str:
    """Word one result: what happened, and the output in a fence that is longer than any in it."""
    return "\n".join(_format_result_lines(number, call, result))


def _format_result_lines(number: int, call: Call, result: Result) -> Iterator[str]:
    yield f"[result {number}: {call.tool} {disarm_turn_tokens(' '.join(result.verdict.split()))}]"
    text = result.text.removesuffix("\n")
    if text.strip():
        strange = OUTSIDE in result.flags
        yield wrap_in_fence(disarm_turn_tokens(text), OUTSIDE) if strange else wrap_in_fence(text, "output")
    elif result.exit is not None:
        yield NO_OUTPUT


def format_call(call: Call) -> str:
    """Write a call as the reader reads it: a path with blanks in quotes, a fence longer than any inside."""
    path = f":{_quote_path(call.path)}" if call.path else ""
    return wrap_in_fence(call.body, " ".join([call.tool + path, *call.args]))


def _quote_path(path: str) -> str:
    return f'"{path}"' if re.search(r"\s", path) else path

"""The message that carries results back to the model, and a call written as a fence.

The form is PROMPTS.md's, section 3; verdicts and outputs come from the tools, sentences from problems.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tripletick.messages import Call, Problem, Result

MOST_PROBLEMS = 3
NO_OUTPUT = "(no output)"
_TICKS = re.compile(r"`{3,}")


def fence_for(text: str) -> str:
    """Give a run of backticks that is longer than any in the text, three at least."""
    return "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=2))


def word_results(
    results: Sequence[tuple[Call, Result]],
    problems: Sequence[Problem],
    *,
    hint: str = "",
    example: Call | None = None,
) -> str:
    """Word results in the order of the blocks, then at most three problems, an example and one hint."""
    parts = [line for number, pair in enumerate(results, 1) for line in _result(number, *pair)]
    parts += [one.text for one in problems if one.text][:MOST_PROBLEMS]
    if example is not None:
        parts.append(f"~~~example\n{write_call(example)}\n~~~")
    if hint:
        parts.append(f"Hint: {hint}")
    return "\n".join(parts)


def _result(number: int, call: Call, result: Result) -> Iterator[str]:
    yield f"[result {number}: {call.tool} {result.verdict}]"
    text = result.text.removesuffix("\n")
    if text.strip():
        fence = fence_for(text)
        yield f"{fence}output\n{text}\n{fence}"
    elif result.exit is not None:
        yield NO_OUTPUT


def write_call(call: Call) -> str:
    """Write a call as the reader reads it: a path with blanks in quotes, a fence longer than any inside."""
    path = f":{_quoted(call.path)}" if call.path else ""
    info = " ".join([call.tool + path, *call.args])
    fence = fence_for(call.body)
    return f"{fence}{info}\n{call.body}\n{fence}"


def _quoted(path: str) -> str:
    return f'"{path}"' if re.search(r"\s", path) else path

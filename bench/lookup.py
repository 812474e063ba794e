"""What prompt lookup is worth: the seconds of writing with and without it, as a ratio, on one engine.

Run: python -m bench.lookup FILE.gguf [ROUNDS]. A repair copies most of a file that it was shown, a list
copies nothing. Both are written at temperature 0, with and without by turns; the words are the same but where
two tokens are equally likely, which the size of a batch decides.
"""

from __future__ import annotations

import statistics
import sys
from contextlib import closing
from typing import Any

from tripletick.messages import Counts
from tripletick.models.completion_chunks import parse_chunk, parse_counts, parse_objects
from tripletick.models.llamacpp import LlamaEngine, LoadPlan

PROGRAM = """import csv

def read_orders(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))

def total(orders):
    result = 0
    for order in orders:
        result = float(order["price"]) * int(order["count"])
    return result

if __name__ == "__main__":
    orders = read_orders("orders.csv")
    print(f"{len(orders)} orders, {total(orders):.2f} euros")
"""
PROMPTS = {
    "repair": f"orders.py:\n```python\n{PROGRAM}```\n\nThe total is that of the last order alone. "
    "Write the whole corrected program in a python block.",
    "list": "Name twelve countries, each with its capital, its continent and its currency.",
}
TOKENS = 250


def time_reply(engine: LlamaEngine, words: str) -> tuple[float, str]:
    """Give the seconds a token takes to write, and the reply."""
    messages = [{"role": "user", "content": words}]
    request: dict[str, Any] = {"messages": messages, "temperature": 0, "max_tokens": TOKENS}
    text, counts = "", Counts()
    for piece in engine.stream_reply({**request, "timings_per_token": True}):
        for fields in parse_objects(piece):
            counts = parse_counts(fields) or counts
            chunk = parse_chunk(fields)
            text += chunk.text if chunk else ""
    return counts.output_seconds / counts.output, text


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("Say which model: python -m bench.lookup FILE.gguf")
    rounds = int(sys.argv[2]) if sys.argv[2:] else 3
    plan = LoadPlan(sys.argv[1], (), 2048)
    without = LoadPlan(sys.argv[1], (), 2048, lookup=())
    with closing(LlamaEngine(plan)) as guessing, closing(LlamaEngine(without)) as plain:
        for name, words in PROMPTS.items():
            pairs = [(time_reply(guessing, words), time_reply(plain, words)) for _ in range(rounds)]
            ratio = statistics.median(fast[0] / slow[0] for fast, slow in pairs)
            same = sum(fast[1] == slow[1] for fast, slow in pairs)
            print(f"{name}: {ratio:.2f} x the seconds a token, the same words in {same} of {rounds}")


if __name__ == "__main__":
    main()

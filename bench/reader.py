"""How fast the reader reads: MB/s, and the time at twice the length against that at once, at most 3.

Run: python -m bench.reader [KILOBYTES]. A reply is fed in pieces of 4096 characters, as a socket gives what
has come, and in tokens of 16; `feeding` is the part of the latter that goes into showing what came, the rest
reads the whole once it has ended. The bounds are those of pieces, on the machine of
bench/pace.py. Not a test: a busy machine makes no build red.
"""

from __future__ import annotations

import sys
from functools import partial

from bench.pace import measure_normalized

from tripletick.dialects.fence import FenceDialect, FenceReader
from tripletick.messages import Chunk

TAGS = ("bash", "python", "read", "write", "edit", "markdown")
TOKEN, PIECE = 16, 4096
LINEAR, SPEED, TOKENS = 3.0, 1.0, 0.5
"""At most so much longer for twice the length; at least so many MB/s in pieces, in tokens."""
LINES = 60_000
"""Enough for a reply that is nothing but short fence lines: each of them is a block to judge, 4 to 9
characters long, and so many a second."""

PARTS = {
    "prose": "Some words about `code` and <b>tags</b>, as an answer has them.\n",
    "blocks": "Then:\n\n```bash\necho {n} it\\'s\n```\n\n",
    "heredocs": "```bash\ncat > a.md <<'EOF'\n```text\n{n}\n```\nEOF\n```\n\n",
    "documents": "```markdown:a{n}.md\n# Title\n\n```bash\nmake\n```\n\nEnd.\n```\n\nNext.\n\n",
    "bare fences": "```\n",
    "untagged, tagged": "```\n```text\n",
    "unknown openers": "```foo{n}\n~~~~bar\n",
    "thoughts": "<think>a </think> b\n",
    "closing tags": "words</think>\n",
    "outputs in a heredoc": "Output: {n}\n",
    "quotes": "```bash\necho 'a {n}\n```\n",
    "turn tokens": "a `<|im_end|>` b\n",
    "one line": "word <| ` ``` ",
    "backticks": "`",
    "markers": "- > ",
}
PREFIXES = {"outputs in a heredoc": "```bash\ncat <<'EOF'\n"}


def build_reply(name: str, size: int) -> str:
    """Give a reply of about `size` characters."""
    part = PARTS[name]
    count = size // len(part)
    body = "".join(part.replace("{n}", str(n)) for n in range(count)) if "{n}" in part else part * count
    return PREFIXES.get(name, "") + body


def feed_reply(text: str, size: int) -> FenceReader:
    """Feed a reply as the loop does."""
    reader = FenceDialect().make_reader(TAGS)
    for at in range(0, len(text), size):
        for _ in reader.feed(Chunk(text=text[at : at + size])):
            pass
    return reader


def read_reply(text: str, size: int) -> None:
    feed_reply(text, size).close("stop")


def find_missed_bounds(name: str, size: int) -> list[str]:
    """Measure one kind of reply and print its row; gives the bounds that it misses."""
    once, twice = build_reply(name, size), build_reply(name, 2 * size)
    pieces, tokens = (measure_normalized(partial(read_reply, once, cut)) for cut in (PIECE, TOKEN))
    growth = measure_normalized(partial(read_reply, twice, PIECE)) / pieces
    feeding = measure_normalized(partial(feed_reply, once, TOKEN)) / tokens
    speed, slow, lines = size / pieces / 1e6, size / tokens / 1e6, once.count("\n") / pieces
    print(f"{name:22} {speed:7.2f} {slow:7.2f} {feeding:8.0%} {growth:6.2f} {lines / 1000:8.0f}")
    kept = {"MB/s": speed >= SPEED or lines >= LINES, "in tokens": slow >= TOKENS, "2n/n": growth <= LINEAR}
    return [f"{name}: {bound}" for bound, held in kept.items() if not held]


def main() -> int:
    size = int(sys.argv[1]) * 1000 if len(sys.argv) > 1 else 100_000
    print(f"{'reply':22} {'MB/s':>7} {'tokens':>7} {'feeding':>8} {'2n/n':>6} {'lines/ms':>8}")
    print(f"{'bound':22} {SPEED:7} {TOKENS:7} {'':8} {LINEAR:6}   or {LINES // 1000} lines/ms")
    wrong = [one for name in PARTS for one in find_missed_bounds(name, size)]
    print(f"missed: {', '.join(wrong)}" if wrong else "all within their bounds")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())

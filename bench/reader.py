"""How fast the reader reads: MB/s, and the time at twice the length against that at once, at most 3.

Run: python bench/reader.py [KILOBYTES]. Not a test: a busy machine makes no build red.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from tripletick.dialects.fence import Fence
from tripletick.messages import Chunk

OWNED = ("bash", "python", "read", "write", "edit", "markdown")
BOUND = 3.0

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
BEFORE = {"outputs in a heredoc": "```bash\ncat <<'EOF'\n"}


def build(name: str, size: int) -> str:
    """Give a reply of about `size` characters."""
    part = PARTS[name]
    count = size // len(part)
    body = "".join(part.replace("{n}", str(n)) for n in range(count)) if "{n}" in part else part * count
    return BEFORE.get(name, "") + body


def read_stream(text: str) -> None:
    """Read as the loop does, in pieces as engines send them."""
    reader = Fence().reader(OWNED)
    for at in range(0, len(text), 16):
        for _ in reader.feed(Chunk(text=text[at : at + 16])):
            pass
    reader.close("stop")


def seconds(run: Callable[[str], None], text: str) -> float:
    """Give the best of three, in seconds of the processor: other work on the machine does not count."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        run(text)
        best = min(best, time.process_time() - start)
    return best


def main() -> int:
    size = int(sys.argv[1]) * 1000 if len(sys.argv) > 1 else 200_000
    worst = 0.0
    print(f"{'reply':22} {'MB/s':>7} {'2n/n':>6}   bound {BOUND}")
    for name in PARTS:
        once, twice = (seconds(read_stream, build(name, n)) for n in (size, 2 * size))
        worst = max(worst, twice / once)
        print(f"{name:22} {size / once / 1e6:7.2f} {twice / once:6.2f}")
    print(f"worst 2n/n: {worst:.2f} (bound {BOUND})")
    return int(worst > BOUND)


if __name__ == "__main__":
    sys.exit(main())

"""What the server does under load: twenty clients on one engine, and one that reads nothing.

`serve.py MODEL` has `tripletick serve` answer as many requests for a short reply at once, with one slot and
with as many as memory allows: seconds until the first and the last is done, and whether turns came in the
order of the requests; the same again while a further client takes nothing of its reply. It exits with 1 where
a client got no reply, or a turn came out of order with one slot.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import requests

CLIENTS = 20
TOKENS = 24
REQUEST = "Write the numbers from {number} to 100, separated by spaces."
SECONDS = 1800


@dataclass(frozen=True)
class Outcome:
    """When a client had its first piece and its last, in seconds from the first request."""

    first: float
    last: float
    pieces: int


@contextmanager
def start_server(model: str, *words: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Start the server; gives its address and the header with the token."""
    command = [sys.executable, "-P", "-m", "tripletick.cli", "serve", "-m", model, "--port", "0", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            lines: list[str] = []
            while not (lines and lines[-1].startswith("Token")):
                lines.append(process.stderr.readline())
            url = re.search(r"API: +(\S+)", "".join(lines))
            kept = re.search(r"(?:in|kept in) (~\S+?)\)?:?$", lines[-1])
            assert url, lines
            assert kept, lines
            token = Path(kept[1]).expanduser().read_text().strip()
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield url[1], {"Authorization": f"Bearer {token}"}
        finally:
            process.terminate()


def send_request(url: str, headers: dict[str, str], model: str, number: int) -> requests.Response:
    """Send a request; it has its place in the queue once this returns."""
    said = [{"role": "user", "content": REQUEST.format(number=number)}]
    body = {"model": model, "messages": said, "stream": True, "max_tokens": TOKENS}
    url += "/chat/completions"
    answer = requests.post(url, json=body, headers=headers, stream=True, timeout=SECONDS)
    answer.raise_for_status()
    return answer


def read_answer(answer: requests.Response, begun: float, into: list[Outcome | None], number: int) -> None:
    first, count = 0.0, 0
    with answer:
        for line in answer.iter_lines():
            if line.startswith(b"data: {") and json.loads(line[6:])["choices"][0]["delta"].get("content"):
                first = first or time.monotonic() - begun
                count += 1
    into[number] = Outcome(first, time.monotonic() - begun, count)


def measure_clients(url: str, headers: dict[str, str], model: str, *, slow: bool) -> list[Outcome]:
    """Have all clients ask, one after the other, and read side by side."""
    found: list[Outcome | None] = [None] * CLIENTS
    idle = send_request(url, headers, model, 99) if slow else None
    begun = time.monotonic()
    threads = []
    for number in range(CLIENTS):
        answer = send_request(url, headers, model, number)
        threads.append(threading.Thread(target=read_answer, args=(answer, begun, found, number)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    if idle:
        idle.close()
    return [one for one in found if one]


def main(model: str) -> int:
    failed = False
    print(f"{CLIENTS} clients, {TOKENS} tokens each, {model}")
    print("slots | a client reads nothing | first done | last done | out of turn | pieces")
    for words in (("--parallel", "1"), ()):
        with start_server(model, *words) as (url, headers):
            # the model is loaded once, and by no client that is measured
            read_answer(send_request(url, headers, model, 0), 0.0, [None], 0)
            for slow in (False, True):
                found = measure_clients(url, headers, model, slow=slow)
                firsts = [one.first for one in found]
                late = sum(one > other for one, other in pairwise(firsts))
                failed |= len(found) < CLIENTS or (bool(words) and late > 0)
                slots = words[1] if words else "memory"
                ends = sorted(one.last for one in found)
                told = (slots, "yes" if slow else "no", f"{ends[0]:.1f} s", f"{ends[-1]:.1f} s", late)
                print(" | ".join(map(str, (*told, sum(one.pieces for one in found)))))
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""Run as a program of its own: words on standard input, what the search services found as JSON.

ddgs asks services that have no interface for programs; what it does with an answer of theirs ends here.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    told = json.loads(sys.argv[1])
    sys.path[:] = told["path"]
    from ddgs import DDGS

    service = DDGS(timeout=int(told["seconds"]))
    found = service.text(sys.stdin.buffer.read().decode(), max_results=told["most"], backend=told["engines"])
    rows = [{"title": row["title"], "url": row["href"], "content": row["body"]} for row in found]
    sys.stdout.buffer.write(json.dumps({"results": rows}).encode())


if __name__ == "__main__":
    main()

"""Show how an answer is parsed into blocks, as text or JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tripletick.commands.flags import FlagParser
from tripletick.commands.stdin import read_stdin
from tripletick.errors import UsageError
from tripletick.system.text import describe_os_error
from tripletick.ui.sanitize import write_json, write_text

EVERY_TAG = "bash,python,c,go,java,javascript,read,write,edit,file_finder"


def run_blocks(_: argparse.Namespace, words: Sequence[str]) -> int:
    """Show what the reader sees in an answer, or in records a line."""
    parser = FlagParser("tripletick blocks", allow_abbrev=False)
    parser.add_argument(
        "file",
        nargs="?",
        default="-",
        help="the answer, or with --jsonl the records; - reads from standard input",
    )
    parser.add_argument("--tags", default=EVERY_TAG, help="tags that count as calls (default: %(default)s)")
    parser.add_argument(
        "--finish", choices=("stop", "length"), default="stop", help="finish reason of the answer"
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON object")
    shape.add_argument("--jsonl", action="store_true", help="read and write one JSON record per line")
    options = parser.parse_args(words)
    if options.jsonl:
        for seen in _convert_records(options.file):
            write_json(sys.stdout, seen)
        return 0
    record = {
        "answer": _read_text(options.file),
        "tags": options.tags.split(","),
        "finish_reason": options.finish,
    }
    seen = _parse_blocks(record)
    if options.json:
        write_json(sys.stdout, seen)
    else:
        write_text(sys.stdout, _format_blocks(seen))
    return 0


def _read_text(file: str) -> str:
    if file == "-":
        return read_stdin()
    try:
        return Path(file).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read.", describe_os_error(error), "tripletick blocks FILE"
        ) from error


def _convert_records(file: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_read_text(file).split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            seen = _parse_blocks(record)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise UsageError(
                f"Line {number} of {file} is not a record: {error}.", "", "id, answer, tags, finish_reason"
            ) from error
        yield seen


def _parse_blocks(record: dict[str, Any]) -> dict[str, Any]:
    from tripletick.dialects.fence.records import build_blocks_record

    return build_blocks_record(record)


def _format_blocks(seen: dict[str, Any]) -> str:
    problems = " ".join(seen["problems"]) or "none"
    lines = [f"blocks: {len(seen['blocks'])}, problems: {problems}"]
    for block in seen["blocks"]:
        lines += [f"\nline {block['line']}: {block['tag']} {block['path'] or ''}".rstrip(), block["content"]]
    return "\n".join(lines) + "\n"

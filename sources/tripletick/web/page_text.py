"""The text of a page, found in a process of its own that has limits: a page may be made to be expensive.

Which of extract_worker.py's ways is taken follows from what the server says, and what the bytes are.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tripletick.system.cancellation import CancelToken
from tripletick.system.lazy_regex import lazy_regex
from tripletick.web.address import FetchError
from tripletick.web.http_client import WebResponse
from tripletick.web.sanitize import sanitize_text

SNIFFED = 1024
HTML = lazy_regex(rb"(?i)<(?:!doctype html|html|head|body|title|meta|div|p|h1|table)\b")
BROKEN = "{address} cannot be read: {why}"
TOO_LONG = "it takes more than {seconds:g} s"
TOO_LARGE = "it takes too much memory"
LOCKED = "it is locked by a password"
IS_BROKEN = "it is broken"
NOT_WHOLE = "of its {size} only a part was got, and a part of a PDF cannot be read; [web] size sets the most"
NO_TEXT = "it is neither text nor PDF"
EMPTY = "it holds no text; it may be one that is drawn by a program or from pictures"


@dataclass(frozen=True, slots=True)
class WebPage:
    """What a page says, fit for the model; `cut`: it says more."""

    address: str
    title: str
    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class IsolatedProgram:
    """One of our programs for a process of its own, and the seconds that it may take."""

    name: str
    seconds: float
    environ: Mapping[str, str] = field(default_factory=dict)


PROGRAM = IsolatedProgram("extract_worker.py", 30.0)
SAID = (TOO_LONG.format(seconds=PROGRAM.seconds), TOO_LARGE, LOCKED)


def extract_page(got: WebResponse, halt: CancelToken) -> WebPage:
    """Find the text of what was got. Raises UnreachedError."""
    address, kind = str(got.address), _detect_kind(got)
    if not kind:
        raise FetchError(BROKEN.format(address=got.address.short_text, why=NO_TEXT))
    if kind == "pdf" and got.cut:
        raise FetchError(
            BROKEN.format(address=got.address.short_text, why=NOT_WHOLE.format(size=_format_size(got)))
        )
    charset = str(got.head.get_content_charset("") or "")
    told = run_isolated(PROGRAM, {"kind": kind, "charset": charset, "address": address}, got.body, halt)
    if isinstance(told, str):
        # a library may quote the page in what it says
        why = told if told in SAID or "module" in told else IS_BROKEN
        raise FetchError(BROKEN.format(address=got.address.short_text, why=why))
    text = sanitize_text(str(told["text"] or ""))
    if not text:
        raise FetchError(BROKEN.format(address=got.address.short_text, why=EMPTY))
    title = " ".join(sanitize_text(str(told["title"])).split())[:200]
    return WebPage(address, title, text, got.cut or bool(told["cut"]))


def _detect_kind(got: WebResponse) -> str:
    start = got.body[:SNIFFED]
    if b"%PDF-" in start and not HTML.search(start):
        return "pdf"
    if b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ""
    told = got.media_type
    if "html" in told or (told in ("", "application/octet-stream") and HTML.search(start)):
        return "html"
    return "" if told.endswith("pdf") else "text"


def _format_size(got: WebResponse) -> str:
    told = str(got.head.get("content-length", ""))
    return f"{int(told):,} bytes" if re.fullmatch(r"[0-9]{1,18}", told) else "content"


def run_isolated(
    program: IsolatedProgram, told: Mapping[str, Any], data: bytes, halt: CancelToken
) -> dict[str, Any] | str:
    """Run it with `data` on its input: what it printed, or in words why it failed."""
    path, seconds = Path(__file__).with_name(program.name), program.seconds
    words = [sys.executable, "-I", "-S", str(path), json.dumps({**told, "path": sys.path})]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, env=program.environ, cwd="/", start_new_session=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            with halt.on_cancel(process.kill):
                out, problems = process.communicate(data, seconds)
        except subprocess.TimeoutExpired:
            return TOO_LONG.format(seconds=seconds)
        finally:
            process.kill()
    if process.returncode:
        return _summarize_traceback(problems.decode("utf-8", "replace"))
    found: dict[str, Any] = json.loads(out)
    return found


def _summarize_traceback(problems: str) -> str:
    """Give the end of a traceback without the error's name."""
    last = problems.strip().rpartition("\n")[2]
    if "MemoryError" in last or not last:
        return TOO_LARGE
    return " ".join(sanitize_text(last.partition(": ")[2] or last).split())[:200]

"""What a search service found: the user's SearxNG where one is set, else those that ddgs asks.

What comes back is a stranger's: no field of it is trusted to be there, or to be a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from tripletick.system.text import shorten_line
from tripletick.web import address
from tripletick.web.address import FetchError
from tripletick.web.fetch import PageFetcher
from tripletick.web.http_client import WebClient
from tripletick.web.page_text import IsolatedProgram, run_isolated
from tripletick.web.sanitize import sanitize_text

MOST_TITLE, MOST_SAID = 160, 400
PASSED = ("HOME", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "DDGS_PROXY")
"""Variables that ddgs gets: its way out, and whom it trusts."""
ENDS = ("_proxy", "_PROXY")
NO_JSON = "{host} answers no JSON; a SearxNG does once `json` stands under search.formats of its settings.yml"
NO_ANSWER = "the search services gave no answer that can be read; [web] engines names others"
WHYS = {
    r"(?i)DNS|resolv|name or service": "the search services cannot be reached: is this computer online?",
    r"(?i)timed? ?out|takes more than": "the search services did not answer in time",
    r"(?i)rate ?limit|\b(?:403|418|429)\b": "the search services refuse further searches for now",
    r"(?i)connect|sending request": "the search services cannot be reached: is this computer online?",
    r"(?i)No module named": "the search service cannot be asked: ddgs is not whole; install it again",
}
"""What ddgs says, by signs in it, and what it means."""
NOTHING = "No results found."
"""What ddgs says where there is nothing, also where each service has refused."""


@dataclass(frozen=True, slots=True)
class WebSearchResult:
    """One result: where it is, and what the service says that stands there."""

    address: str
    title: str
    text: str


def search_searxng(url: str, words: str, most: int, line: WebClient) -> list[WebSearchResult]:
    """Ask a SearxNG. Raises UnreachedError."""
    base = address.parse_address(url)
    query = urlencode({"q": words, "format": "json"})
    asked = replace(base, path=f"{base.path.partition('?')[0].removesuffix('/')}/search?{query}")
    own = replace(line, bounds=replace(line.bounds, allowed=line.bounds.allowed | {base.host_port}))
    got = PageFetcher(own).fetch_service(asked)
    try:
        told = json.loads(got.body)
    except (ValueError, RecursionError) as error:
        raise FetchError(NO_JSON.format(host=base.display_host)) from error
    if not isinstance(told, dict):
        raise FetchError(NO_JSON.format(host=base.display_host))
    return list(parse_results(told, most))


def search_ddgs(engines: str, words: str, most: int, line: WebClient) -> list[WebSearchResult]:
    """Have ddgs ask the services. Raises UnreachedError."""
    told = {"most": most, "engines": engines, "seconds": max(1, int(line.bounds.seconds / 2))}
    passed = {name: value for name, value in line.environ.items() if name in PASSED or name.endswith(ENDS)}
    program = IsolatedProgram("ddgs_worker.py", line.bounds.seconds, passed)
    found = run_isolated(program, told, words.encode("utf-8", "replace"), line.halt)
    if found == NOTHING:
        return []
    if isinstance(found, str):
        why = next((why for sign, why in WHYS.items() if re.search(sign, found)), NO_ANSWER)
        raise FetchError(why)
    return list(parse_results(found, most))


def parse_results(told: Mapping[str, Any], most: int) -> Iterator[WebSearchResult]:
    """Read results as both ways give them; one without an address that can be got is none."""
    rows = told.get("results")
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict) or most < 1:
            continue
        try:
            where = str(address.parse_address(str(row.get("url", ""))))
        except FetchError:
            continue
        most -= 1
        yield WebSearchResult(
            where, _shorten_text(row.get("title"), MOST_TITLE), _shorten_text(row.get("content"), MOST_SAID)
        )


def _shorten_text(said: object, most: int) -> str:
    return shorten_line(sanitize_text(said if isinstance(said, str) else ""), most)

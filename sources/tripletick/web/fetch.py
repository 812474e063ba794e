"""Fetches pages by address: follows redirects one by one and respects a host's robots.txt.

Each further address is judged as the first was. What a page says is extracted elsewhere (extracting).
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from http import HTTPStatus

from protego import Protego

from tripletick.system.lazy_regex import lazy_regex
from tripletick.web.address import BRIEF, FetchError, WebAddress
from tripletick.web.http_client import Wanted, WebClient, WebResponse

AGENT = "tripletick"
"""The name that robots.txt has for us."""
ROBOTS_SIZE = 500 << 10
"""Bytes of a robots.txt that are read (RFC 9309, 2.5)."""
ROBOTS_RULES = 1_000_000
"""The most agents times lines: the parser keeps each rule once for each agent that it is for."""
CLOSED = Protego.parse("User-agent: *\nDisallow: /")
MOST_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
PAGE = lazy_regex(
    r"text/.+|application/(?:(?:.+\+)?(?:xml|json)|pdf|x-pdf|javascript|x?yaml|x-ndjson|rtf|xhtml|octet-stream)"
)
"""Media types that are read; what calls itself octet-stream is looked at."""

TOO_MANY = "{address} leads on from one address to the next, more than {most} times"
NOWHERE = "{host} answers {status} and does not say where the page is"
ANSWERS = "{host} answers {status}{reason}{wait}"
WAIT = "; ask again in {seconds} s"
NO_PAGE = "{address} is no page but {kind}"
KEPT = "{host} lets no program read {path} (its robots.txt)"


@dataclass(slots=True)
class PageFetcher:
    """Gets pages over one line and remembers, for as long as it lives, what each host's robots.txt says."""

    line: WebClient
    reached: list[str] = field(default_factory=list)
    """Hosts that were connected to, in their order."""
    _robots: dict[tuple[str, str], Protego] = field(default_factory=dict)

    def fetch_page(self, address: WebAddress) -> WebResponse:
        """Get a page as a program does that reads by itself. Raises UnreachedError."""
        got = self._follow_redirects(address, _is_page, watched=True)
        if got.status >= 400:
            raise FetchError(_format_status(got))
        if got.media_type and not PAGE.fullmatch(got.media_type):
            raise FetchError(NO_PAGE.format(address=got.address.short_text, kind=got.media_type[:60]))
        return got

    def fetch_service(self, address: WebAddress) -> WebResponse:
        """Ask a service of the user's own choice, whatever its robots.txt says. Raises UnreachedError."""
        got = self._follow_redirects(address, lambda got: True)
        if got.status >= 400:
            raise FetchError(_format_status(got))
        return got

    def _follow_redirects(self, address: WebAddress, wanted: Wanted, *, watched: bool = False) -> WebResponse:
        first, end = address, time.monotonic() + self.line.bounds.seconds
        for _ in range(MOST_REDIRECTS + 1):
            if watched and not self._get_rules(address).can_fetch(str(address), AGENT):
                raise FetchError(KEPT.format(host=address.display_host, path=address.path[:BRIEF]))
            got = self.line.send_request(address, max(end - time.monotonic(), 0.0), wanted)
            if address.display_host not in self.reached:
                self.reached.append(address.display_host)
            if got.status not in REDIRECTS:
                return got
            if not got.location:
                raise FetchError(NOWHERE.format(host=address.display_host, status=got.status))
            address = address.resolve_link(got.location)
        raise FetchError(TOO_MANY.format(address=first.short_text, most=MOST_REDIRECTS))

    def _get_rules(self, address: WebAddress) -> Protego:
        host = (address.scheme, address.host_port)
        if host not in self._robots:
            self._robots[host] = self._fetch_rules(address.resolve_link("/robots.txt"))
        return self._robots[host]

    def _fetch_rules(self, address: WebAddress) -> Protego:
        """Read a host's rules: none where it has none, and nothing is let where it does not know itself."""
        got = self._follow_redirects(address, lambda got: got.status == 200)
        text = got.body[:ROBOTS_SIZE].decode("utf-8-sig", "replace")
        rules = len(re.findall(r"(?i)user[-\s]*agent", text)) * len(text.splitlines())
        return CLOSED if got.status >= 500 or rules > ROBOTS_RULES else Protego.parse(text)


def _is_page(got: WebResponse) -> bool:
    return got.status < 300 and (not got.media_type or bool(PAGE.fullmatch(got.media_type)))


def _format_status(got: WebResponse) -> str:
    after = str(got.head.get("retry-after", ""))
    wait = WAIT.format(seconds=after) if re.fullmatch(r"\d{1,6}", after) else ""
    reason = {each.value: f" {each.phrase}" for each in HTTPStatus}.get(got.status, "")
    return ANSWERS.format(host=got.address.display_host, status=got.status, reason=reason, wait=wait)

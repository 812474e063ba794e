"""Pages got by their address: redirects, one by one, and what a host's robots.txt keeps from programs.

Each further address is judged as the first was. What a page says is extracted elsewhere (extracting).
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from http import HTTPStatus

from tripletick.web import robots
from tripletick.web.address import BRIEF, Address, UnreachedError
from tripletick.web.exchange import Got, Line, Wanted

MOST_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
PAGE = re.compile(
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
class Getter:
    """Gets pages over one line and remembers, for as long as it lives, what each host's robots.txt says."""

    line: Line
    reached: list[str] = field(default_factory=list)
    """Hosts that were connected to, in their order."""
    _robots: dict[tuple[str, str], robots.Robots] = field(default_factory=dict)

    def get(self, address: Address) -> Got:
        """Get a page as a program does that reads by itself. Raises UnreachedError."""
        got = self._follow(address, _is_page, watched=True)
        if got.status >= 400:
            raise UnreachedError(_answers(got))
        if got.kind and not PAGE.fullmatch(got.kind):
            raise UnreachedError(NO_PAGE.format(address=got.address.brief, kind=got.kind[:60]))
        return got

    def ask(self, address: Address) -> Got:
        """Ask a service of the person's own choice, whatever its robots.txt says. Raises UnreachedError."""
        got = self._follow(address, lambda got: True)
        if got.status >= 400:
            raise UnreachedError(_answers(got))
        return got

    def _follow(self, address: Address, wanted: Wanted, *, watched: bool = False) -> Got:
        first, end = address, time.monotonic() + self.line.bounds.seconds
        for _ in range(MOST_REDIRECTS + 1):
            if watched and not self._rules(address).allows(address.path):
                raise UnreachedError(KEPT.format(host=address.shown, path=address.path[:BRIEF]))
            got = self.line.ask(address, max(end - time.monotonic(), 0.0), wanted)
            if address.shown not in self.reached:
                self.reached.append(address.shown)
            if got.status not in REDIRECTS:
                return got
            if not (where := got.head.get("location")):
                raise UnreachedError(NOWHERE.format(host=address.shown, status=got.status))
            address = address.joined(str(where))
        raise UnreachedError(TOO_MANY.format(address=first.brief, most=MOST_REDIRECTS))

    def _rules(self, address: Address) -> robots.Robots:
        host = (address.scheme, address.place)
        if host not in self._robots:
            self._robots[host] = self._read_rules(address.joined("/robots.txt"))
        return self._robots[host]

    def _read_rules(self, address: Address) -> robots.Robots:
        """Read a host's rules: none where it has none, and nothing is let where it does not know itself."""
        got = self._follow(address, lambda got: got.status == 200)
        if got.status >= 500:
            return robots.CLOSED
        return robots.parse(got.body[: robots.LARGEST].decode("utf-8", "replace"))


def _is_page(got: Got) -> bool:
    return got.status < 300 and (not got.kind or bool(PAGE.fullmatch(got.kind)))


def _answers(got: Got) -> str:
    after = str(got.head.get("retry-after", ""))
    wait = WAIT.format(seconds=after) if re.fullmatch(r"\d{1,6}", after) else ""
    reason = {each.value: f" {each.phrase}" for each in HTTPStatus}.get(got.status, "")
    return ANSWERS.format(host=got.address.shown, status=got.status, reason=reason, wait=wait)

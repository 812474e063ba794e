"""What came from outside since the user's last request, and which addresses were named meanwhile.

Somebody else's words may order a model about; what is asked because of them is approval's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tripletick.system.lazy_regex import lazy_regex
from tripletick.web import address

SOURCES = "Sources:"
MOST_SOURCES = 5
_WORD = lazy_regex(r"\d[\d.,:/-]*\d|\w{5,}|\d|[\u3040-\u9fff\uac00-\ud7a3]{2}")
"""What one text can have of another: numbers, words that are not in every text, pairs of signs."""


@dataclass(frozen=True, slots=True)
class OutsideSource:
    """A text from outside, by its words. `whole`: a page, and not what a search says of one."""

    address: str
    words: frozenset[str]
    whole: bool = True


@dataclass(slots=True)
class OutsideSources:
    """One request's, from the user's words to their next ones; tasks of a plan share it."""

    sources: list[OutsideSource] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    """Hosts that the user or a search named …"""
    addresses: set[str] = field(default_factory=set)
    """… and whole addresses."""
    asked: set[str] = field(default_factory=set)
    """The words of the user."""
    local: set[str] = field(default_factory=set)
    """Places of this computer, `host:port`, that they name."""

    def begin_request(self, words: str) -> None:
        """Begin with a request of the user's, who has seen what came of the last one."""
        for each in (self.sources, self.hosts, self.addresses, self.asked, self.local):
            each.clear()
        self.add_user_words(words)

    def add_user_words(self, words: str) -> None:
        """Take in what the user says."""
        self.asked |= extract_words(words)
        for each in address.find_addresses(words):
            self.hosts.add(strip_www(each.host))
            self.addresses.add(str(each))
            self.local |= {each.host_port} if each.is_local else set()

    def add_search_hit(self, where: str, text: str) -> None:
        """Take in what a search says of a page: its address may be got."""
        self.hosts.add(strip_www(address.parse_address(where).host))
        self.addresses.add(where)
        self.sources.append(OutsideSource(where, extract_words(text), whole=False))

    def add_page(self, where: str, text: str) -> None:
        """Take in a page, or whatever else came from outside."""
        self.sources.append(OutsideSource(where, extract_words(text)))

    def find_unnamed(self, wanted: Iterable[address.WebAddress]) -> list[address.WebAddress]:
        """Give those that nobody named: by their host, or once there is something from outside, whole."""
        if self.sources:
            return [each for each in wanted if str(each) not in self.addresses]
        return [each for each in wanted if strip_www(each.host) not in self.hosts]

    def format_citations(self, answer: str) -> str:
        """Give what an answer lacks at its end: the sources that it does not name; "" where it names all."""
        lacking = [
            where
            for where in self._find_used_sources(extract_words(answer) - self.asked)
            if not _is_cited(answer, where)
        ]
        lines = [SOURCES, *(f"- {where}" for where in lacking[:MOST_SOURCES])]
        return "\n\n" + "\n".join(lines) if lacking else ""

    def _find_used_sources(self, said: frozenset[str]) -> list[str]:
        """Give the pages that what was said has its words from: those with at least half as many of them as
        the best one; where no word tells, all that were read.
        """
        whole = [each for each in self.sources if each.whole]
        shared = {each.address: len(each.words & said) for each in whole or self.sources}
        best = max(shared.values(), default=0)
        used = [where for where, count in shared.items() if best and count * 2 >= best]
        return used or list(dict.fromkeys(each.address for each in whole))


def extract_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def strip_www(host: str) -> str:
    return host.removeprefix("www.")


def _is_cited(answer: str, where: str) -> bool:
    bare = where.partition("://")[2].removeprefix("www.").rstrip("/")
    return bare in answer

"""An address as the model or a page writes it, taken apart and written in one way.

Whether what it leads to may be reached is decided where it is looked up (connecting).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, unquote, urljoin, urlsplit

from tripletick.system.lazy_regex import lazy_regex

PORTS = {"http": 80, "https": 443}
LONGEST = 4000
"""Characters of an address; what is longer carries something."""
BRIEF = 100
NO_ADDRESS = "{text} is no address of a page: write one as https://example.org/page"
ASTRAY = "{text} leads to what is no address of a page"
WITH_NAME = "{text} holds a user name or a password, and none is sent"
TOO_LONG = "an address of {count} characters is too long"
SAFE = "!$&'()*+,;=:@/?-._~%"
_AROUND = "<>()[]{}\"'`*,;.!?\u00bb\u2019\u201d\u3001\u3002\u300d\uff01\uff09\uff0c\uff1a\uff1b\uff1f"
"""Also the quotes and the stops that other languages write."""
_PAIRS = {")": "(", "]": "["}
_URL = lazy_regex(r"https?://[^\s<>\"'`|\\^{}]+", re.IGNORECASE)
_HOST = lazy_regex(r"(?<![\w@.:/-])(?:[\w-]+\.)+[^\W\d_]{2,}(?::\d+)?(?![\w@-])")
_LOCAL = lazy_regex(
    r"(?<![\w@.:/-])(?:localhost|127(?:\.\d{1,3}){3})(?![\w@.-])(?::\d+)?(?:/[^\s<>\"'`|\\^{}]*)?",
    re.IGNORECASE,
)
_PLACE = lazy_regex(r"(?i)[\w-]+(?:\.[\w-]+)*\.?(?::\d+)?(?:[/?#].*)?")
_NAME = lazy_regex(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*|[0-9a-f:.]+")


class FetchError(Exception):
    """A page that was not got; the words are for the model."""


@dataclass(frozen=True, slots=True)
class WebAddress:
    """`path` begins with a slash and holds the query; what stood behind a # is dropped."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_port(self) -> str:
        """`host:port`."""
        return f"{self._bracketed_host}:{self.port}"

    @property
    def display_host(self) -> str:
        """The host, with the port where it is no usual one."""
        return self._bracketed_host if self.port == PORTS[self.scheme] else self.host_port

    @property
    def _bracketed_host(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def is_local(self) -> bool:
        """Tell whether its name says that it is this computer."""
        with suppress(ValueError):
            return ipaddress.ip_address(self.host).is_loopback
        return self.host == "localhost"

    @property
    def short_text(self) -> str:
        """For a sentence: a page chooses where it leads to, and an address can hold many words."""
        whole = str(self)
        return whole if len(whole) <= BRIEF else f"{whole[: BRIEF - 1]}…"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.display_host}{self.path}"

    def resolve_link(self, where: str) -> WebAddress:
        """Give where a link or a redirect of this page leads. Raises UnreachedError."""
        try:
            return parse_address(urljoin(str(self), where.strip()))
        except (ValueError, FetchError) as error:
            raise FetchError(ASTRAY.format(text=self.short_text)) from error


def parse_address(text: str) -> WebAddress:
    """Take an address apart; one without a scheme is https. Raises UnreachedError."""
    if len(text) > LONGEST:
        raise FetchError(TOO_LONG.format(count=len(text)))
    plain = text.strip().strip("<>\"'`")
    scheme = "http" if _LOCAL.match(plain) else "https"
    whole = plain if "://" in plain or not _PLACE.fullmatch(plain) else f"{scheme}://{plain}"
    try:
        parts = urlsplit(whole)
        scheme, port = parts.scheme.lower(), parts.port or PORTS.get(parts.scheme.lower(), 0)
        host, query = _encode_host(parts.hostname or ""), f"?{parts.query}" if parts.query else ""
        path = quote((parts.path or "/") + query, safe=SAFE)
    except (ValueError, UnicodeError):
        scheme, port, host, path = "", 0, "", ""
    if scheme not in PORTS or not port or not _NAME.fullmatch(host):
        raise FetchError(NO_ADDRESS.format(text=text[:100]))
    if "@" in parts.netloc:
        raise FetchError(WITH_NAME.format(text=text[:100]))
    return WebAddress(scheme, host, port, path)


def find_addresses(words: str) -> Iterator[WebAddress]:
    """Give the addresses that a text names, also those of a host alone (`example.org`)."""
    urls = _URL.findall(words)
    rest = _URL.sub(" ", words)
    for text in [*urls, *_HOST.findall(rest), *(match[0] for match in _LOCAL.finditer(rest))]:
        try:
            yield parse_address(_strip_around(text))
        except FetchError:
            continue


def _strip_around(text: str) -> str:
    """Take off what a sentence has behind an address; a bracket that the address itself opens stays."""
    bare = text.rstrip(_AROUND)
    for sign in text[len(bare) :]:
        if sign not in _PAIRS or bare.count(_PAIRS[sign]) <= bare.count(sign):
            break
        bare += sign
    return bare


def _encode_host(host: str) -> str:
    """Write a host as DNS has it: `bücher.example` is `xn--bcher-kva.example`."""
    name = unquote(host).lower().rstrip(".")
    return name if name.isascii() else name.encode("idna").decode()

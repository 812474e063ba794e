"""What a request asks for, by its words: whether something is to be run, changed, saved or only told."""

from __future__ import annotations

from collections.abc import Collection

from tripletick.agents.templates import ACTIONS, Templates
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.tool import FileTracker

BANS = lazy_regex(r"(?i)(?:,? (?:and|but))? (?:do not|don.?t|never|without)\b[^.;!?\n]*")
"""What a request wants left alone."""
_INDIRECT = lazy_regex(
    r"(?i)\bwhat (?:it|this|that|they|the (?:program|script|code)) (?:is |are )?\w+(?:s|ing)\b[^.;!?\n]{0,40}"
)
"""A question about what something does: "explain what it converts"."""
_WHICH = lazy_regex(
    r"(?i)\b(?:which|welche\w*|quel(?:le)?s?|cu[aá]l\w*|quale|welk\w*"
    r"|what(?:.s| is) the (?:big|large|small|new|old|late)\w+)\b[^.!?]{0,200}\?(?P<rest>[^?]{0,200})$"
)
_ONLY_NAMES = lazy_regex(
    r"(?i)[\s.!]*(?:(?:just |only |please )*(?:tell|give|say|show)\b[^.]{0,20}\bnames?\b)?"
    r"(?:[\s.,!]*(?:and )?"
    r"(?:change nothing|don.?t \w+ (?:it|them|anything)|thanks?(?: you)?|please|cheers)){0,4}"
    r"[\s.!]*"
)
"""What asks for one of the files that are listed, and what may stand behind the question."""
READS = ("reads", "questions", "tells", "dates")
"""Words of a request that only wants to know."""


def note_request(ledger: FileTracker, said: Templates, request: str, ending: str) -> None:
    """Note in the ledger what a request that begins a turn asks for; `ending` stands behind it."""
    is_there = bool(ledger.asked) and not ledger.is_new_program
    ledger.mends = is_there and said.wants_repair(request, ledger.asked)
    ledger.withheld = said.has_words("withheld", request)
    ledger.untouched = said.has_words("untouched", request)
    ledger.only_asks = only_wants(("asks",), said, request)
    ledger.only_computes = said.has_words("computes", request)
    ledger.unsaved = said.has_words("unsaved", request)
    ledger.only_told = ledger.withheld and bool(ending) and ending == said.explain
    ledger.only_shown = ledger.only_told or (ledger.withheld and bool(ending) and ending == said.show)


def only_wants(kinds: Collection[str], said: Templates, request: str) -> bool:
    """Tell whether a request has words of these kinds, and none for something that is to be done: "and don't
    change anything" wants nothing done.
    """
    request = BANS.sub(" ", request)
    orders = _INDIRECT.sub(" ", request)
    acts = any(said.has_words(kind, orders) for kind in (*ACTIONS, "moves", "repairs"))
    return not acts and any(said.has_words(kind, request) for kind in kinds)


def asks_which(request: str) -> bool:
    """Tell whether a request asks which file it is, and wants nothing done with that."""
    found = _WHICH.search(request.rstrip())
    return bool(found and _ONLY_NAMES.fullmatch(found["rest"]))

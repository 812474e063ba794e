"""Which two agents a request is for, one after the other: the web and who works with files and programs.

A request is cut where a clause may end, and each side is classified for itself; the surest cut counts. The
tools of coder and file overlap, so a request for these two is one agent's.

Not covered: whether it becomes a plan (routing), how the second takes over (shift).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tripletick.router.classifier import load_classifier
from tripletick.router.features import extract_excerpt

WEB, OTHERS = "web", ("coder", "file")
LIKELY = 0.08
"""Requests that the classifier takes for a plan with less than this are for one agent."""
SURE = 0.6
"""Each side of a cut is classified with so much confidence at least. With both of these 32 of the 34 requests
of bench/router_two.jsonl that need the web and another are parted, and one of 564 for one agent.
"""
CUTS = 40
SHORTEST = 4
"""Characters of a side; Chinese says a clause in so many."""
_CUT = re.compile(
    r"[,;.:!?\n，、；。：！？،؛]+"  # noqa: RUF001
    r"|(?<!\w)(?:and then|and|then|und|dann|et|puis|y|luego|después|e|depois|então|poi|en|i|potem|ve|sonra"
    r"|и|потом|а|затем|і|потім|và|rồi|और|aur|phir|फिर|ثم)(?!\w)"  # noqa: RUF001
    r"|(?<=\s)و(?=\w)|然后|再|并|(?<=[てで])|(?<=고)\s|(?<=서)\s"
)


@dataclass(frozen=True, slots=True)
class RequestPart:
    """A clause of a request, and the agent that it is for."""

    agent: str
    words: str


def split_request(request: str) -> tuple[RequestPart, ...]:
    """Give both parts of a request in their order, () where one agent can do it all."""
    text = extract_excerpt(request)
    likely = load_classifier().predict_probabilities(text)["planner"]
    if likely < LIKELY:
        return ()
    names = (WEB, *OTHERS) if likely >= 0.5 else (WEB, *OTHERS, "casual")
    best: tuple[RequestPart, ...] = ()
    surest = 0.0
    for cut in list(_CUT.finditer(text))[:CUTS]:
        both = text[: cut.start()].strip(), text[cut.end() :].strip()
        if min(map(len, both)) < SHORTEST:
            continue
        (one, first), (two, second) = (_classify_side(side, names) for side in both)
        if {one, two} in ({WEB, other} for other in OTHERS) and min(first, second) >= max(SURE, surest):
            best, surest = (RequestPart(one, both[0]), RequestPart(two, both[1])), min(first, second)
    return best


def _classify_side(text: str, names: tuple[str, ...]) -> tuple[str, float]:
    probable = load_classifier().predict_probabilities(text)
    among = sum(probable[name] for name in names)
    best = max(names, key=probable.__getitem__)
    return best, probable[best] / among

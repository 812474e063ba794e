"""Which two agents a request is for, one after the other, and whether it says no more than to go on.

A request is cut where a clause may end, and each side is classified for itself; the surest cut counts. The
tools of coder and file overlap, so a request for these two is one agent's.

Not covered: whether it becomes a plan (session/routing.py), how the second takes over (turn/handover.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tripletick.router.classifier import load_classifier
from tripletick.router.features import extract_excerpt
from tripletick.system.lazy_regex import lazy_regex

WEB, OTHERS = "web", ("coder", "file")
PAIRS = tuple({WEB, other} for other in OTHERS)
LIKELY = 0.08
"""Requests that the classifier takes for a plan with less than this are for one agent unless both sides are
SURER.
"""
SURE = 0.6
"""Each side of a cut is classified with so much confidence at least."""
SURER = 0.9
"""With so much for both, and the web first, they are parted however unlikely a plan is: the classifier knows
few plans in other languages than English. With these three 60 of the 66 requests of bench/router_two.jsonl
that need the web and another are parted, without this one 42; and one of 564 for one agent, with or without.
"""
ONLINE = 0.05
"""A request that is no plan and is less probably for the web has no part that is: most are done with here."""
CUTS = 40
SHORTEST = 4
"""Characters of a side; Chinese says a clause in so many."""
_CUT = lazy_regex(
    r"(?:[,;.:!?]+(?=\s|$)|[\n，、；。：！？،؛])+"  # noqa: RUF001
    r"|(?<!\w)(?:and then|and|then|und|dann|et|puis|y|luego|después|e|depois|então|poi|en|i|potem|ve|sonra"
    r"|и|потом|а|затем|і|потім|và|rồi|और|aur|phir|फिर|ثم)(?!\w)"  # noqa: RUF001
    r"|(?<=\s)و(?=\w)|然后|再|并|(?<=[てで])|(?<=고)\s|(?<=서)\s"
)

PHRASES = (
    *("go on", "go ahead", "continue", "carry on", "keep going", "keep on", "proceed", "resume"),
    *("do the rest", "do what is left", "finish", "finish up", "next step", "move on"),
    *("weiter", "mach weiter", "weitermachen", "fahr fort", "mach den rest"),
    *("continuer", "continuez", "vas y", "poursuis", "fais le reste"),
    *("sigue", "continúa", "continua", "adelante", "haz el resto"),
    *("segue", "siga", "continue", "faz o resto"),
    *("avanti", "vai avanti", "prosegui", "fai il resto"),
    *("ga door", "ga verder", "verder", "kontynuuj", "dalej", "devam", "devam et"),
    *("продолжай", "продолжайте", "продолжи", "дальше", "далі", "продовжуй"),
    *("继续", "繼續", "继续吧", "接着做", "続けて", "続けてください", "続き", "계속", "계속해", "계속해줘"),
    *("تابع", "أكمل", "استمر", "जारी रखो", "aage badho", "tiếp tục"),
)
AROUND = frozenset(
    word
    for line in (
        "please now then ok okay yes and so just with on the a it that this what is s left remaining rest",
        "plan work task tasks job everything else bitte jetzt mit dem der den il te plaît maintenant avec le",
        "la por favor ahora con el agora com o per piacere ora alstublieft nu met het proszę teraz",
        "пожалуйста теперь план",
    )
    for word in line.split()
)
"""Words that may stand around a phrase and change nothing of it."""
ANSWERS = frozenset(
    word
    for line in (
        "y n j yes yep no nope ok okay sure ja nein nee oui non si sí sì sim não tak nie evet hayır",  # noqa: RUF001
        "да нет так ні 是 好 不 はい いいえ 네 아니요 có không نعم لا हाँ नहीं",
    )
    for word in line.split()
)
"""What answers a question, and asks for nothing by itself."""


@dataclass(frozen=True, slots=True)
class RequestPart:
    """A clause of a request, and the agent that it is for."""

    agent: str
    words: str


def split_request(request: str) -> tuple[RequestPart, ...]:
    """Give both parts of a request in their order, () where one agent can do it all."""
    text = extract_excerpt(request)
    whole = load_classifier().predict_probabilities(text)
    likely = whole["planner"]
    if likely < LIKELY and whole[WEB] < ONLINE:
        return ()
    names = (WEB, *OTHERS) if likely >= 0.5 else (WEB, *OTHERS, "casual")
    best: tuple[RequestPart, ...] = ()
    surest = 0.0
    for cut in list(_CUT.finditer(text))[:CUTS]:
        both = text[: cut.start()].strip(), text[cut.end() :].strip()
        if min(map(len, both)) < SHORTEST:
            continue
        (one, first), (two, second) = (_classify_side(side, names) for side in both)
        enough = likely >= LIKELY or (one == WEB and min(first, second) >= SURER)
        if enough and {one, two} in PAIRS and min(first, second) >= max(SURE, surest):
            best, surest = (RequestPart(one, both[0]), RequestPart(two, both[1])), min(first, second)
    return best


def _classify_side(text: str, names: tuple[str, ...]) -> tuple[str, float]:
    probable = load_classifier().predict_probabilities(text)
    among = sum(probable[name] for name in names)
    best = max(names, key=probable.__getitem__)
    return best, probable[best] / among


def is_continuation(request: str) -> bool:
    """Tell whether a request is to go on, such as "ok, go on with the plan"."""
    words = re.findall(r"\w+", request.casefold())
    if len(words) > 12:
        return False
    for phrase in PHRASES:
        said = phrase.split()
        for at in range(len(words) - len(said) + 1):
            if words[at : at + len(said)] == said:
                return AROUND.issuperset(words[:at] + words[at + len(said) :])
    return False


def is_answer(request: str) -> bool:
    """Tell whether a request only answers a question, or is a letter or digit that may be meant so."""
    words = [word.strip(".,;:!?…。！？،") for word in request.casefold().split()]  # noqa: RUF001
    one = len(words) == 1 and len(words[0]) == 1 and words[0].isascii() and words[0].isalnum()
    return one or (bool(words) and ANSWERS.issuperset(words))

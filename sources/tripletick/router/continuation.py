"""Whether a request says no more than to go on with the work.

Not covered: other follow-ups ("now make it faster"), which the classifier knows.
"""

from __future__ import annotations

import re

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

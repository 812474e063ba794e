"""What an answer claims to have done, compared with what the turn did.

What a claim looks like stands in claims.toml, by language; here are the rules by which one is in doubt. A
clause that denies, asks, plans or depends on something claims nothing: an honest answer that is doubted
costs a reply and the user's trust, so what is not clear is let through.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tripletick.messages import Receipt
from tripletick.system.lazy_regex import lazy_regex
from tripletick.turn.asked_lines import AskedLine
from tripletick.turn.file_mentions import PLACE, is_file_name, mask_endings

QUOTED = lazy_regex(r"\s*(?:\"([^\"\n]{1,200})\"|`([^`\n]{1,200})`|“([^”\n]{1,200})”|(-?\d+(?:[.,]\d+)*)\b)")
FENCED = lazy_regex(r"(?ms)^```.*?^```[^\n]*$")
COUNT = lazy_regex(
    r"\b(?!(?:19|20)\d\d\b)(\d{1,4})\s+(?:(?:out )?of (?:the |all |your )*\d{1,4}\s+)?"
    r"(?!(?:[kKMG]?B|bytes?|days?|weeks?|months?|years?)\b)(?:\w+\s+){0,2}"
    r"(?:files|photos|pictures|images|documents|folders|of them)\b"
)
THOUSANDS = lazy_regex(r"(?<=\d),(?=\d{3}(?!\d))")
NAMED_PLACE = lazy_regex(rf"\"([^\"\n]*{PLACE.pattern})\"|['`]([^'`\n]*{PLACE.pattern})['`]|{PLACE.pattern}")
"""A file's name, between quotes also one with blanks."""
DENIED_PLACE = rf"\**(\"[^\"\n]{{1,200}}\"|'[^'\n]{{1,200}}'|`[^`\n]{{1,200}}`|{PLACE.pattern})\**"
"""What an answer says is not there: between quotes also a folder."""
QUESTION_MARKS = ("?", "\N{FULLWIDTH QUESTION MARK}")
LONGEST = 400
"""Characters of a clause that are looked at."""
DEED = {
    "saved": "nothing was saved or created",
    "changed": "no file was changed",
    "deleted": "nothing was deleted",
    "moved": "nothing was renamed or moved",
    "copied": "nothing was copied",
    "got": "nothing was run that could have fetched it",
    "ran": "nothing was run",
    "tests": "no test was run",
}
REPORTED = ("saved", "changed", "deleted", "moved", "copied", "tests")
"""Deeds of which what was read may tell as well."""
PASSIVE = lazy_regex(
    r"^(?!.*\b(?:I|ich|je|j|he|ho|ik|eu)\b).*\b(?:is|are|was|were|been|passed|ist|sind|wurden?|worden|est|sont|été|es|fue"
    r"|fueron|è|sono|stat[oaie]|zijn|werd(?:en)?|foi|foram)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Somebody did it, and not who speaks."""
PLURAL = lazy_regex(r"\s+(?!(?:as|aus|is|was)\b)(?:[^\W\d_]+s|[A-ZÄÖÜ][^\W\d_]+)\b")
"""What is counted stands behind its number."""
LAST = "the last block failed, and nothing after it succeeded"
COPIED = "that sentence says what did not work"
OURS = lazy_regex(
    r"(?m)^(?:Hint: (?P<hint>.+)|This was tried .+?, the last time with: (?P<error>.+)"
    r"|This was tried .+|The files are as .+|No file was changed\.|That printed .+, so (?P<undone>[^.]+).*)$"
)
"""A line that says to the model what did not work; its outputs say that to the user as well."""
NOT_RUN = "the last block was not run"
ABSENT = "{path} is not there"
PRESENT = "{path} is there"
LOST = "what was in {paths} is in no file any more"
FEWER = "{claimed} are claimed, and there were {count}"
TESTS = "{passed} of {count} tests passed"
UNSEEN = "“{text}” stands in no output"


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """What is known at the end of a turn. `works`: the agent has tools; `asks`: the request is a question."""

    receipt: Receipt
    works: bool = True
    asks: bool = False
    earlier: bool = False
    """An earlier turn of this session has changed files."""
    seen: str = ""
    """The request, what blocks held and printed, and the files that went along."""
    exists: Callable[[str], bool] = bool
    holds: Callable[[str], bool] = bool
    """Whether the workspace has a file or folder of this path, for sure."""
    lacking: tuple[str, ...] = ()
    """Files that the request wants made and that are not there."""
    saved: bool = False
    """All that the request wants saved is there, and it speaks of no moving."""
    reads: bool = False
    """The request only wants to know what is there, and nothing was changed."""
    gone: tuple[str, ...] = ()
    """What says of files that they have lost lines, although something was only to be added."""
    due: str = ""
    """What the last results were said to leave undone."""
    line: AskedLine | None = None
    """The line of a text that the request asks about."""


DENIED = lazy_regex(DENIED_PLACE, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LanguagePatterns:
    """A language's row. `verbs`: any verb of a deed; only a clause with one can tell a deed."""

    deeds: Mapping[str, re.Pattern[str]]
    verbs: re.Pattern[str]
    weak: re.Pattern[str]
    open: re.Pattern[str]
    depends: re.Pattern[str]
    admits: re.Pattern[str]
    things: re.Pattern[str]
    done: re.Pattern[str]
    tests: re.Pattern[str]
    quotes: re.Pattern[str]
    into: re.Pattern[str]
    missing: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Claim:
    """A clause that tells a deed of a kind; "done" is all of it."""

    kind: str
    clause: str
    tongue: LanguagePatterns
    vague: bool = False
    """The verb is one of many senses, and no file stands beside it."""

    @property
    def names(self) -> list[str]:
        return [name for name in PLACE.findall(self.clause) if is_file_name(name)]


@dataclass(frozen=True, slots=True)
class ClaimTable:
    """claims.toml: where sentences and clauses end, and the languages."""

    sentences: re.Pattern[str]
    clauses: re.Pattern[str]
    tongues: tuple[LanguagePatterns, ...]


@cache
def load_table() -> ClaimTable:
    told = tomllib.loads(Path(__file__).with_name("claims.toml").read_text("utf-8"))
    sentences, clauses = (_compile(told.pop(name)) for name in ("sentences", "clauses"))
    return ClaimTable(sentences, clauses, tuple(map(_read_language, told.values())))


def _read_language(row: Mapping[str, str | Mapping[str, str]]) -> LanguagePatterns:
    verbs, forms = row["verbs"], row["claims"]
    assert isinstance(verbs, Mapping) and isinstance(forms, str)
    deeds = {kind: _compile(forms.replace("{verb}", each)) for kind, each in verbs.items()}
    rest = {
        name: _compile(str(text).replace("{place}", DENIED_PLACE))
        for name, text in row.items()
        if name not in ("verbs", "claims")
    }
    rest["weak"], rest["things"] = (_compile(rf"\b(?:{row[name]})\b") for name in ("weak", "things"))
    return LanguagePatterns(deeds, _compile("|".join(verbs.values())), **rest)


def _compile(text: str) -> re.Pattern[str]:
    return lazy_regex(text, re.IGNORECASE)


def is_stated(word: str, request: str) -> bool:
    """Tell whether a sentence of a request that is no question has a word."""
    sentences = load_table().sentences.split(request)
    return any(word in one and not one.rstrip().endswith(QUESTION_MARKS) for one in sentences)


def _find_claims(clauses: Sequence[str], *, works: bool) -> Iterator[Claim]:
    """Find what an answer claims."""
    for words in clauses:
        if not any(tongue.open.search(words) for tongue in load_table().tongues):
            yield from _classify_clause(words, works=works)


def _split_clauses(answer: str) -> Iterator[str]:
    """Give the clauses of an answer without what depends on something; code that it shows claims nothing."""
    for sentence in load_table().sentences.split(FENCED.sub("", answer)):
        depends = [found.start() for each in load_table().tongues if (found := each.depends.search(sentence))]
        for clause in load_table().clauses.split(sentence[: min(depends, default=None)]):
            if words := clause.strip(" *#>-")[:LONGEST]:
                yield words


def _classify_clause(clause: str, *, works: bool) -> Iterator[Claim]:
    for tongue in load_table().tongues:
        if tongue.tests.search(clause):
            yield Claim("tests", clause, tongue)
            return
        for kind, deed in tongue.deeds.items() if tongue.verbs.search(clause) else ():
            if found := deed.search(clause):
                claim = Claim(kind, clause, tongue)
                named = claim.names or tongue.things.search(clause)
                vague = not named and bool(tongue.weak.search(found[0]))
                if works or not vague:
                    yield replace(claim, vague=vague)
                    return
        if tongue.done.search(clause):
            yield Claim("done", clause, tongue)
            return


def find_doubts(answer: str, facts: TurnFacts) -> tuple[str, ...]:
    """Give what speaks against an answer's claims, a reason each; none where all are borne out."""
    found: dict[str, None] = {}
    clauses = tuple(_split_clauses(answer))
    told, admits = list(_find_claims(clauses, works=facts.works)), _admits_failure(answer)
    for claim in told:
        found |= {} if _is_report(claim, facts) else dict.fromkeys(_check_claim(claim, facts))
    last = NOT_RUN if facts.receipt.last_not_run else LAST * facts.receipt.last_failed
    if told and not found and last and not admits:
        found[last] = None
    kinds = {claim.kind for claim in told}
    if "moved" in kinds and "deleted" not in kinds and facts.receipt.lost:
        found[LOST.format(paths=", ".join(facts.receipt.lost))] = None
    if not found and _copies_advice(answer, facts.seen):
        found[COPIED] = None
    if facts.lacking and not found and not admits:
        found[ABSENT.format(path=facts.lacking[0])] = None
    if facts.due and not found and not admits:
        found[facts.due] = None
    if facts.line and not found and not admits and (says := facts.line.find_contradiction(answer)):
        found[says] = None
    if facts.gone and not found and not admits:
        found |= dict.fromkeys(flaw.rstrip(".") for flaw in facts.gone)
    found |= dict.fromkeys(_find_unseen_quotes(answer, facts))
    found |= dict.fromkeys(_find_false_denials(clauses, facts))
    return tuple(found)


def _copies_advice(answer: str, seen: str) -> bool:
    """Tell whether an answer is nothing but words that the model was told of a failure."""
    ours = {_normalize_line(part) for found in OURS.finditer(seen) for part in (found[0], *found.groups())}
    lines = [line for line in map(_normalize_line, answer.splitlines()) if line]
    return bool(lines) and ours.issuperset(lines)


def _normalize_line(line: str | None) -> str:
    return (line or "").strip(" `*.").casefold()


def _is_report(claim: Claim, facts: TurnFacts) -> bool:
    """Tell whether a claim may say what a file says: "the login was fixed", of a list of changes."""
    quoted = claim.clause.rstrip('.!"”').casefold() in facts.seen.casefold()
    reported = facts.reads and claim.kind in REPORTED and (quoted or PASSIVE.search(claim.clause))
    return bool(reported) and (claim.kind != "tests" or "pass" in facts.seen.casefold())


def _check_claim(claim: Claim, facts: TurnFacts) -> Iterator[str]:
    receipt = facts.receipt
    if claim.kind == "tests":
        if receipt.tests and receipt.passed < receipt.tests:
            yield TESTS.format(passed=receipt.passed, count=receipt.tests)
        elif not receipt.ran:
            yield DEED["tests"]
    elif claim.kind != "done" and not _has_happened(claim, facts):
        yield DEED[claim.kind]
    elif lacking := [path for path in _find_claimed_files(claim, receipt) if not facts.exists(path)]:
        yield ABSENT.format(path=lacking[0])
    elif (counted := COUNT.search(claim.clause)) and 0 < (count := _count_files(claim.kind, receipt)) < int(
        counted[1]
    ):
        yield FEWER.format(claimed=counted[1], count=count)


def _has_happened(claim: Claim, facts: TurnFacts) -> bool:
    """Tell whether something of the kind has happened, or nothing speaks against it."""
    receipt = facts.receipt
    # who asks where something is written is told so
    tells = claim.kind == "saved" and claim.names and all(map(facts.exists, claim.names))
    if receipt.elsewhere or (facts.asks and (facts.earlier or tells)):
        return True
    if claim.kind in ("ran", "got") or (claim.vague and claim.kind == "saved"):
        return receipt.ran > 0 or bool(receipt.saved)
    if receipt.files is None:
        return receipt.ran > 0 or bool(receipt.saved)
    actions = {change.action for change in receipt.files}
    if claim.kind == "moved":
        # what has another name may be a function
        inside = "changed" in actions and not claim.tongue.things.search(claim.clause)
        elsewhere = facts.saved and "created" in actions
        return inside or elsewhere or "renamed" in actions or {"created", "deleted"} <= actions
    if claim.kind == "deleted":
        return bool(actions & {"deleted", "changed", "renamed"}) or receipt.folders
    return bool(actions & {"created", "changed", "renamed"}) or bool(receipt.saved) or receipt.folders


def _find_claimed_files(claim: Claim, receipt: Receipt) -> list[str]:
    """Name the files that a claim says are there now; not those that it says have another name since."""
    if claim.kind not in ("saved", "moved", "copied", "got"):
        return []
    former = {change.old.rpartition("/")[2] for change in receipt.files or () if change.old}
    clause = mask_endings(claim.clause)
    into = [found.end() for found in claim.tongue.into.finditer(clause)]
    places = [
        (found.start(), found[1] or found[2] or found[0])
        for found in NAMED_PLACE.finditer(clause)
        if is_file_name(found[0].strip("\"'`").rpartition(" ")[2])
    ]
    if claim.kind in ("moved", "copied"):
        named = (name for start, name in places if any(0 <= start - end <= 5 for end in into))
        return [name for name in named if name.rpartition("/")[2] not in former]
    return [name for _, name in places[:1]]


def _count_files(kind: str, receipt: Receipt) -> int:
    """Count the files to which something of a kind happened; 0 also where that is not known."""
    actions = {"moved": ("renamed",), "deleted": ("deleted",), "copied": ("created", "changed")}.get(kind, ())
    return sum(change.action in actions for change in receipt.files or ())


def _admits_failure(answer: str) -> bool:
    return any(tongue.admits.search(answer) for tongue in load_table().tongues)


def _find_false_denials(clauses: Sequence[str], facts: TurnFacts) -> Iterator[str]:
    """Find files that are said not to be there and are; what this turn has made may have been missing."""
    if not facts.works:
        return
    made = {*facts.receipt.saved, *(change.path for change in facts.receipt.files or ())}
    for clause in filter(DENIED.search, clauses):
        for tongue in load_table().tongues:
            if denied := tongue.missing.search(clause):
                path = next(filter(None, denied.groups())).strip("\"'`").removeprefix("./")
                if path not in made and facts.holds(path):
                    yield PRESENT.format(path=path)


def _find_unseen_quotes(answer: str, facts: TurnFacts) -> Iterator[str]:
    """Find results that are quoted and that nobody has seen."""
    if not facts.works:
        return
    plain = FENCED.sub("", answer)
    for tongue in load_table().tongues:
        for said in tongue.quotes.finditer(plain):
            quoted = QUOTED.match(plain, said.end())
            before = plain[max(0, said.start() - LONGEST) : said.start()]
            sentence = load_table().sentences.split(before)[-1]
            if not quoted or tongue.depends.search(sentence) or PLURAL.match(plain, quoted.end()):
                continue
            text = next(filter(None, quoted.groups()), "")
            if text and text.strip(".,") not in facts.seen and THOUSANDS.sub("", text) not in facts.seen:
                yield UNSEEN.format(text=text)

"""Examples of a task whose output is a list of lines, or whose input is one: "prints 3, 2 and 1, each on its
own line", "for the lines 4, 7 and 8 it prints 6.3".
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator
from contextlib import suppress

from tripletick.languages.registry import Language, is_document
from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import NUMERALS, read_count
from tripletick.tools.new_program import STDIN
from tripletick.tools.output_match import LEFT_OUT
from tripletick.tools.tool import ToolContext

MARKS = "\"'`"
SAYS = (
    r"(?:(?:(?:should|must|will|would|shall|has to|is to|ought to)\s+)?"
    r"(?:prints?|outputs?|shows?|gives?|returns?|says?|displays?|yields?|writes?|answers?|reports?"
    r"|comes? out as|results? in|looks? like)"
    r"|(?:I|you|we)(?:'d|\s+(?:should|would|will|want|expect))?(?:\s+(?:like|love|want|expect))?(?:\s+to)?"
    r"\s+(?:see|get|expect)"
    r"|(?:genau )?(?:diese Zeilen? |dies |das )?ausgeben|doit (?:afficher|donner)|deve (?:stampare|dare)"
    r"|debe (?:imprimir|mostrar|dar)"
    r"|gibt|zeigt|druckt|schreibt|liefert|affiche|imprime|muestra|stampa|mostra|toont|geeft|выводит|печатает)\b"
    r"|=>|->|==|\u2192|\u21d2|\u27a1"
)
_SAID = rf"[\s,]*+(?:then |it )?(?P<verb>{SAYS})"
_VALUE = r"(?:\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`|-?\d+(?:\.\d+)?|[A-Z]\w*[!.?]?)"
_VALUES = rf"{_VALUE}(?:, ?{_VALUE}){{0,20}},? and {_VALUE}|{_VALUE}(?:, ?{_VALUE}){{1,20}}"
_A_LINE_EACH = (
    r",? (?:(?:(?:each|one|all) )?"
    r"(?:(?:on|in) (?:its|their|an?) own lines?|per line|on (?:separate|\w+) lines)"
    r"|(?:je|jede\w*) (?:\w+ )?(?:in|auf) einer (?:eigenen )?zeile|une? (?:\w+ )?par ligne|une ligne par \w+"
    r"|una? (?:\w+ )?por línea|una? (?:\w+ )?per riga)\b"
)
_LISTED = lazy_regex(rf"{_SAID} (?P<values>{_VALUES}){_A_LINE_EACH}")
"""What stands behind a command that prints several lines."""
_QUOTED = r"(?:\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`)"
_ONE_AFTER_ANOTHER = lazy_regex(
    rf"{_SAID} (?P<values>{_QUOTED}(?:,? (?:and )?(?:then|followed by) {_QUOTED}){{1,9}})"
)
_QUOTED_LINES = lazy_regex(
    rf"{_SAID} (?P<values>{_QUOTED}(?:(?:, (?:and )?| and ){_QUOTED}){{1,20}})"
    r"(?=[.;]?\s*$|[.;]\s|, (?:and(?! so on| the (?:rest|others?)\b)|but|while|then)\b|\s*\()"
)
"""Quoted texts without a word on how they stand: each is a line."""
_LINES_OF = lazy_regex(rf"{_SAID} (?:the|these) (?:\w+ )?lines?:? (?P<values>{_VALUES})")
_SUM = r"-?\d[\d x\u00d7*+=./:-]{0,30}?"
_FIRST_TO_LAST = lazy_regex(
    rf"{_SAID} (?:[^.;\n]{{0,60}}?(?=\b\w+ {_SUM}[x\u00d7*+=])"
    r"|(?:(?:the|all|die|alle|les|los|i) )?(?:numbers|integers|lines|Zahlen|nombres|n\u00fameros|numeri) )?"
    rf"\b(?:from|von|de|da|desde) (?P<first>{_SUM})"
    rf" (?:to|bis|jusqu'à|à|hasta|a) (?P<last>{_SUM}){_A_LINE_EACH}(?!,? (?:but|except|aber|mais|pero|ma)\b)"
)
"""What stands there where only the first and the last of them are shown."""
_ENDS_QUOTED = lazy_regex(
    rf"{_SAID} (?:(?:the|these|all|die|les|las|le) )?(?:\w+ )?(?:lines|zeilen|lignes|l\u00edneas|righe),? "
    rf"(?:from |von |de |da )?(?P<first>{_QUOTED}) "
    rf"(?:(?:up )?to|through|until|bis|\u00e0|jusqu'\u00e0|a|hasta|fino a) (?P<last>{_QUOTED})",
    re.IGNORECASE,
)
_PIPED = lazy_regex(
    r"(?i:\b(?:for|given|with|from) (?:the |these )?(?:lines?|numbers?|input|values?|words?)) "
    rf"(?P<values>{_VALUES}|{_VALUE}),? (?:it|this|the program|the script)? ?(?:{SAYS}) "
    r"(?P<right>\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`|-?\d+(?:\.\d+)?)(?=[.,;!)]?(?:\s|$))"
)
_PLAIN = lazy_regex(
    rf"{_SAID} (?P<said>\w[^\n\"'`]{{0,80}}?)(?P<each>{_A_LINE_EACH})?"
    r"(?=\.?\s*$|(?<!\d)[.;] +[A-Z\"]|[,;]? (?:and|or|but|while) (?:python|node|bash|for)\b"
    r"|, (?:on|in|sur|auf|en|su) (?:one|an?|einer|une|una) (?:\w+ )?(?:line|Zeile|ligne|línea|riga)\b"
    r"|,? (?:spelled|not|instead|and nothing (?:else|more))\b| \()"
)
"""A result without quotes, up to the end of its sentence."""
_WORD = lazy_regex(r"[^\W_]+(?:['-][^\W_]+)*")
_COUNT = lazy_regex(rf"\b(?:{'|'.join(NUMERALS)}|\d{{1,2}})\b")
_ASIDE, _DIGIT = lazy_regex(r" ?\([^()]*\)$"), lazy_regex(r"\d")
_SEVERAL = lazy_regex(rf"(?P<many>{_COUNT.pattern}) lines[,:]? (?P<values>.+)")
_NAME = lazy_regex(r"(?=\S*[\d_-])[\w.-]+|[A-Z]{3,}")
"""A word that is made of others: summer-party-2024.jpg, NATO."""
_PREFIX = lazy_regex(r" (?:aus|an|zur\u00fcck)$")
"""The end of a German verb."""
_GREETS = lazy_regex(
    r"(?:Hello|Hi|Hey|Welcome|Dear|Good\w*|Bye|Hallo|Guten|Bonjour|Salut|Hola|Ciao|Buon\w*)\b"
)
_DESCRIBES = lazy_regex(
    r"(?i)\b(?:or|if|in|of|with|the|an?|its|all|each|every|how|what|that|this|one|no|nothing|error\w*)\b"
)
_LAST = lazy_regex(r"the [^,\d]+[,:] (-?\d+(?:\.\d+)?|[A-Z]{3,})")
"""What a value is, and the value."""
SHORT = 4
BECOMES = lazy_regex(r" (?:becomes|turns into|is printed as|wird zu|devient|se convierte en|diventa) ")
_BECOMES = lazy_regex(rf"(?P<before>{_QUOTED}){BECOMES.pattern}(?P<after>{_QUOTED})")
_NAMED = lazy_regex(r"(?<![\w./-])[\w.-]+\.\w{1,5}(?![\w/])")
LARGEST = 1 << 18
_A_FILE = lazy_regex(r"<?(?:(?:IN|OUT|TEXT)?(?:PUT)?_?FILE(?:NAME)?|file(?:name)?)>?")
_PRINTS = lazy_regex(r"(?i)\b(?:prints?|shows?|lists?|outputs?|displays?)\b")
ALWAYS_PRINTS = lazy_regex(
    r"(?i)\b(?:longest|shortest|first|last|number of|how many|most|average|mean|sum|total|largest|smallest)\b"
)
"""What is printed of any text."""
_TEXT = lazy_regex(r"\.(?:txt|md|log)$")


def find_listed_lines(rest: str) -> str:
    """Give the lines that a command prints by what stands behind it, LEFT_OUT where some are not shown; ""
    where that is no list of them.
    """
    patterns = (_LISTED, _LINES_OF, _ONE_AFTER_ANOTHER, _QUOTED_LINES)
    listed = next(filter(None, (pattern.match(rest) for pattern in patterns)), None)
    # capitals alone may be what is told: Name, Age and City
    if listed and re.search(r"[\d\"'`]", listed["values"]):
        return "\n".join(_split_values(listed["values"]))
    ends = _FIRST_TO_LAST.match(rest)
    if quoted := _ENDS_QUOTED.match(rest):
        return f"{quoted['first'][1:-1]}\n{LEFT_OUT}\n{quoted['last'][1:-1]}"
    return f"{ends['first']}\n{LEFT_OUT}\n{ends['last']}" if ends else ""


def find_plain_result(command: str, rest: str) -> str:
    """Give what a command prints where that stands behind it without quotes, by the words that it is given:
    "prints four at tea" for "tea at four", "prints Plum on three lines"; "" where that may be a description.
    """
    found = _PLAIN.match(rest)
    if not found:
        return ""
    said = _PREFIX.sub("", found["said"])
    given = {word.casefold() for word in _WORD.findall(command.partition(" ")[2])}
    words = _WORD.findall(said)
    if not words or (_NAMED.fullmatch(said) and said in command):
        return ""
    several = _SEVERAL.fullmatch(said)
    if several or found["each"]:
        return _read_lines(several["values"] if several else said, several or found, given)
    is_arrow = not found["verb"][0].isalpha()
    is_given = [word.casefold() in given for word in words]
    signs = {sign for sign in said.casefold() if sign.isalnum()}
    is_made = _NAME.fullmatch(said) and signs <= {*command.casefold()}
    greets = _GREETS.match(said) and len(words) <= SHORT and is_given[-1]
    if all(is_given) or is_made or greets:
        return said
    if is_arrow and (len(words) == 1 or _DIGIT.search(said)) and not _DESCRIBES.search(said):
        return said
    number = _LAST.fullmatch(said)
    return number[1] if number else ""


def _read_lines(said: str, found: re.Match[str], given: Collection[str]) -> str:
    """Read the values that stand each on a line of its own, each with a word that is `given`; one that does
    on several stands on each.
    """
    many = found.groupdict().get("many") or found["each"].partition("on ")[2]
    count = _COUNT.search(many)
    often = read_count(count[0]) if count else 0
    values = re.split(r",? and |, ", _ASIDE.sub("", said))
    known = [any(word.casefold() in given for word in _WORD.findall(each)) for each in values]
    is_counted = any(known) and often == len(values) and all(map(_DIGIT.search, values))
    if not all(known) and not is_counted:
        return ""
    if len(values) == 1:
        return "\n".join(values * often) if said.casefold() in given else ""
    return "\n".join(values) if often in (0, len(values)) else ""


def find_changed_line(task: str, command: str, context: ToolContext) -> str:
    """Give the line that a command prints for one of a text which it names, by what the task says: the second
    of "2 eggs" becomes "4 eggs"; "" where it says nothing of that.
    """
    for found in _BECOMES.finditer(task):
        before, after = (each.strip(MARKS) for each in found.group("before", "after"))
        if any(before in map(str.strip, lines) for lines in read_named_texts(command, context)):
            return after
    return ""


def read_named_texts(command: str, context: ToolContext) -> Iterator[list[str]]:
    """Give the lines of each text that a command names."""
    for path in _NAMED.findall(command):
        with suppress(PathRefused, UnicodeError):
            if is_document(path) and context.workspace.get_kind(path) == "file":
                yield context.workspace.read_bytes(path, LARGEST).decode().splitlines()


def find_piped_examples(task: str, path: str, language: Language) -> list[tuple[str, str]]:
    """Find `(command, what it prints)` for the lines that a task gives to the standard input of a program."""
    if not language.starts or not STDIN.search(task) or path not in task:
        return []
    start = f"{language.starts[0]} {shlex.quote(path)}"
    return [
        (
            f"printf '%s\\n' {shlex.join(_split_values(found['values']))} | {start}",
            found["right"].strip(MARKS),
        )
        for found in _PIPED.finditer(task)
    ]


def _split_values(values: str) -> list[str]:
    return [each.strip(MARKS) for each in re.findall(_VALUE, values)]


def fill_in_file(command: str, argument: str, task: str, context: ToolContext) -> str:
    """Give a command that takes a FILE with a text of the folder for that, "" where it takes none, prints
    nothing, or there is none.
    """
    if not _A_FILE.fullmatch(argument) or not _PRINTS.search(task) or not context.workspace.root.is_dir():
        return ""
    texts = sorted(name for name in context.workspace.list_names(".") if _TEXT.search(name))
    filled = next((name for name in texts if context.workspace.get_kind(name) == "file"), "")
    return command.replace(argument, shlex.quote(filled)) if filled else ""

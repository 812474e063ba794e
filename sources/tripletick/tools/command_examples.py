"""Worked examples that are commands: `"python3 add.py 2 3" prints 5`; or `$ python3 add.py 2 3`, below it 5.

They are sought in a request by the name of the program that was saved, whatever its language. An example
whose command has places to be filled in tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tripletick.languages.registry import Language
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools import line_examples
from tripletick.tools.function_examples import LABELED, choose_result, speaks_of_fault
from tripletick.tools.line_examples import SAYS
from tripletick.tools.output_match import LEFT_OUT, shows_whole_lines

LONG, LONGEST = 6, 12
"""Words of a line that may be a remark, if it begins with a small letter, and of any other."""
WORDS = 8
"""The longest command without quotes around it."""
QUOTES = "\"'`"
FORMATS = "JSON|CSV|TSV|HTML|XML|YAML|TOML|SQL|PDF|ASCII|UTF|UNICODE|URLS?|IDS?|STDOUT|STDERR|USAGE"
"""What a program may print that is not that word."""
_UNIT_NAMES = (
    r"(?:h|hrs?|hours?|min|mins|minutes?|s|secs?|seconds?|days?|weeks?|mm|cm|m|km|ft|in|mg|g|kg|lbs?|oz|ml|l|%|\u20ac"
    r"|EUR|USD|\u00b0?[CF]|[kKMG]B|Stunden?|Minuten?|Tage?)"
)
_FOR_EXAMPLE = r"(?:for example|for instance|e\.g\.|zum Beispiel|par exemple|per esempio|por ejemplo)"
_LINK = lazy_regex(
    rf"[\s,]*(?:{_FOR_EXAMPLE},?\s+)?"
    r"(?:(?:and|then|it|that|this|which|the result|the output|und|es|et|y|e)\s+){0,3}"
)
"""What may stand between a command and the verb."""
_ASIDE = lazy_regex(rf",? {_FOR_EXAMPLE}$")
_SHOULD = lazy_regex(r"[\s,]*(?:should|must|will|has to|ought to|=>|->)")
_COMMENTED = lazy_regex(r"(?i)\?\?|\b(?:want|expect|should|must|instead|wrong|right|correct)")
"""What says something of a result, and is no part of it."""
_TRAILING = lazy_regex(r"(?:\s+(?:and|then|it|that|this|which|und|es|et|y|e))+$")
_JOINED = lazy_regex(r"\s(?:and|und|et|y|e)(?:\s+then)?$")
"""Another verb stands before it: counts the words and prints 12."""
_TIME = r"\d{1,3}(?::\d\d?){1,2}"
_RESULT = lazy_regex(
    rf"(?:{SAYS})(?:\s+(?P<label>{LABELED})|\s+(?P<time>{_TIME})(?![\w.:]*\w)"
    r"|(?:(?:[^.;\n\"'`]|\b's\b){0,120}?"
    r"(?:\b(?:here|namely|hier|ici|aqu\u00ed|qui)\b(?:,|(?: it| that)?(?:['\u2019]s| is))?|:))?"
    r"\s*(?:"
    r"\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)'|`(?P<code>[^`]+)`"
    r"|(?P<number>-?\d+(?:\.\d+)?(?: -?\d+(?:\.\d+)?){0,9})"
    r"(?=[.;)]?\s*$|[.;)]\s|,\s+\D|\s+(?:\(|(?:aus|uit|instead|rather|but|when"
    r"|(?:an)?statt|au lieu|en lugar|en vez|invece|in plaats)\b))"
    rf"|(?P<bare>(?!(?:{FORMATS})\b)(?:[A-Z]{{2,}}(?: [A-Z]{{2,}}){{0,4}}!?|[A-Z][\w-]*\d\w*"
    r"|(?:[A-Z]\.){2,9}|[a-z\d]+(?:[-_][a-z\d]+)+"
    rf"|\d+(?:\.\d+)? ?{_UNIT_NAMES}(?: \d+(?:\.\d+)? ?{_UNIT_NAMES}){{0,3}}))"
    r"(?=[.,;)]?\s*$|[.;)]\s|\s+[-\u2013\u2014(]\s?)"
    r"|(?P<truth>yes|no|ja|nein|oui|non|s\u00ed|si|true|false)(?=[.,;)]?\s*$|[.,;)]\s|\s+aus\b)))"
)
OTHERWISE = lazy_regex(r",? (?:or(?! so\b)|oder|ou|if|when(?! it\b)|before|about|depending|falls|wenn)\b")
"""What stands behind a result that is one of several."""
_FILE_WRITTEN = lazy_regex(r"(?:(?:should|must|will) )?writes? [\"'`]?[\w./-]+\.[a-z]\w{0,4}(?!\w)")
_SAYS_BELOW = lazy_regex(
    rf"{_LINK.pattern}(?:{SAYS})"
    r"(?: (?:exactly |just )?(?:this|the following|(?:these|the) (?:\w+ )?lines?))?:?\s*"
)
"""What stands behind a command whose output is below."""
_SO_ON = lazy_regex(r"(?i)(?:and so on|etc|usw|und so weiter)\b")
_ENDS_LINE = lazy_regex(r"(?P<given>[^:;\"'`\n]{0,80})[\"'`]?:\s*")
_PRINTS_FOR = lazy_regex(
    r"(?i)\b(?:prints?|shows?|outputs?|displays?)\b[^;\n]{0,120}?\b(?:for|with) [\"'`]?$"
)
"""What stands before a command whose output is below: "prints the groups, for python3 a.py 3:"."""
_LITERALLY = lazy_regex(
    rf"(?:{SAYS})(?: (?:this|exactly|just))*:\s*"
    r"(?P<shown>(?!(?:the|an?|how|its|each|every|all|one)\b)(?=[^\n]*\d|[A-Z][#\w]?(?: [A-Z]#?)+\.?$)"
    r"[^\n\"'`]{1,100}?)"
    r"(?=\.?\s*$|\.\s+[A-Z])"
)
"""A line that stands behind a colon."""
_PROSE = lazy_regex(r"[A-Z][^.]*(?: [^ .]+){4,}\.$")
_VALUE = lazy_regex(
    r"(?!-?\d+(?:\.\d+)?(?: ?%|,? (?:and|or|und) -?\d| (?:less|more|times|lines?|arguments?|names?)\b))(?:"
    rf"\"([^\"]+)\"|'([^']+)'|`([^`]+)`|({LABELED})|({_TIME})"
    r"|(-?\d+ [a-z]{1,12})(?=[.,;!]|\s*$)"
    r"|(-?\d+(?:\.\d+)?(?: -?\d+(?:\.\d+)?){0,9})(?![\w.]*\d)|(yes|no)(?=[.,;!]|\s*$))"
)
_NO_WORD = (
    r"(?!(?:the|an?|its|it|all|each|how|what|which|whether|only|just|nothing|everything|something|errors?)\b)"
)
_ENDS = r"(?=[.,;!)]?\s*$|[.,;]\s|,? (?:and|but|und|et|y|e|while)\b)"
_ONE_WORD = lazy_regex(
    rf"(?P<given> +[\w.:/-]+)[`\"']?,? (?:{SAYS}) (?P<word>{_NO_WORD}[^\W\d_]{{2,20}}){_ENDS}"
)
_FED = lazy_regex(r"\b(?:printf|echo) (?:'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|[^|'\"\n]{1,80}) ?\| *$")
_FED_RESULT = lazy_regex(
    rf"[`\"']?,? (?:{SAYS}) (?:\"(?P<double>[^\"\n]+)\"|'(?P<single>[^'\n]+)'|`(?P<code>[^`\n]+)`"
    rf"|(?P<number>-?\d+(?:\.\d+)?){_ENDS}|(?P<word>{_NO_WORD}[^\W\d_]{{2,20}}){_ENDS})"
)
_LATE = lazy_regex(
    r"(?P<given>(?: +(?:-?\d[\w.:]*|\"[^\"\n]+\"|'[^'\n]+'))+)[`\"']? [a-z][^.;:()\n]{0,100}"
    r"(?:\([^()\n]{1,60}\)[^.;:()\n]{0,60})?\b(?:prints?|gives?|shows?|outputs?)\b[^.;:()\n]{0,60}: "
    r"(?P<right>-?\d+(?:\.\d+)?|\"[^\"\n]+\")(?=[.;]?\s*$|[.;]\s)"
)
_NUMBER = lazy_regex(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\d)")
_CALLED_IN = lazy_regex(r"\)[`\"']? (?:in|of|from|aus|dans|de|di|en)\s+$")
"""What says of a program where a function is."""
_IS_VALUE = lazy_regex(r"[\"'`].*|.*[\dA-Z].*|yes|no|true|false")
_QUOTED = lazy_regex(r"(?<=\s)(?:\"[^\"\n]*\"|'[^'\n]*')(?=\s)")
_BREAKS = lazy_regex(r"(?<= )(?:crashes|fails|breaks|dies|hangs)\b[.,;!]* ?")
_NOTE = lazy_regex(rf" \([^()\n]{{1,60}}\)(?=,? (?:{SAYS}))")
"""What is said of the arguments behind them."""
_VERB = lazy_regex(rf"(?<!\s)\s+(?={SAYS})")
OPEN = lazy_regex(r"\b[A-Z]{2,}\b|(?:^|\s)[A-Z](?=\s|$)|<[\w ]+>|\.\.\.|…|\[")
"""What stands in a command for what somebody fills in."""
_UNIT = lazy_regex(r"(?P<number>\s-?\d+(?:\.\d+)?) [A-Z](?=\s|$)")
_TEXT = lazy_regex(r"\"[^\"\n]*(?:[A-Z][a-z]|\d)[^\"\n]*\"|'[^'\n]*(?:[A-Z][a-z]|\d)[^'\n]*'")
READS = lazy_regex(
    r"(?i)\bstdin\b|\binput\(|\breadline\b|\bscanf\b|\bcin\b|\bgets\b|Scanner\("
    r"|(?m:^|[;&|({]|\b(?:while|until|if|do|then|else)\b)[ \t]*(?:IFS=\S*[ \t]+)?read[ \t]+-?\w"
)
"""What stands in a program that reads what somebody types; `read` as a command, and not in a comment."""
_WORDS = r"(?:(?:[\s,]+[^\W\d_A-Z][^\W\d_]*,?){0,8}?:?)\s+(?="
"""Words of a sentence between the name of a program and the verb, none of which is an argument."""
_IN_BRACKETS = lazy_regex(
    rf"(?:{SAYS})[^.;()\n\"'`]{{1,80}}\((?:e\.g\. |here )?[\"'`]?(?P<value>-?\d+(?:\.\d+)?)[\"'`]?\)"
)
"""A result that stands behind what it is: prints the sum of both (5)."""
_STATED = lazy_regex(
    rf"(?:{SAYS})\s+(?P<stated>-?\d+ [a-z]{{1,12}}(?=[.,;!]|\s*$)|\"[^\"]*\"|'[^']*'|`[^`]*`|[^\s,;]+)"
)
_GIVEN_FOR = lazy_regex(
    r" (?:for|with|of) (?P<words>-?\d+(?:\.\d+)?(?: -?\d+(?:\.\d+)?){0,9})(?=[.,;]?(?:\s|$))"
)
"""The arguments with which a program prints what was said: prints 7.00 for 7 8 8."""


def find_examples(task: str, path: str, language: Language) -> list[tuple[str, str]]:
    """Find `(command, what it prints)` for the program at `path`, each command once."""
    called = compile_call(path, language)
    lines = task.splitlines()
    found: dict[str, str] = {}
    faulty = speaks_of_fault(task)
    for number, line in enumerate(lines):
        for call in called.finditer(line):
            if line[: call.start()].strip() == "$":
                command, right = line.strip(" \t$"), "\n".join(_take_output(lines[number + 1 :]))
                if faulty:
                    right = choose_result(right, "prints", ("".join(lines[:number][-1:]), ""), str)
            else:
                command, right = _read_example(call, lines[number + 1 :], called if faulty else None)
            if right and command and not is_open(command) and shows_whole_lines(right):
                found.setdefault(command, right)
    if not found and not faulty:
        found = _find_fed(task, called) or _find_alternatives(task, called) or _find_late(task, called)
    for words, right in _find_bare(task, path) if faulty and not found and language.starts else ():
        found.setdefault(f"{language.starts[0]} {path} {words}".rstrip(), right)
    return [*found.items(), *line_examples.find_piped_examples(task, path, language)]


def _read_example(call: re.Match[str], below: list[str], faulty: re.Pattern[str] | None) -> tuple[str, str]:
    """Give the command that begins with a call, and what it prints, by the line that it stands in or those
    `below`. `faulty`: what starts another command, where a task speaks of a fault.
    """
    line = call.string
    command, rest = _split_command(line, call)
    said = _match_result(rest)
    right = _choose_result(said, line[: call.start()], faulty) if said else ""
    right = line_examples.find_listed_lines(rest) or right
    if not right and (not faulty or _SHOULD.match(rest)):
        plain = line_examples.find_plain_result(command, rest)
        right = "" if faulty and _COMMENTED.search(plain) else plain
    ends = _ENDS_LINE.fullmatch(line, call.end()) if _PRINTS_FOR.search(line, 0, call.start()) else None
    if ends:
        command = f"{call[0]}{ends['given']}"
    if (ends or _SAYS_BELOW.fullmatch(rest)) and not faulty:
        right = "\n".join(_take_output(below))
    return command, right


def _find_alternatives(task: str, called: re.Pattern[str]) -> dict[str, str]:
    """Find commands with one argument each that print one word each, which are not all the same: "square.py
    e4 prints white and square.py a1 prints black". Of one alone the word may say what it is.
    """
    found: dict[str, str] = {}
    for call in called.finditer(task):
        if (said := _ONE_WORD.match(task, call.end())) and not is_open(call[0] + said["given"]):
            found.setdefault(call[0] + said["given"], said["word"])
    return found if len({*found.values()}) > 1 else {}


def _find_fed(task: str, called: re.Pattern[str]) -> dict[str, str]:
    """Find commands that another one feeds: "printf 'oak\\nelm\\n' | python3 last.py prints elm". A word that
    is not quoted must be one of those that it is fed.
    """
    found: dict[str, str] = {}
    for call in called.finditer(task):
        fed, said = _FED.search(task[: call.start()]), _FED_RESULT.match(task, call.end())
        words = re.findall(r"[^\W\d_]+", fed[0].replace("\\n", " ")) if fed else []
        if fed and said and (not said["word"] or said["word"] in words):
            found.setdefault(f"{fed[0]}{call[0]}", said[said.lastgroup or 0])
    return found


def _find_late(task: str, called: re.Pattern[str]) -> dict[str, str]:
    """Find commands of which it is said first what they do: "knots.py 10 converts 10 knots to km/h and prints
    the result: 18.5".
    """
    late = ((call[0], _LATE.match(task, call.end())) for call in called.finditer(task))
    return {f"{start}{said['given']}": said["right"].strip(QUOTES) for start, said in late if said}


def is_open(command: str) -> bool:
    """Tell whether a command has something that is to be filled in; beside a number a letter is a unit, and a
    text in quotes with a name or a number in it is one.
    """
    return bool(OPEN.search(_UNIT.sub(r"\g<number>", _TEXT.sub("", command))))


def _match_result(rest: str) -> re.Match[str] | None:
    """Read the result behind a command."""
    link = _LINK.match(rest)
    at = link.end() if link else 0
    result = _RESULT.match(rest, at) or _IN_BRACKETS.match(rest, at) or _LITERALLY.match(rest, at)
    # what becomes something else is read, and one of two results may be the other
    is_other = result and (
        line_examples.BECOMES.match(rest, result.end()) or OTHERWISE.match(rest, result.end())
    )
    return None if is_other or _FILE_WRITTEN.match(rest, at) else result


def _find_bare(task: str, path: str) -> Iterator[tuple[str, str]]:
    """Find what the program at `path` is said to print where it is named alone: "cart.py prints 4 instead of
    5", or with its arguments behind that: "prints 4 for 2 3". Of a program that is not spoken of as wrong
    that may be a part of what it prints.
    """
    for name in re.finditer(rf"(?<![\w./-])(?:\./)?{re.escape(path)}{_WORDS}{SAYS})", task):
        said = None if _CALLED_IN.search(task[: name.start()]) else _STATED.match(task, name.end())
        if said and _IS_VALUE.fullmatch(said["stated"]):
            stated, around = said["stated"].strip("\"'`"), (task[: name.start()], task[said.end() :])
            given = _GIVEN_FOR.match(task, said.end())
            if right := choose_result(stated.rstrip("."), "prints", around, _read_value):
                yield given["words"] if given else "", right


def _choose_result(said: re.Match[str], before: str, others: re.Pattern[str] | None) -> str:
    """Give the result that is right; `others`: what starts another command, where one may be wrong."""
    at = next(at for at, group in enumerate(said.groups(), 1) if group)
    if not others:
        return said[at]
    behind = others.split(said.string[said.end() :], 1)[0]
    right = choose_result(said[at], said.string[: said.start(at)], (before, behind), _read_value)
    is_quoted = said.string.startswith(tuple(QUOTES), said.end(at))
    return _keep_words(said[at], right) if is_quoted else right


def _keep_words(wrong: str, right: str) -> str:
    """Give a right number with the words that a wrong one has around it: "each pays 12.00", 12.50."""
    is_one = _NUMBER.fullmatch(right) and len(_NUMBER.findall(wrong)) == 1
    return _NUMBER.sub(right, wrong) if is_one else right


def _read_value(text: str) -> str:
    """Give the quoted text or the number with which a text begins."""
    value = _VALUE.match(text)
    return next(filter(None, value.groups()), "") if value else ""


def compile_call(path: str, language: Language) -> re.Pattern[str]:
    """Give the pattern for what starts the program at `path`."""
    starts = "|".join([*(rf"{re.escape(start)}\s+" for start in language.starts if start), r"\./"])
    return re.compile(rf"(?<![\w./-])(?:{starts})(?:\./)?{re.escape(path)}(?![\w/-]|\.\w)")


def _split_command(line: str, call: re.Match[str]) -> tuple[str, str]:
    """Give the command around a call and what stands behind it; ("", "") where its end is not clear."""
    before = line[: call.start()]
    start = max(map(before.rfind, QUOTES))
    if start >= 0 and (not before[start + 1 :].strip() or before.rstrip().endswith("|")):
        end = line.find(before[start], call.end())
        return (line[start + 1 : end].strip(), line[end + 1 :]) if end > 0 else ("", "")
    # what stands between quotes is an argument, whatever it says
    line = line[: call.end()] + _BREAKS.sub("", _NOTE.sub("", line[call.end() :], 1))
    masked = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), line)
    verb = _VERB.search(masked, call.end())
    command, plain = (text[call.start() : verb.start()] if verb else "" for text in (line, masked))
    plain = _ASIDE.sub("", plain.rstrip(", \t")).rstrip(", \t")
    is_plain = len(plain.split()) <= WORDS and not re.search(rf"[\"'`,;:!?()]|\.\s|{_JOINED.pattern}", plain)
    command = _TRAILING.sub("", _ASIDE.sub("", command.rstrip(", \t")).rstrip(", \t"))
    return (command, line[verb.end() :]) if verb and is_plain else ("", "")


def _take_output(lines: list[str]) -> Iterator[str]:
    """Give the lines of an output: up to the next command, an empty line, the end of a block, or a remark."""
    taken = list[str]()
    for line in (each.strip() for each in lines):
        if _SO_ON.match(line):
            yield LEFT_OUT
            return
        if not line or line.startswith(("$", "```")) or _PROSE.match(line) or _is_remark(line, taken):
            return
        taken.append(line)
        yield line


def _is_remark(line: str, taken: Sequence[str]) -> bool:
    """Tell whether a line below an output is about the program: in brackets, much longer than those above, or
    in small letters where these are not.
    """
    if not taken:
        return False
    starts, words = "".join(each[0] for each in taken), len(line.split())
    if line[0] == "(":
        return "(" not in starts
    twice = 2 * max(len(each.split()) for each in taken)
    if not line[0].islower():
        return words >= max(LONGEST, twice)
    is_other = len(taken) > 1 and not any(map(str.islower, starts)) and all(map(str.isalnum, starts))
    return is_other or words >= max(LONG, twice)

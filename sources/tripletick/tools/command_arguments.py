"""The arguments with which a task starts a program, and whether the program reads them.

Facts are read from the source alone; what a program does with its arguments is seen when its examples run.
"""

from __future__ import annotations

import re
from collections import Counter

from tripletick.languages.registry import Language
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools import shell_mistakes
from tripletick.tools.command_examples import READS, compile_call, find_examples, is_open
from tripletick.tools.line_examples import SAYS
from tripletick.tools.missing_imports import add_imports
from tripletick.tools.new_program import Misreading
from tripletick.tools.output_match import describe_parts
from tripletick.tools.python_source import replace_number

_ARGUMENT = lazy_regex(
    r"[ ]+(?:\"[^\"\n]+\"|'[^'\n]+'|<[\w -]+>|-?\d[\w.:+-]*(?!\s+times\b)(?<!\dx)|[A-Z]{1,4}(?::[A-Z]{1,4})+"
    r"|(?!(?:then|it|which|that|and|also|always|only|should|must|will|there|just|now|again|twice"
    r"|once|first|still|never|today|here|nothing|you|we|\w{2,20}ly)\b)"
    r"[a-z][\w-]*(?=,? (?:there (?:is|are)|creates?|makes)\b)"
    r"|[A-Z]{2,}(?:_[A-Z]+)*|[B-HJ-Z]|--?[a-z][\w-]*|(?!(?:e\.g|i\.e|and/or)\b)[\w~./-]*[./]\w+)(?![^\s\"'`)\].,;:!?])"
    r"(?!\s+(?:(?:should|must|will) )?(?:have|has|be|is|are|contains?|exists?|appears?)\b)"
    r"(?!\s+(?:minutes?|seconds?|hours?|days?|lines?|files?|folders?|fois|mal|Mal|Zeilen|Zahlen)\b)"
)
"""What is an argument and no word of the sentence."""
WORD = lazy_regex(r" +(?:\"[^\"]*\"|'[^']*'|[^\s\"'`]+)")
"""A word of a command that stands between backquotes."""
_AFTER = lazy_regex(
    rf"\s*(?:$|[.,;:!?)\"'`\n]|{SAYS}|(?:and|or|then|to|which|so|when|it|should|must|will|for|with|und|soll"
    r"|fails?|crash(?:es|ed)?|ends?|stops?|dies|breaks|complains?|raises|does|hangs)\b"
    r"|[a-z]{2,12}s (?:the|an?|its?|all|each|every|lines?|names?|numbers?|this|that|what|how|\d+)\b)"
)
"""What stands behind a command that has ended."""
_PLACE = (
    r"(?:<\w[\w -]*>|[A-Z]{1,4}(?::[A-Z]{1,4})+|(?:IN|OUT)?(?:FILE|PATH|DIR|FOLDER|PUT)(?:NAME)?|NAME|N"
    r"|NUM(?:BER)?|TEXT|WORD|COUNT|URL|DATE|AMOUNT|MONTH|YEAR|LENGTH|SIZE|VALUE|PRICE|CITY|TITLE|X|Y"
    r"|[A-Z]{2,}(?=:)|[A-Z]{2,}(?:_[A-Z]+)+)(?![\w'.])"
)
"""A word of a usage that stands for an argument."""
GIVEN, ALL = "In {command}, {read}{all}.", ", and {every} are all"
MOST_ARGUMENTS = 4
INSTEAD = ", in place of {literal}: {line}"
UNREAD_OTHER = "it never reads {how}, which is {word} in {command}"
WHOLE = "{how} is the whole text {text}; its words are {split}"
QUOTE = '"'
_COUNTED = lazy_regex(r"\blen\(sys\.argv\)|\bprocess\.argv\.length\b|\$#")
_TAKES_ALL = lazy_regex(
    r"argv(?!\w|\[\d\])|argparse|parseArgs|\$[@*]|\$\{[@*]|\bshift\b|\bgetopts\b|\b(?:click|typer|fire|yargs)\b"
)
"""What reads all of the arguments, or some in another way than by their number."""
UNREAD = "{command} gives it an argument, and it reads none: {how} is the first one"
FIXED = "{argument!r} in {command} is only an example, and the program has it written down: {how} reads it"
FIXED_RESULT = (
    "{result!r} is what {command} prints, and the program has it written down: {how} reads what it is made of"
)
UNREAD_LIST = "{command} gives it its arguments, and it reads none: {how} in place of {listed}"
_LISTS = {
    "python": ("sys.argv[1:]", "[{}(each) for each in sys.argv[1:]]"),
    "javascript": ("process.argv.slice(2)", "process.argv.slice(2).map(Number)"),
}
"""How all arguments are read, as texts and as numbers."""
_ON_FILES = lazy_regex(r"[ \t]*(?:mkdir|touch|cd|mv|cp|rm|rmdir|cat|ls|echo|printf)\b[^'#;&|`$]*$")
"""A line of one command that works on files, or writes one."""
_QUOTED = lazy_regex(r"\"[^\"\n]*\"|[^\"\n]+")
_CHOOSES = lazy_regex(r"\b(?:if|case|match|switch|elif)\b|\?|\{")
"""What a program has that prints one of several texts."""
_TRUTH = lazy_regex(r"(?i)yes|no|true|false|ja|nein|oui|non|s[ií]")
_NUMBER = lazy_regex(r"-?\d+(?:\.\d+)?")
_ASKS = lazy_regex(
    r"(?:\.\w{1,4}|\b(?:it|program\w*|script|that|which|and|then|quiz|das|es|qui|que|che))[,;:]? (?:\w+ )??"
    r"(?:asks? (?:for|me|the user|you)(?! nothing)|prompts? (?:for|the user|me)|fragt (?:nach|mich|den)"
    r"|demande (?:une?|le|la)|pregunta|pide|chiede|vraagt)\b",
    re.IGNORECASE,
)
"""What says that somebody is to type something while a program runs."""
_LOOP = lazy_regex(r"(?:for|while)\b")
UNASKED = "it is to ask, and it reads nothing that is typed: {how} asks"


def find_unread_argument(task: str, path: str, source: str, language: Language) -> Misreading | None:
    """Say that a task starts the program at `path` with an argument, and that it reads none, and give the
    program as it should be, "" where that is not clear; None where all is well.
    """
    how, reads, _ = language.argument or ("", "", "")
    given = find_first_argument(task, path, language)
    if not given or not how or re.search(reads, source):
        return None
    command, argument = given
    if listed := _read_all(task, path, source, language):
        return listed
    if language.tag == "bash" and (found := _read_in_shell(command, argument, source)):
        return found
    # what the program has in the argument's place
    name = argument.strip("\"'")
    is_text = not _NUMBER.fullmatch(name) and not name.isalpha()
    is_written = is_text and bool(
        (re.search(r"\.\w", name) and name in source) or re.search(rf"[\"']{re.escape(name)}[\"']", source)
    )
    written = rf"[\"']?{re.escape(name)}[\"']?" if is_written else r"[\"'][\w./-]+\.\w{1,6}[\"']"
    literal = argument if _NUMBER.fullmatch(argument) else written
    shown = shell_mistakes.correct_rows(source) if language.tag == "bash" else source
    place, old, new = _find_reading(shown, literal, how)
    line, right = new.strip(), shown.replace(old, new, 1)
    if language.tag == "python" and place.isdigit() and len(re.findall(rf"(?<![\w.]){place}\b", source)) > 1:
        right = replace_number(source, place, how) or right
        line = next((each.strip() for each in right.splitlines() if how in each), line)
    known = is_written or _LOOP.match(line) or READS.search(source)
    if find_examples(task, path, language) and not known:
        return None  # the example tells, but for a program that knows its argument by heart
    instead = INSTEAD.format(literal=place, line=line) if line else ""
    right = "" if not line else add_imports(right) if language.tag == "python" else right
    return Misreading(UNREAD.format(command=command, how=how) + instead, right)


def _read_in_shell(command: str, argument: str, source: str) -> Misreading | None:
    """Find the argument of a command as the name of a file or folder in a script."""
    name = argument.strip(QUOTE)
    used = rf"(?:\b(?:for|read|local|function)\b.*|^\s*){re.escape(name)}\b|\b{re.escape(name)}="
    if not re.fullmatch(r"\w*[A-Za-z]\w*", name) or re.search(used, source, re.MULTILINE):
        return None
    word = re.compile(rf"(?<=[ \t>]){re.escape(name)}(?=/|\s|$)")
    within = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")

    def read(part: re.Match[str]) -> str:
        return within.sub("$1", part[0]) if part[0].startswith(QUOTE) else word.sub('"$1"', part[0])

    lines = source.split("\n")
    changed = [_QUOTED.sub(read, line) if _ON_FILES.match(line) else line for line in lines]
    line = next((new.strip() for old, new in zip(lines, changed, strict=True) if old != new), "")
    told = UNREAD.format(command=command, how='"$1"') + INSTEAD.format(literal=argument, line=line)
    return Misreading(told, "\n".join(changed)) if line else None


def _read_all(task: str, path: str, source: str, language: Language) -> Misreading | None:
    """Find a list of all the arguments of a task in a program that reads none."""
    given = find_arguments(task, path, language)
    words = [word.strip().strip("\"'") for word in given[1]] if given else []
    form = _LISTS.get(language.tag)
    if not given or not form or len(words) < 2:
        return None
    values = r"\s*,\s*".join(rf"[\"']?{re.escape(word)}[\"']?" for word in words)
    lists = re.findall(rf"\[\s*{values}\s*,?\s*\]", source)
    if len(lists) != 1:
        return None
    kind = "float" if "." in "".join(words) else "int"
    how = form[1].format(kind) if all(map(_NUMBER.fullmatch, words)) else form[0]
    right = source.replace(lists[0], how)
    told = UNREAD_LIST.format(command=given[0] + "".join(given[1]), how=how, listed=lists[0])
    return Misreading(told, add_imports(right) if language.tag == "python" else right)


def _find_reading(source: str, literal: str, how: str) -> tuple[str, str, str]:
    """Give what of a program the argument takes the place of, its line, and how that reads then; "" without
    any.
    """
    for line in source.splitlines():
        found = re.search(rf"(?<![\w.]){literal}(?!\w|\.(?!\.))", line)
        if found and not line.lstrip().startswith(("#", "//")) and not _COUNTED.search(line):
            is_number = how.startswith("sys.") and found[0].isdigit()
            reads = f"int({how})" if is_number else how
            new = f"{line[: found.start()]}{reads}{line[found.end() :]}"
            return found[0], line, shell_mistakes.correct_braces(new) if how.startswith('"$') else new
    return "", "", ""


def find_unread_others(task: str, path: str, source: str, language: Language) -> Misreading | None:
    """Say that a program reads some of the arguments with which a task starts it, and never another, and give
    the program as it should be, "" where that is not clear; None where it reads all, or that is not known.
    """
    given = find_arguments(task, path, language) if language.argument else None
    how = language.argument[0] if language.argument else ""
    before, first, behind = re.split(r"(\d)", how) if how else ("", "0", "")
    words = given[1][:MOST_ARGUMENTS] if given else []
    words = [] if any(word.strip().startswith("-") for word in words) else words
    at = rf"(?:{re.escape(before.strip(QUOTE))}|\$\{{)(\d)"
    read = {int(number) for number in re.findall(at, source)}
    if len(words) < 2 or not read or _TAKES_ALL.search(_COUNTED.sub("", source)):
        return None
    for place, word in enumerate(words, int(first)):
        if place not in read and given:
            other = f"{before}{place}{behind}"
            is_number = re.fullmatch(r"[-\d. ]+", word)
            value = re.escape(word.strip())
            name = rf"(?<!\[){value}(?!\])" if is_number else rf"[\"']{value}[\"']"
            # a number that stands there several times stands for something else, too
            alone = len(re.findall(rf"(?<![\w.]){name}(?![\w.])", source)) == 1
            literal, old, new = _find_reading(source, name, other) if alone else ("", "", "")
            told = UNREAD_OTHER.format(how=other, word=word.strip(), command=given[0] + "".join(words))
            instead = INSTEAD.format(literal=literal, line=new.strip()) if literal else ""
            return Misreading(told + instead, source.replace(old, new, 1) if literal else "")
    return None


def find_whole_text(task: str, path: str, source: str, language: Language) -> Misreading | None:
    """Say that the one argument of a task is a text of several words, where a program takes each of its
    arguments for one, and give the program as it should be; None where all is well.
    """
    given = find_arguments(task, path, language) if language.argument else None
    how, _, every = language.argument or ("", "", "")
    words = [word.strip() for word in given[1]] if given else []
    if len(words) != 1 or not re.fullmatch(r"([\"'])[^\"']+ [^\"']+\1", words[0]) or every not in source:
        return None
    split = f"{how}.split(' ')" if language.tag == "javascript" else f"{how}.split()"
    if language.tag == "bash" or re.search(r"split|join\([\"'] [\"']\)|[\"'] [\"']\.join", source):
        return None
    return Misreading(WHOLE.format(how=how, text=words[0], split=split), source.replace(every, split))


def find_fixed_argument(task: str, path: str, source: str, language: Language) -> str:
    """Say that a program knows the argument of an example by heart, which its output repeats: of "greet.py
    Lena prints Hello Lena" the name; or the output, which is made of its letters; "" where it has none of
    them.
    """
    for command, right in find_examples(task, path, language) if language.argument else ():
        given = command.partition(path)[2]
        written = rf"[\"'`]{re.escape(right)}[\"'`]"
        is_given = _ARGUMENT.match(given) and not re.match(r" *--?[a-z]", given)
        if is_given and not re.search(language.argument[1], source) and not READS.search(source):
            written = rf"\b(?:print|log|echo|printf)\b[( ]+[\"'`]?{re.escape(right)}(?![\w.])"
        elif not _is_made_of(right, given):
            written = r"(?!)"
        if not _CHOOSES.search(source) and re.search(written, source):
            return FIXED_RESULT.format(result=right, command=command, how=language.argument[0])
        for word in re.findall(r"[^\W\d_][\w-]{2,}", given):
            # a key or an item of a table is read by what was given
            # what is compared with it may do something else for that one alone
            alone = "" if right in source else r"(?<![=!]=)(?<![=!]= )(?<!^)"
            written = rf"(?m){alone}[\"'`]{re.escape(word)}[\"'`](?!\s*[:,]|\])"
            if word in right and re.search(written, source):
                return FIXED.format(argument=word, command=command, how=language.argument[0])
    return ""


def _is_made_of(result: str, given: str) -> bool:
    """Tell whether a text of three letters or more has no letter and no digit that its argument has not."""
    signs = Counter(filter(str.isalnum, result.casefold()))
    is_text = sum(map(str.isalpha, result)) > 2 and not _TRUTH.fullmatch(result)
    return is_text and signs <= Counter(given.casefold())


def find_unasked_input(task: str, path: str, source: str, language: Language) -> str:
    """Say that a program takes arguments, and is to ask; "" of one that does, and of a task that shows it
    with arguments.
    """
    asks = language.asks and _ASKS.search(task) and language.takes_arguments(source)
    if not asks or READS.search(source) or find_first_argument(task, path, language):
        return ""
    return UNASKED.format(how=language.asks)


def find_first_argument(task: str, path: str, language: Language) -> tuple[str, str] | None:
    """Give the command by which a task starts the program at `path`, up to its first argument, and that; None
    where it starts it without.
    """
    given = find_arguments(task, path, language)
    return (given[0] + given[1][0], given[1][0].strip()) if given else None


def find_arguments(task: str, path: str, language: Language) -> tuple[str, list[str]] | None:
    """Give the start of the command by which a task starts the program at `path`, and its arguments, each
    with the blanks before it; None where it starts it without.
    """
    for call in compile_call(path, language).finditer(task):
        words = WORD.findall(_get_quoted_rest(task, call)) or _take_arguments(task, call.end(), _ARGUMENT)
        if words:
            return call[0], words
    for command, _ in find_examples(task, path, language):
        start = compile_call(path, language).match(command)
        plain = start and not re.search(r"[|<>&;]", command)
        if start and plain and (words := WORD.findall(command, start.end())):
            return start[0], words
    named = re.search(rf"(?<![\w./-]){re.escape(path)}(?=[ ]+{_PLACE})", task)
    return (named[0], _take_arguments(task, named.end(), re.compile(rf"[ ]+{_PLACE}"))) if named else None


def _take_arguments(task: str, at: int, argument: re.Pattern[str]) -> list[str]:
    words = list[str]()
    while found := argument.match(task, at):
        words.append(found[0])
        at = found.end()
    return words


def _get_quoted_rest(task: str, call: re.Match[str]) -> str:
    """Give what stands behind the name of the program where the whole command stands between backquotes."""
    end = task.find("`", call.end())
    rest = task[call.end() : end] if end > 0 and task[: call.start()].endswith("`") else ""
    return "" if re.search(r"[|<>&;\n]", rest) else rest


def describe_argument(task: str, path: str, language: Language) -> str:
    """Say how the program at `path` reads the arguments with which a task starts it, "" without one."""
    given = find_arguments(task, path, language) if language.argument else None
    if not given:
        return ""
    how, _, every = language.argument
    start, words = given[0], given[1][:MOST_ARGUMENTS]
    before, first, behind = re.split(r"(\d)", how)
    read = [f"{before}{int(first) + at}{behind} is {word.strip()}" for at, word in enumerate(words)]
    others = ALL.format(every=every) if len(words) > 1 else ""
    divided = next(filter(None, (describe_parts(*each) for each in find_examples(task, path, language))), "")
    return GIVEN.format(command=start + "".join(words), read=", ".join(read), all=others + divided)


def find_shown_command(task: str, path: str, language: Language) -> str:
    """Give the first command of a task that starts the program at `path` with arguments, "" without one, or
    where they are to be filled in.
    """
    for call in compile_call(path, language).finditer(task):
        if (rest := _get_quoted_rest(task, call)) and not is_open(rest):
            return f"{call[0]}{rest}"
        end = call.end()
        while (given := _ARGUMENT.match(task, end)) and not is_open(given[0]):
            end = given.end()
        if end > call.end() and not given and _AFTER.match(task, end):
            return task[call.start() : end]
    return ""

"""What a new program does in another way than the words of its task leave open: it asks for what is given as
an argument, prints lines with their ends, keeps the last number where a total is wanted, looks into folders
that are to be left out.

Each is told in one sentence, with the program as it should be where that has one form.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tripletick.languages.registry import Language
from tripletick.tools import command_arguments
from tripletick.tools.command_examples import READS
from tripletick.tools.python_source import parse_program
from tripletick.tools.shell_mistakes import LARGEST


@dataclass(frozen=True, slots=True)
class NewProgram:
    """A program, the task for which it was written, its path, and the language it is in."""

    task: str
    path: str
    source: str
    language: Language


@dataclass(frozen=True, slots=True)
class Misreading:
    """What is told of a program, and the program as it should be; "" where that is not clear."""

    told: str
    source: str = ""


_PROGRAM = re.compile(r"[\w-]+\.(?:py|js|mjs|cjs|ts|sh|bash|rb|go|rs|c|cpp|java)\b")
UNREAD = "the task gives it an argument, and it reads none: {how} is the first one"
ENDS = "Line {line}: {name} ends with its line end, so that {what}. The line below it: {right}"
JOINED_ENDS = "Line {line}: {name} has lines with their ends. It should read: {right}"
OVERWRITTEN = "Line {line} keeps the last number alone, and a total is wanted. It should read: {right}"
TOO_DEEP = "{code} looks into subfolders too, and these are to be left out. It should read: {right}"
PROMPTS = "{code} prints its text in front of the result. It should read: input()"
_OF_PARTS = re.compile(
    r"(?i)\b(?:functions?|methods?|class|modules?|library|import\w*|exports?|funktion|klasse|fonction|función|funzione)"
    r"\b"
)
"""What has arguments beside a program."""
_NO_ARGUMENT = re.compile(
    r"(?i)\b(?:no|without|any|ohne|keine?|sans|sin|senza) (?:\S+ )?(?:argument|parameter)"
)
_GIVEN = re.compile(
    r"(?i)\b(?:as|via|by|through|als|comme|en|como|come|per) (?:(?:an?|the|its|their|one|single|only|first"
    r"|command[- ]?line|un|una|uno|premier|primer|primo|erstes) ){0,3}(?:argument\w*|argomento|parameter)\b"
    r"|\b(?:takes?|gets?|accepts?|with) (?:(?:an?|the|its|one|two|three|command[- ]?line) ){0,2}arguments?"
    r"\b|\bcommand[- ]?line arguments?\b|\barguments?:? (?:is|are|an?|the)\b"
)
_TAKES = re.compile(
    r"(?i)(?:\.\w{1,4}|\bprogram\w*|\bscript)[\"'`:]*,? (?:[\w()]+,? ){0,4}?(?:that |which )?"
    r"takes (?:an?|one|two|three) [a-z]"
)
"""A program takes something, and it is not said how."""
_TYPED = re.compile(
    r"(?i)\bstd-?in\b|\bstandard input\b|\binputs?\b|\basks?\b|\bprompt|\btyp(?:e|ed|es|ing)\b|\benter|\bread"
    r"|\binteractiv|\beingabe|\bfragt|\bdemande|\bpregunta|\bchiede|\bpip(?:e|ed)\b"
)
_STDIN = re.compile(
    r"(?i)\bstd-?in\b|\bstandard input\b|\bstandardeingabe\b|\bentrée standard\b|\bpip(?:e|ed)\b"
)
_ASKS = re.compile(r"(?i)\basks?\b|\bprompt|\binteractiv|\bfragt|\bdemande|\bpregunta|\bchiede|\bgame\b")
_INPUT = re.compile(r"\binput\((?:[rf]?\"[^\"\n]*\"|[rf]?'[^'\n]*')?\)")
_PROMPT = re.compile(r"\binput\((?:[rf]?\"[^\"\n]+\"|[rf]?'[^'\n]+')\)")
_EXPORTS = re.compile(r"(?m)^(?:module\.exports\s*=|export default)\s*\{?\s*(?P<name>\w+)\s*\}?;?[ \t]*$")
_TOTALS = re.compile(
    r"(?i)\b(?:totals?|sums?|summe\w*|gesamt\w*|insgesamt|totaux|somme|sumas?|totales|totali|altogether)\b"
)
_ADDS = re.compile(r"\+=|\bsum\(|\bCounter\b|\.get\(|\bsetdefault\b|\baccumulate\b")
_SHALLOW = re.compile(
    r"(?i)\b(?:no|not|without|excluding|except|ignor\w+|skip\w*|nicht|ohne|keine|sans|pas|sin|senza|zonder)"
    r"(?: (?:in|into|the|its|any|those|count\w*|includ\w*|look\w*|go\w*|files|from|of|die|den|dans|les|las"
    r"|le|en)){0,5} (?:sub-?(?:folder|director)\w*|unterordner\w*|sous-dossiers?|subcarpetas?|sottocartelle)"
    r"|\b(?:sub-?(?:folder|directorie)s|unterordner|sous-dossiers|subcarpetas|sottocartelle) "
    r"(?:should|must|shall|are|do|does|sollen|don.t|aren.t)\b(?: be)?"
    r"(?: ?n.t| not| nicht| left| ignored| skipped| excluded)"
)
_FIND = re.compile(r"\bfind (?P<place>(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s|;&()]+))(?= -(?!maxdepth))")
_LINES = r"(?:sys\.stdin|open\(.*\)|\w*file\w*|f|fh|handle)"
_READ_LINES = re.compile(rf"(?P<name>\w+) = (?P<place>{_LINES})\.readlines\(\)")


_SORTED = re.compile(
    r"(?i)(?<!is )(?<!are )(?<!already )\bsorted (?:by(?: \w+){1,2}|alphabetic\w*|from|in)\b"
    r"|\bin alphabetical order\b|\balphabetically\b|(?<!ist )(?<!sind )\bsortiert nach\b|\balphabetisch\b"
    r"|\bpar ordre alphabétique\b"
    r"|\ben orden alfabético\b|\bin ordine alfabetico\b"
)
_BY_KEY = re.compile(r"(?i)\balphabet|\balfab|\bby (?:the |their )?(?:name|word|letter|key|date|title)s?\b")
_SORTS = re.compile(r"(?i)sort|heapq|\bmin\(|most_common|order by|compare")
_ITEMS = re.compile(r"(?m)^(?P<start>[ \t]*for \w+, \w+ in )(?P<items>\w+\.items\(\))(?=:)")
_PRINTS = re.compile(
    r"(?i)(?:\.\w{1,4}|\bit|\bprogram|\bscript|\band|\bthat|\bwhich)\b[^.;\n]{0,60}? prints? "
)
_WRITES = re.compile(
    r"(?<![\w.])(?:print|echo|printf|puts|cat|write|tee|sed|awk|sort|head|tail|wc|ls|date|bc)\b"
    r"|\bexit\([\"'f]|\b(?:console\.|std::cout|cout\b|println|stdout)|[:.]?print"
)
_ASIDE = re.compile(r"(?im)^.*\b(?:usage|error)\b.*$")
_PRINTED = re.compile(
    r"(?m)^[^\n]*(?P<call>\bprint\(|\becho |\bconsole\.log\()f?(?P<quote>[\"'`])"
    r"(?P<text>[^\"'`\n]{1,200})(?P=quote)[^\n]*$"
)
_FALLS_BACK = re.compile(r"(?i)usage|error|\belse\b|\bor\b|\|\||:-|\bexample|e\.g\.")
"""What stands in a line that has a name on purpose."""
_VALUES = {"bash": '"{}$1{}"', "python": "f'{}{{sys.argv[1]}}{}'", "javascript": "`{}${{process.argv[2]}}{}`"}
OTHER_FORM = "{line} has another form than the task shows. It should begin: {right}"
_FORMS = re.compile(
    r"(?<![\w.])(?:(?:and|then|or|plus) )?(?P<label>[A-Za-z]+(?: [a-z]+)?(?: ?[:=])? )"
    r"(?:N|X|NUMBER|COUNT|AMOUNT)\b(?! ?=)"
)
_LABELS = re.compile(
    r"(?P<start>\bprint\(f?[\"'])(?P<label>[A-Za-z]+(?: [A-Za-z]+)?(?: ?[:=])? ?)(?:\{|(?P<comma>[\"'], ?))"
)
UNSORTED = "the task wants {words}, and nothing in it sorts{how}"
SILENT = "it prints nothing, and the task says that it prints"


def find_misreadings(program: NewProgram) -> tuple[list[str], str]:
    """Give what is told of a program, and the program as it should be, "" where nothing is wrong or that is
    not clear.
    """
    told, known = list[str](), program
    # of several programs each has its own words
    is_alone = len({*_PROGRAM.findall(program.task)}) < 2
    for find in _CHECKS if is_alone and len(program.source) <= LARGEST else ():
        if found := find(known):
            told.append(found.told)
            known = replace(known, source=found.source) if found.source else known
    return told, known.source if known is not program else ""


def _find_unread(program: NewProgram) -> Misreading | None:
    """Find a program that asks for what its task gives it as an argument, or only exports what takes it."""
    how, reads, _ = program.language.argument or ("", "", "")
    task, source = program.task, program.source
    if not how or re.search(reads, source) or _OF_PARTS.search(task) or _NO_ARGUMENT.search(task):
        return None
    asks = bool(READS.search(source))
    exported = _EXPORTS.search(source)
    is_said = _GIVEN.search(task) or (asks and _TAKES.search(task))
    if not is_said or _TYPED.search(task) or not (asks or exported):
        return None
    return Misreading(UNREAD.format(how=how), _read_arguments(source, program.language.tag))


def _read_arguments(source: str, tag: str) -> str:
    """Give a program that takes arguments where it asked or exported, "" where that is not clear."""
    if tag == "python" and not re.search(r"(?m)^\s*while\b|\bsys\.stdin\b", source):
        count = iter(range(1, 10))
        right = _INPUT.sub(lambda _: f"sys.argv[{next(count)}]", source)
        known = re.search(r"(?m)^import sys\b", source)
        return right if known else f"import sys\n\n{right}"
    exported = _EXPORTS.search(source) if tag == "javascript" else None
    made = re.search(rf"\bfunction {exported['name']}\(([^()]*)\)", source) if exported else None
    if not exported or not made:
        return ""
    names = [name for name in made[1].split(",") if name.strip()]
    given = ", ".join(f"process.argv[{at}]" for at, _ in enumerate(names, 2))
    call = f"{exported['name']}({given})"
    last = f"console.log({call});" if re.search(r"\breturn\b", source) else f"{call};"
    return f"{source[: exported.start()]}{last}{source[exported.end() :]}"


def _find_prompt(program: NewProgram) -> Misreading | None:
    """Find a question that is printed where the task has what is read come from elsewhere."""
    found = _PROMPT.search(program.source) if program.language.tag == "python" else None
    if not found or not _STDIN.search(program.task) or _ASKS.search(program.task):
        return None
    return Misreading(PROMPTS.format(code=found[0]), _PROMPT.sub("input()", program.source))


def _find_joined_ends(program: NewProgram) -> Misreading | None:
    """Find lines that are joined by something else than their ends, which they still have."""
    source = program.source
    found = _READ_LINES.search(source) if program.language.tag == "python" else None
    if not found or re.search(r"strip\(|splitlines|\.split\(|\[:-1\]|replace\(", source):
        return None
    if not re.search(rf"([\"'])(?:(?!\1|\\n)[^\n])+\1\.join\([^()\n]*\b{found['name']}\b", source):
        return None
    right = f"{found['name']} = [line.strip() for line in {found['place']}]"
    line = source.count("\n", 0, found.start()) + 1
    told = JOINED_ENDS.format(line=line, name=found["name"], right=right)
    return Misreading(told, source.replace(found[0], right))


def _find_kept_ends(program: NewProgram) -> Misreading | None:
    """Find a loop over lines that prints each with its own end and another, or compares it without."""
    tree = parse_program(program.source) if program.language.tag == "python" else None
    for loop in ast.walk(tree) if tree else ():
        if (
            isinstance(loop, ast.For)
            and (name := _get_line_name(loop))
            and (what := _find_raw_use(loop, name))
        ):
            right = f"{name} = {name}.strip()"
            lines = program.source.splitlines(keepends=True)
            start = lines[loop.body[0].lineno - 1]
            blanks = start[: len(start) - len(start.lstrip())]
            lines.insert(loop.body[0].lineno - 1, f"{blanks}{right}\n")
            inline = loop.body[0].lineno == loop.lineno
            told = ENDS.format(line=loop.lineno, name=name, what=what, right=right)
            return Misreading(told, "" if inline else "".join(lines))
    return None


def _get_line_name(loop: ast.For) -> str:
    """Give the name that a loop over the lines of standard input has for them, "" for any other loop."""
    over, target = loop.iter, loop.target
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "enumerate":
        over = over.args[0] if over.args else over
        target = target.elts[-1] if isinstance(target, ast.Tuple) else target
    is_lines = ast.unparse(over) in ("sys.stdin", "sys.stdin.readlines()", "stdin")
    return target.id if is_lines and isinstance(target, ast.Name) else ""


def _find_raw_use(loop: ast.For, name: str) -> str:
    """Say what goes wrong with a line that still has its end, "" where nothing surely does."""
    for node in ast.walk(loop):
        if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets):
            return ""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            last = node.args[-1] if node.args and not node.keywords else None
            last = last.values[-1] if isinstance(last, ast.JoinedStr) and last.values else last
            last = last.value if isinstance(last, ast.FormattedValue) else last
            if isinstance(last, ast.Name) and last.id == name:
                return "an empty line follows"
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == name:
            other = node.comparators[0]
            text = other.value if isinstance(other, ast.Constant) else None
            if isinstance(node.ops[0], ast.Eq) and isinstance(text, str) and not text.endswith("\n"):
                return f"it never equals {ast.unparse(other)}"
    return ""


def _find_overwritten(program: NewProgram) -> Misreading | None:
    """Find a number that each row puts in the place of the one before, where a task wants their total."""
    tree = parse_program(program.source) if program.language.tag == "python" else None
    if not tree or not _TOTALS.search(program.task) or _ADDS.search(program.source):
        return None
    for node in _list_row_steps(tree):
        target, value = node.targets[0], node.value
        number = isinstance(value, ast.Call) and ast.unparse(value.func) in ("int", "float")
        if not (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and number):
            continue
        name, key = target.value.id, ast.unparse(target.slice)
        wrong = ast.get_source_segment(program.source, node) or ""
        right = f"{name}[{key}] = {name}.get({key}, 0) + {ast.unparse(value)}"
        told = OVERWRITTEN.format(line=node.lineno, right=right)
        return Misreading(told, program.source.replace(wrong, right, 1))
    return None


def _list_row_steps(tree: ast.Module) -> Iterator[ast.Assign]:
    """Give the assignments that each round of a loop does, whatever it finds."""
    for loop in (node for node in ast.walk(tree) if isinstance(node, ast.For)):
        yield from (step for step in loop.body if isinstance(step, ast.Assign))


def _find_depth(program: NewProgram) -> Misreading | None:
    """Find a search in folders that are to be left out."""
    source = program.source
    if not _SHALLOW.search(program.task):
        return None
    if program.language.tag == "bash" and (found := _FIND.search(source)) and "-maxdepth" not in source:
        right = f"find {found['place']} -maxdepth 1"
        told = TOO_DEEP.format(code=found[0], right=right)
        return Misreading(told, f"{source[: found.start()]}{right}{source[found.end() :]}")
    if program.language.tag == "python" and (found := re.search(r"\.rglob\(", source)):
        return Misreading(
            TOO_DEEP.format(code=".rglob()", right=".glob()"), source.replace(".rglob(", ".glob(")
        )
    if program.language.tag == "python" and re.search(r"\bos\.walk\(", source) and "break" not in source:
        return Misreading(TOO_DEEP.format(code="os.walk(folder)", right="os.listdir(folder)"))
    return None


def _find_written_name(program: NewProgram) -> Misreading | None:
    """Find the file of an example in what is printed by a program that reads its argument."""
    given = command_arguments.find_first_argument(program.task, program.path, program.language)
    how, reads, _ = program.language.argument or ("", "", "")
    name, form = given[1].strip("\"'") if given else "", _VALUES.get(program.language.tag)
    if (
        not given
        or not form
        or not re.fullmatch(r"[\w-]+\.\w{1,5}", name)
        or not re.search(reads, program.source)
    ):
        return None
    for found in _PRINTED.finditer(program.source):
        before, named, behind = found["text"].partition(name)
        if not named or _FALLS_BACK.search(found[0]) or re.search(r"[{}$\\]", found["text"]):
            continue
        right = f"{found['call']}{form.format(before, behind)}"
        told = command_arguments.FIXED.format(argument=name, command=given[0], how=how)
        start, end = found.start("call"), found.end("text") + 1
        source = f"{program.source[:start]}{right}{program.source[end:]}"
        return Misreading(f"{told}: {right}", source)
    return None


def _find_other_form(program: NewProgram) -> Misreading | None:
    """Find a number that is printed behind a word in another form than its task shows: `Total: 5`, where that
    says "total N".
    """
    shown = {_strip_label(found["label"]): found["label"] for found in _FORMS.finditer(program.task)}
    told, source = list[str](), program.source
    for found in _LABELS.finditer(program.source):
        label = shown.get(_strip_label(found["label"]), found["label"])
        if label.strip() != found["label"].strip():
            right = f"{found['start']}{label.rstrip() if found['comma'] else label}{found['comma'] or '{'}"
            told = told or [f"{found[0].strip()}…", f"{right.strip()}…"]
            source = source.replace(found[0], right)
    return Misreading(OTHER_FORM.format(line=told[0], right=told[1]), source) if told else None


def _strip_label(label: str) -> str:
    return re.sub(r"\W", "", label).casefold()


def _find_unsorted(program: NewProgram) -> Misreading | None:
    """Find output in the order of the input where a task wants another."""
    wanted = _SORTED.search(program.task)
    if not wanted or _SORTS.search(program.source):
        return None
    loops = _ITEMS.findall(program.source) if program.language.tag == "python" else []
    if len(loops) != 1 or not _BY_KEY.search(program.task):
        return Misreading(UNSORTED.format(words=wanted[0], how=""))
    start, items = loops[0]
    right = f"{start.lstrip()}sorted({items}):"
    told = UNSORTED.format(words=wanted[0], how=f". It should read: {right}")
    return Misreading(told, _ITEMS.sub(r"\g<start>sorted(\g<items>)", program.source))


def _find_silence(program: NewProgram) -> Misreading | None:
    """Find a program that prints nothing but how it is used."""
    known = program.language.tag in ("python", "javascript", "bash")
    if not known or not _PRINTS.search(program.task) or _OF_PARTS.search(program.task):
        return None
    return None if _WRITES.search(_ASIDE.sub("", program.source)) else Misreading(SILENT)


_CHECKS: tuple[Callable[[NewProgram], Misreading | None], ...] = (
    _find_unread,
    _find_prompt,
    _find_joined_ends,
    _find_kept_ends,
    _find_overwritten,
    _find_depth,
    _find_written_name,
    _find_other_form,
    _find_unsorted,
    _find_silence,
)

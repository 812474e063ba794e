"""What goes along with a request beside its files: how a task of a list reads that is done, and for a program
that is to be repaired the files that it reads, and numbers that it orders as texts.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from tripletick.languages.registry import is_program_path
from tripletick.messages import Call
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import SEPARATED
from tripletick.tools.python_source import list_definitions, parse_program
from tripletick.tools.syntax_check import PARSERS, find_data_problem
from tripletick.turn.content_checks import KEEP_FIRST

MOST, DEFINED = 2, 12
"""Files that are shown, and names that a module defines."""
LITERAL = lazy_regex(r"[\"']((?:\./)?[\w][\w ./-]*\.\w{1,6})[\"']")
TEXTS = "In {path}, {name} is a text where it is put in order: '9' comes after '10'. int({name}) is a number."
MAKES = lazy_regex(r"(?m)^[ \t]*(?P<verb>mkdir(?: -p)?|touch)\s+[\"']?(?:(?P<folder>[\w.-]+)/)?")
LOOP = "For each line of {path}, without writing it out: {how}"
NOT_IMPORTED = lazy_regex(r"cannot import name '(\w+)' from '([\w.]+)'")
LACKING_MODULE = lazy_regex(r"(?m)(?<=^ImportError: cannot import name )('\w+' from '[\w.]+') \([^\n]*\)$")
DEFINES = "{path} has no {name}: it has {names}."
UNPRINTED = "{value} is worked out and not printed. End the program with print({value})."
UNCALLED = "{name} is not called. End the program with print({name}({words})), with what it is to work on."
LONGEST_VALUE = 80
PRINTS = frozenset(
    {"print", "pprint", "write", "writelines", "write_text", "writerow", "writerows", "dump", "exit"}
)
GIVEN = lazy_regex(r"(?m)^[ \t]*(?P<name>\w+)[ \t]*=[ \t]*[^\n#]*\b(?:sys\.argv\[1\]|input\()[^\n]*$")
FOLDER = lazy_regex(r"(?i)folder|dir|path")
INSTEAD = "Instead of {line} write {name} = {value}, and leave out what checks the arguments."
EXTREMES = (
    "Of the numbers in {path} the largest is {most}, in “{last}”, and the smallest {least}, in “{first}”."
)
_SUPERLATIVE = lazy_regex(
    r"(?i)\b(?:(?:old|young|long|short|bigg|small|larg|great|high|low|tall|heavi|light|cheap|fast|slow|quick|deep"
    r"|hott|warm|cold|cool|near|farth|furth|clos|earli|wid|thick|thin|strong|weak|rich|poor|busi|worst|b)est"
    r"|most|least|fewest|maximum|minimum|(?:größ|klein|höch|niedrig|tief|ält|jüng|läng|kürz|teuer|billig|schwer"
    r"|leicht|schnell|langsam|meist|wenig|be|fern|näch)\w{0,6}ten?|(?:le|la|les) (?:plus|moins)|m[áa]s|menos"
    r"|mayor|menor|più|meno|maggiore|minore)\b"
)
_NUMBER = lazy_regex(r"(?<![\w.,/:-])\d{1,12}(?:\.\d{1,6})?(?![\w/:-]|[.,]\d)")
OPEN_TASK = lazy_regex(r"(?m)^[ \t]*[-*+] \[ \] (.+?)[ \t]*$")
TICKED = "“- [ ] {task}” becomes “- [x] {task}” when it is done."
_Y, _D = "(?:YYYY|JJJJ|AAAA|GGGG)", "(?:DD|TT|JJ|GG)"
DATES: tuple[tuple[str, str, str], ...] = (
    (rf"{_Y}-MM-{_D}|\biso\b(?:[- ]?8601)?|\b\d{{4}}-\d\d-\d\d\b", "YYYY-MM-DD", r"\b\d{4}-\d\d-\d\d\b"),
    (rf"{_Y}/MM/{_D}|\b\d{{4}}/\d\d/\d\d\b", "YYYY/MM/DD", r"\b\d{4}/\d\d/\d\d\b"),
    (rf"{_D}\.MM\.{_Y}|\b\d\d?\.\d\d?\.\d{{4}}\b", "DD.MM.YYYY", r"\b\d\d?\.\d\d?\.\d{4}\b"),
    (rf"MM/{_D}/{_Y}", "MM/DD/YYYY", r"\b\d\d?/\d\d?/\d{4}\b"),
    (rf"{_D}/MM/{_Y}|\b\d\d?/\d\d?/\d{{4}}\b", "DD/MM/YYYY", r"\b\d\d?/\d\d?/\d{4}\b"),
    (rf"{_D}-MM-{_Y}|\b\d\d?-\d\d?-\d{{4}}\b", "DD-MM-YYYY", r"\b\d\d?-\d\d?-\d{4}\b"),
)
"""How a request speaks of dates of a form, the form, and what is one."""
ORDERS = frozenset({"sort", "sorted", "min", "max"})
KEEPS_ORDER = lazy_regex(
    r"(?i)\b(?:keep\w*|preserv\w*|same|original|retain\w*|leav\w*|not chang\w*)\b[^.;\n]{0,30}\border\b"
    r"|\border\b[^.;\n]{0,20}\b(?:stay\w*|remain\w*|kept|(?:the|as it) (?:same|is|was))\b"
    r"|\breihenfolge\b|\bl.ordre\b|\bel orden\b|\bl.ordine\b|\bvolgorde\b"
)
"""What says that lines stay in the order that they have."""
FILTERS = frozenset({"tac", "uniq", "rev", "shuf"})
"""Commands that print a text in another form, and are not meant for looking at it."""
_SORTED_BY = lazy_regex(r"-[rnufVhMdb]+|-[kt]\S+")
_EDITS = lazy_regex(r"s([/|#,@]).*\1.*\1[gI\d]*|/.*/d|\d+d|\$d")
_JOINED = lazy_regex(r"[\n;<>&`~]|\|(?!.*[\"'])|(?<=\s)#|\$\(")
_REDIRECTS = lazy_regex(
    r"[^<>&\d]>>?\s*[\"'\w./$]|\btee\b|\bopen\([^)\n]*,\s*(?:mode=)?[\"'][wax]|write_text"
)
_LOOKS = lazy_regex(
    r"(?:cd \S+ (?:&&|;) ?)?(?:cat|ls|head|tail|less|more|file|stat|wc|tree|pwd|du|echo)\b(?!.*\|)"
)
"""Commands that show what is there."""
_TEXTS = frozenset({"txt", "md", "log"})


def show_ticked(shown: str, request: str) -> str:
    """Say how the open task that a request speaks of reads when it is done; "" of none or several."""
    asked = request.casefold()
    tasks = [task for task in OPEN_TASK.findall(shown) if task.casefold() in asked]
    return TICKED.format(task=tasks[0]) if len(tasks) == 1 else ""


def describe_loop(path: str, text: str, reply: str) -> str:
    """Give the loop over the lines of a text that stands for making something of each; "" where a reply does
    not make things of several that it has by hand.
    """
    makes = MAKES.search(reply)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not makes or sum(line in reply for line in lines) < 2:
        return ""
    folder = f"{makes['folder']}/" if makes["folder"] else ""
    how = f'while IFS= read -r line; do {makes["verb"]} "{folder}$line"; done < {shlex.quote(path)}'
    return LOOP.format(path=path, how=how)


def save_in_place(script: str, path: str, request: str = "") -> str:
    """Give a command that only prints a changed text (`sort a.txt`) as one that changes the text itself; ""
    for any other. Lines that are to keep their order are not sorted to find those that are there twice.
    """
    with suppress(ValueError):
        words = [] if _JOINED.search(script.strip()) else shlex.split(script)
        program, *options, last = words if len(words) > 1 else ("", "")
        if last != path or path.startswith("-"):
            return ""
        if program == "sort" and all(map(_SORTED_BY.fullmatch, options)):
            if any("u" in each for each in options) and KEEPS_ORDER.search(request):
                return KEEP_FIRST.format(key="$0", path=shlex.quote(path))
            return shlex.join(["sort", *options, "-o", path, path])
        if program == "sed" and len(options) == 1 and _EDITS.fullmatch(options[0]):
            return f"sed -i {script.strip().removeprefix('sed').strip()}"
        if program in FILTERS and not options:
            new = shlex.quote(f"{path}.new")
            return f"{script.strip()} > {new} && mv {new} {shlex.quote(path)}"
    return ""


def save_output(call: Call, printed: str, path: str, into: str = "") -> str:
    """Give a command that saves what a block has only printed as the file that a request wants; "" where that
    is no file of its kind, or the block only looked at something. `into`: where it is saved, if not there.
    """
    script, target = call.body.strip(), shlex.quote(into or path)
    if call.path or not printed.strip() or _REDIRECTS.search(script) or not _may_hold(path, printed):
        return ""
    if call.tool == "python":
        return f"python3 - > {target} <<'END'\n{script}\nEND"
    if call.tool != "bash" or _LOOKS.match(script):
        return ""
    return f"(\n{script}\n) > {target}" if "\n" in script else f"{script} > {target}"


def save_changed(call: Call, printed: str, path: str, before: str) -> str:
    """Give a command that saves what a block has only printed as the file that was to be changed; "" where
    what it printed is not that file with a change: JSON with the same keys, a table with the same header, a
    text most of whose lines are the same.
    """
    new = f"{path}.new"
    saved = save_output(call, printed, path, new) if _is_version(path, printed, before) else ""
    then = "\n" if call.tool == "python" else " && "
    return f"{saved}{then}{shlex.join(['mv', new, path])}" if saved else ""


def _is_version(path: str, text: str, before: str) -> bool:
    """Tell whether a text is a file's former one with a change in it."""
    lines, there = ([line for line in each.splitlines() if line.strip()] for each in (before, text))
    if path.lower().endswith(".json"):
        with suppress(ValueError, RecursionError):
            old, new = json.loads(before), json.loads(text)
            return type(old) is type(new) and (not isinstance(old, dict) or not old.keys() - new.keys())
        return False
    if path.lower().endswith(SEPARATED):
        return lines[:1] == there[:1]
    return 2 * sum((Counter(lines) & Counter(there)).values()) > max(len(lines), len(there))


def _may_hold(path: str, text: str) -> bool:
    """Tell whether a text is what a file of this name may hold."""
    ending = path.rpartition(".")[2].lower()
    if ending == "json":
        return find_data_problem(PARSERS["json"], text) is None
    rows = [line.count("\t" if ending == "tsv" else ",") for line in text.strip().splitlines()]
    return ending in _TEXTS or (ending in ("csv", "tsv") and len(rows) > 1 and 0 < rows[0] == min(rows))


def describe_unprinted(code: str) -> str:
    """Say what a Python program works out last, or defines last, and does not print; "" of one that prints or
    writes.
    """
    tree = parse_program(code)
    parts = [*ast.walk(tree)] if tree else []
    calls = [part.func for part in parts if isinstance(part, ast.Call)]
    called = {call.id if isinstance(call, ast.Name) else getattr(call, "attr", "") for call in calls}
    if not tree or not tree.body or called & PRINTS:
        return ""
    last = tree.body[-1]
    if isinstance(last, ast.FunctionDef):
        words = ", ".join(each.arg for each in last.args.args)
        return UNCALLED.format(name=last.name, words=words)
    names = [part for part in ast.walk(last) if isinstance(part, ast.Name)]
    stored = [name.id for name in names if isinstance(name.ctx, ast.Store)]
    value = ast.unparse(last.value) if isinstance(last, ast.Expr) else "".join(stored[-1:])
    return UNPRINTED.format(value=value) if 0 < len(value) < LONGEST_VALUE else ""


def describe_given(source: str, files: Sequence[str]) -> str:
    """Say what a Python program has to have in the place of an argument or of input of which a request says
    nothing: the one of the `files` that it names, or this folder; "" where that is not known.
    """
    found = GIVEN.search(source)
    value = repr(files[0]) if len(files) == 1 else repr(".") if found and FOLDER.search(found[0]) else ""
    if not found or not value:
        return ""
    return INSTEAD.format(line=found[0].strip(), name=found["name"], value=value)


def describe_module(path: str, source: str, name: str) -> str:
    """Say what the top of a module defines, where that has not a name; "" of one that defines nothing."""
    names = [part.name for part in list_definitions(parse_program(source))]
    return DEFINES.format(path=path, name=name, names=", ".join(names[:DEFINED])) if names else ""


def describe_dates(forms: Mapping[str, str], text: str) -> str:
    """Say how a date of a text gets the other of two `forms`, where that has its parts in reverse; "" of a
    text without such dates.
    """
    found = find_date_forms(forms, text)
    if not found or {found[0][:1], found[1][:1]} != {"Y", "D"}:
        return ""
    old, new = found
    before, after = (re.sub(r"\w", "", form)[0] for form in (old, new))
    example = next(iter(re.findall(rf"\b\d+{re.escape(before)}\d+{re.escape(before)}\d+\b", text)), "")
    parts = list(reversed(example.split(before)))
    piece = "part.zfill(2) for part in " if any(len(part) < 2 for part in parts) else ""
    turned = after.join(part.zfill(2) for part in parts)
    code = f"{after!r}.join({piece}reversed({example!r}.split({before!r})))"
    return f"{code} is {turned!r}." if example else ""


def iter_data_clues(paths: Sequence[str], read: Callable[[str], str], request: str) -> Iterator[str]:
    """Say of the files that a request names how dates get another form, and which lines have the largest and
    the smallest number; none is read for a request that wants nothing of that.
    """
    forms = list_date_forms(request)
    wants = len(forms) > 1 or _SUPERLATIVE.search(request)
    for path, text in ((path, read(path)) for path in paths) if wants else ():
        yield describe_dates(forms, text) if len(forms) > 1 else ""
        yield describe_extremes(path, text, request) if not path.lower().endswith(SEPARATED) else ""


def describe_extremes(path: str, text: str, request: str) -> str:
    """Say which lines of a list have the largest and the smallest number, where a request has a superlative;
    "" where not each line has one number, or several have those.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    numbers = [_NUMBER.findall(line) for line in lines]
    if len(lines) < 3 or {len(each) for each in numbers} != {1} or not _SUPERLATIVE.search(request):
        return ""
    by_value = sorted(zip((each for [each] in numbers), lines, strict=True), key=lambda pair: float(pair[0]))
    if float(by_value[0][0]) == float(by_value[1][0]) or float(by_value[-1][0]) == float(by_value[-2][0]):
        return ""
    (least, first), (most, last) = by_value[0], by_value[-1]
    return EXTREMES.format(path=path, most=most, last=last, least=least, first=first)


def list_date_forms(request: str) -> dict[str, str]:
    """Give the forms of dates of which a request speaks, as YYYY-MM-DD, each with the pattern of one."""
    return {form: pattern for said, form, pattern in DATES if re.search(said, request, re.IGNORECASE)}


def find_date_forms(forms: Mapping[str, str], text: str) -> tuple[str, str] | None:
    """Give the form that dates of a text have and the other one; None where it is not one and one."""
    old = [form for form, pattern in forms.items() if re.search(pattern, text)]
    new = [form for form in forms if form not in old]
    return (old[0], new[0]) if len(old) == len(new) == 1 else None


def find_inputs(source: str) -> list[str]:
    """Give the files that a program names and that are no programs, the first ones."""
    found = dict.fromkeys(name.removeprefix("./") for name in LITERAL.findall(source))
    return [name for name in found if not is_program_path(name)][:MOST]


def describe_ordered_texts(path: str, source: str, data: str) -> str:
    """Say that a Python program orders pieces of its lines as texts, where the data have numbers of several
    lengths; "" where it does not.
    """
    lengths = {len(number) for number in re.findall(r"(?<![\w.])\d+(?![\w.])", data)}
    if not path.endswith(".py") or len(lengths) < 2:
        return ""
    tree = parse_program(source)
    name = next(_find_ordered_pieces(tree), "") if tree else ""
    return TEXTS.format(path=path, name=name) if name else ""


def _find_ordered_pieces(tree: ast.AST) -> Iterator[str]:
    """Give the names of pieces of a `split()` that come first in what is put in order, and are no numbers."""
    nodes = list(ast.walk(tree))
    pieces = {name for node in nodes if isinstance(node, ast.Assign) for name in _list_pieces(node)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    named = [
        call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        for call in calls
    ]
    if not ORDERS.intersection(named):
        return
    for call, name in zip(calls, named, strict=True):
        for value in call.args if name in ("append", "add", "insert") else ():
            first = value.elts[0] if isinstance(value, ast.Tuple | ast.List) and value.elts else value
            if isinstance(first, ast.Name) and first.id in pieces:
                yield first.id


def _list_pieces(node: ast.Assign) -> Iterator[str]:
    """Give the names that get the pieces of a text as they are."""
    value = node.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "split":
        for target in node.targets:
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))

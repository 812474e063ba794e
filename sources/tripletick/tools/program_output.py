"""What a new program prints in another way than the words of its task leave open: unsorted, without a total,
in another form, the name of an example, or nothing.
"""

from __future__ import annotations

import ast
import re

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools import command_arguments
from tripletick.tools.new_program import OF_PARTS, Misreading, NewProgram
from tripletick.tools.python_source import parse_program
from tripletick.tools.sample_lines import EITHER

OVERWRITTEN = "Line {line} keeps the last number alone, and a total is wanted. It should read: {right}"
_LATEST = lazy_regex(r"(?i)\b(?:last|latest|newest|most recent|letzte\w*|neueste\w*|derni\w+|[uú]ltim\w+)\b")
_TOTALS = lazy_regex(
    r"(?i)\b(?:totals?|sums?|summe\w*|gesamt\w*|insgesamt|totaux|somme|sumas?|totales|totali|altogether)\b"
)
_ADDS = lazy_regex(
    r"\+=|\b(\w+) ?= ?\1 ?\+|\breduce\(|sum\(|\bCounter\b|\.get\(|\bsetdefault\b|\baccumulate\b"
)
_SORTED = lazy_regex(
    r"(?i)(?<!is )(?<!are )(?<!already )(?<!both )(?<!not )(?<!n.t be )"
    r"\bsorted (?:by(?: \w+){1,2}|alphabetic\w*|from|in)\b"
    r"|(?<!is )(?<!are )(?<!already )(?<!not )\b(?:in alphabetical order|alphabetically)\b"
    r"|(?<!ist )(?<!sind )\bsortiert nach\b|\balphabetisch\b|\bpar ordre alphabétique\b"
    r"|\ben orden alfabético\b|\bin ordine alfabetico\b"
)
_BY_KEY = lazy_regex(r"(?i)\balphabet|\balfab|\bby (?:the |their )?(?:name|word|letter|key|date|title)s?\b")
_SORTS = lazy_regex(
    r"(?i)sort|bisect|ascii_(?:lower|upper)case|a\.\.z|\bchr\(|heapq|\bmin\(|most_common|order by|compare"
)
_ITEMS = lazy_regex(r"(?m)^(?P<start>[ \t]*for \w+, \w+ in )(?P<items>\w+\.items\(\))(?=:)")
_PRINTS = lazy_regex(
    r"(?i)(?:\.\w{1,4}|\bit|\bprogram|\bscript|\band|\bthat|\bwhich)\b[^.;\n]{0,60}?"
    r"(?<!never)(?<!not) prints? (?!nothing\b|anything\b|no\b|it (?:in)?to\b)"
)
_WRITES = lazy_regex(
    r"(?<![\w.])(?:print|echo|printf|puts|cat|write|tee|sed|awk|sort|head|tail|wc|ls|date|bc)\b"
    r"|\b(?:tkinter|turtle|pygame|argparse|writeSync|prmonth|prcal|pryear|system|subprocess|logging|execSync|spawnSync)\b|\bexit\([\"'f]|\b(?:console\.|std::cout|cout\b|println|stdout)|[:.]?print"
)
_ASIDE = lazy_regex(r"(?im)^.*[\"'`](?:usage|error)\b:.*$")
_PRINTED = lazy_regex(
    r"(?m)^[^\n]*(?P<call>\bprint\(|\becho |\bconsole\.log\()f?(?P<quote>[\"'`])"
    r"(?P<text>[^\"'`\n]{1,200})(?P=quote)[^\n]*$"
)
_FALLS_BACK = lazy_regex(r"(?i)usage|error|\belse\b|\bor\b|\|\||:-|\bexample|e\.g\.")
"""What stands in a line that has a name on purpose."""
_VALUES = {"bash": '"{}$1{}"', "python": "f'{}{{sys.argv[1]}}{}'", "javascript": "`{}${{process.argv[2]}}{}`"}
OTHER_FORM = "{line} has another form than the task shows. It should begin: {right}"
_FORMS = lazy_regex(
    r"(?<![\w.])(?:(?:and|then|or|plus) )?(?P<label>"
    r"(?!(?:first|last|the|takes|next|every|of|than|print|prints|with)\b)[A-Za-z]+"
    r"(?: (?!first|last|the)[a-z]+)?(?: ?[:=])? )(?:N|X|NUMBER|COUNT|AMOUNT)\b"
    r"(?! ?=| (?!(?:and|then|or|on|in|where|with|if|for)\b)[a-z])"
)
_LABELS = lazy_regex(
    r"(?P<start>\bprint\(f?[\"'])(?P<label>[A-Za-z]+(?: [A-Za-z]+)?(?: ?[:=])? ?)(?:\{|(?P<comma>[\"'], ?))"
)
UNWORDED = "it prints whether it is so, and the task wants {words}. It should read: {right}"
_TRUTH = lazy_regex(r"\breturn (?:True|False|true|false)\b")
_CALLS = lazy_regex(
    r"(?P<call>\bprint\(|\bconsole\.log\()(?P<value>[^\n]{1,200})\)(?=;?[ \t]*$)", re.MULTILINE
)
_CHOICES = {"python": "'{1}' if {0} else '{2}'", "javascript": "{0} ? '{1}' : '{2}'"}
BY_HEART = "{sample!r} is only an example, and the program prints it whatever it is given"
COMPUTED = "Compute the result above it, and print {place} with that"
_SHOWN = lazy_regex(r"(?:\blike|\bas|\bsuch as|e\.g\.|\bfor example)[ :]+[\"'`]([^\"'`\n]{3,80})[\"'`]")
_PRINTS_TEXT = r"(?P<call>\bprint\(|\bconsole\.log\()f?([\"'`])%s\2\)"
_NUMBER, _LETTER = lazy_regex(r"\d+(?:\.\d+)?"), lazy_regex(r"[^\W\d]")
_LAST_SET = lazy_regex(r"(?P<name>\w+) = [^\n]*\n[ \t]*\Z")
DOUBLED_SIGN = "{code} puts a sign before each number, and the one of {sample} is the number's own: {right}"
_SIGNED = lazy_regex(r"(?P<words>\b[^\W\d]{2,20}:? )-(?P<place>\$?\{)")
UNSORTED = "the task wants {words}, and nothing in it sorts{how}"
SILENT = "it prints nothing, and the task says that it prints"


def _find_overwritten(program: NewProgram) -> Misreading | None:
    """Find a number that each row puts in the place of the one before, where a task wants their total."""
    tree = parse_program(program.source) if program.language.tag == "python" else None
    is_wanted = _TOTALS.search(program.task) and not _LATEST.search(program.task)
    if not tree or not is_wanted or _ADDS.search(program.source):
        return None
    loops = (node for node in ast.walk(tree) if isinstance(node, ast.For))
    for node in (step for loop in loops for step in loop.body if isinstance(step, ast.Assign)):
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


def _find_written_name(program: NewProgram) -> Misreading | None:
    """Find the file of an example in what is printed by a program that reads its argument."""
    given = command_arguments.find_first_argument(program.task, program.path, program.language)
    how, reads, _ = program.language.argument or ("", "", "")
    name, form = given[1].strip("\"'") if given else "", _VALUES.get(program.language.tag)
    is_file = re.fullmatch(r"[\w-]+\.\w{1,5}", name)
    if not given or not form or not is_file or not re.search(reads, program.source):
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


def _find_sample(program: NewProgram) -> Misreading | None:
    """Find a line that a task shows with a number, and that is printed as it stands there."""
    is_python = program.language.tag == "python"
    for sample in (found[1] for found in _SHOWN.finditer(program.task)):
        numbers = [*_NUMBER.finditer(sample)]
        printed = _PRINTS_TEXT % re.escape(sample)
        found = re.search(printed, program.source) if len(numbers) == 1 and _LETTER.search(sample) else None
        if not found or not (is_python or program.language.tag == "javascript"):
            continue
        before, number, behind = sample[: numbers[0].start()], numbers[0][0], sample[numbers[0].end() :]
        set_last = _LAST_SET.search(program.source, 0, found.start())
        if not set_last or not is_python:
            place = f"{before}{{result}}{behind}"
            return Misreading(f"{BY_HEART.format(sample=sample)}. {COMPUTED.format(place=place)}")
        form = ":g" if "." not in number else ""
        right = f'{found["call"]}f"{before}{{{set_last["name"]}{form}}}{behind}")'
        told = f"{BY_HEART.format(sample=sample)}. It should read: {right}"
        return Misreading(told, program.source.replace(found[0], right))
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
    lists_names = program.language.tag == "bash" and re.search(r"\*|\bls\b", program.source)
    if not wanted or lists_names or _SORTS.search(program.source):
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
    known = program.language.tag in ("python", "javascript")  # of a shell any command may print
    if not known or not _PRINTS.search(program.task) or OF_PARTS.search(program.task):
        return None
    return None if _WRITES.search(_ASIDE.sub("", program.source)) else Misreading(SILENT)


def _find_truth(program: NewProgram) -> Misreading | None:
    """Find a program that prints whether something is so, and not the words that its task has for that."""
    either = EITHER.search(program.task)
    words = either.group("one", "two") if either else ()
    tag, source = program.language.tag, program.source
    if not words or any(word.casefold() in source.casefold() for word in words) or not _TRUTH.search(source):
        return None
    calls = [found for found in _CALLS.finditer(source) if not re.search(r"[\"'`]|\),", found["value"])]
    if tag not in _CHOICES or len(calls) != 1:
        return None
    right = f"{calls[0]['call']}{_CHOICES[tag].format(calls[0]['value'], *words)})"
    told = UNWORDED.format(words=" or ".join(words), right=right)
    return Misreading(told, source.replace(calls[0][0], right))


def _find_doubled_sign(program: NewProgram) -> Misreading | None:
    """Find a sign of its own before a number, where the task shows a negative one: "lowest -3"."""
    for found in _SIGNED.finditer(program.source):
        shown = re.search(rf"{re.escape(found['words'])}-\d", program.task)
        if shown and found["words"].strip():
            right = f"{found['words']}{found['place']}"
            told = DOUBLED_SIGN.format(code=found[0], sample=shown[0], right=right)
            return Misreading(told, program.source.replace(found[0], right, 1))
    return None


CHECKS = (
    _find_doubled_sign,
    _find_overwritten,
    _find_written_name,
    _find_sample,
    _find_other_form,
    _find_unsorted,
    _find_silence,
    _find_truth,
)
BEYOND = (_find_doubled_sign, _find_written_name, _find_sample)
"""Those that an example which holds says nothing of."""

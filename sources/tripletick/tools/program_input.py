"""What a new program takes in another way than the words of its task leave open: it asks for what is given as
an argument, keeps the ends of lines, looks into folders that are to be left out.
"""

from __future__ import annotations

import ast
import itertools
import re

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.command_examples import READS
from tripletick.tools.common_mistakes import SUMS
from tripletick.tools.missing_imports import add_imports
from tripletick.tools.new_program import OF_PARTS, STDIN, Misreading, NewProgram
from tripletick.tools.python_source import parse_program

UNREAD = "the task gives it an argument, and it reads none: {how} is the first one"
ENDS = "Line {line}: {name} ends with its line end, so that {what}. The line below it: {right}"
JOINED_ENDS = "Line {line}: {name} has lines with their ends. It should read: {right}"
TOO_DEEP = "{code} looks into subfolders too, and these are to be left out. It should read: {right}"
UNUSED = "{how} is kept as {name}, and nothing is done with that"
JOINED_ARGUMENTS = "{code} gives texts, which + joins. It should read: {right}"
_ADDS = lazy_regex(rf"(?i)\b(?:{SUMS}|averages?|means?|durchschnitt|mittelwert|moyenne|media)\b")
_ARGUMENTS = lazy_regex(
    r"\b(?:const|let|var) (?P<name>\w{1,40}) = (?P<code>process\.argv\.slice\(\d\));?[ \t]*(?=\n)"
)
_SUMMED = (
    r"\b{name}\.reduce\(\s*\(?(\w{{1,20}}), ?(\w{{1,20}})\)? ?=> ?(?:\1 \+ \2|\2 \+ \1)\b\s*(?:, ?0 ?)?\)"
    r"|\bfor \((?:const|let|var) (\w{{1,20}}) of {name}\)\s*\{{?\s*\w{{1,20}} \+= \3\s*[;}}\n]"
)
_NUMBERS = lazy_regex(r"\bNumber\b|\bparse(?:Int|Float)\b|(?:=>|=|\() ?\+\w|\bfs\b|\brequire\(")
ANY_CASE = "{code} finds small letters too, and the task says {words}. It should read: {right}"
_CAPITALS = lazy_regex(
    r"\b(?P<word>[A-Z]{2,})\b[\"'`]? (?:(?:only )?in (?:all )?(?:capitals?\b(?: letters)?|upper ?case)"
    r"|in Großbuchstaben|en (?:lettres )?(?:majuscules|mayúsculas)|in maiuscol\w+)"
)
_ANY_CASE = lazy_regex(
    r"(?i)\b(?:any|either|both) case|small letters|lower ?-?case|regardless|ignor\w+ case|case[- ]?insensitiv"
    r"|klein|minuscul|minúscul"
)
_SEARCHES = lazy_regex(r"\bgrep (?P<flags>(?:-\w+ )*-(?P<one>\w*i\w*))(?= (?:-\w+ )*[\"']?(?P<word>\w+))")
_KEPT = lazy_regex(
    r"(?m)^[ \t]*(?:const |let |var |local )?(?P<name>\w+) ?= ?"
    r"(?:(?:int|float|str|Number|parseInt|parseFloat)\()?"
    r"(?P<how>sys\.argv\[\d\]|process\.argv\[\d\]|\"?\$\{?\d\}?\"?)\)?;?[ \t]*$"
)
PROMPTS = "{code} prints its text in front of the result. It should read: input()"
_NO_ARGUMENT = lazy_regex(
    r"(?i)\b(?:no|without|any|ohne|keine?|sans|sin|senza) (?:\S+ )?(?:argument|parameter)"
)
_GIVEN = lazy_regex(
    r"(?i)\b(?:as|via|by|through|als|comme|en|como|come|per) (?:(?:an?|the|its|their|one|single|only|first"
    r"|command[- ]?line|un|una|uno|premier|primer|primo|erstes) ){0,3}(?:argument\w*|argomento|parameter)\b"
    r"|\b(?:takes?|gets?|accepts?|with) (?:(?:an?|the|its|one|two|three|command[- ]?line) ){0,2}arguments?"
    r"\b|\bcommand[- ]?line arguments?\b|\barguments?:? (?:is|are|an?|the)\b"
)
_TAKES = lazy_regex(
    r"(?i)(?:\.\w{1,4}|\bprogram\w*|\bscript)[\"'`:]*,? (?:[\w()]+,? ){0,4}?(?:that |which )?"
    r"takes (?:an?|one|two|three) [a-z]"
)
"""A program takes something, and it is not said how."""
_TYPED = lazy_regex(
    r"(?i)\bstd-?in\b|\bstandard input\b|\binputs?\b|\basks?\b|\bprompt|\btyp(?:e|ed|es|ing)\b|\benter|\bread"
    r"|\binteractiv|\beingabe|\bfragt|\bdemande|\bpregunta|\bchiede|\bpip(?:e|ed)\b"
)
_ASKS = lazy_regex(r"(?i)\basks?\b|\bprompt|\binteractiv|\bfragt|\bdemande|\bpregunta|\bchiede|\bgame\b")
_INPUT = lazy_regex(r"\binput\((?:[rf]?\"[^\"\n]*\"|[rf]?'[^'\n]*')?\)")
_PROMPT = lazy_regex(r"\binput\((?:[rf]?\"[^\"\n]+\"|[rf]?'[^'\n]+')\)")
_EXPORTS = lazy_regex(r"(?m)^(?:module\.exports\s*=|export default)\s*\{?\s*(?P<name>\w+)\s*\}?;?[ \t]*$")
COUNTED = "it takes {count} arguments, and any number of them is meant: {right}"
_ANY_NUMBER = lazy_regex(
    r"(?i)\b(?:every(?:one|body)?|each|all)\b[^.\n]{0,40}"
    r"\b(?:names?|named|words?|arguments?|numbers?|command line)\b|\bany number of\b"
    r"|\b(?:several|many|more) (?:names|words|arguments|numbers)\b|\bhowever many\b"
    r"|\b(?:jede\w*|alle[nr]?) (?:namen?|wörter|argumente?)\b"
)
_EACH = {
    "bash": ("$1", "$2", 'for each in "$@"; do\n    {line}\ndone', "$each"),
    "python": ("sys.argv[1]", "sys.argv[2]", "for each in sys.argv[1:]:\n    {line}", "each"),
}
"""The first two arguments, a loop over all, and what stands for one in that."""
_SHALLOW = lazy_regex(
    r"(?i)\b(?:files?|folders?|entries|items|lies?|are|is) (?:that (?:are|lie) )?directly (?:in|under)\b"
    r"|\b(?:dateien?|ordner|einträge) direkt (?:in|unter)\b|\b(?:directement dans|directamente en) "
    r"|\b(?:no|not|without|excluding|except|(?<!not )(?<!n't )(?<!never )(?:ignor\w+|skip\w*)|nicht"
    r"|ohne|keine|sans|pas|sin|senza|zonder)"
    r"(?: (?:in|into|the|its|any|those|count\w*|includ\w*|look\w*|go\w*|files|from|of|die|den|dans|les|las"
    r"|le|en)){0,5} (?:sub-?(?:folder|director)\w*|unterordner\w*|sous-dossiers?|subcarpetas?|sottocartelle)"
    r"|\b(?:sub-?(?:folder|directorie)s|unterordner|sous-dossiers|subcarpetas|sottocartelle) "
    r"(?:should|must|shall|are|do|does|sollen|don.t|aren.t)\b(?: be)?"
    r"(?: ?n.t| not| nicht| left| ignored| skipped| excluded)"
)
_ALSO_DEEP = lazy_regex(
    r"(?i)\brecursiv|\brekursiv|\b(?:also|including|even)\b[^.;\n]{0,30}\bsub-?folders\b|\bhidden sub"
    r"|\b(?:folders|directories|ordner) (?:(?:that|which|with|ha(?:s|ve)) ){0,2}(?:no|without|ohne) sub"
    r"|\bsub-?folders? (?:called |named )?(?!(?:should|must|shall|are|do|does|and|or|in|of|to|is)\b)[\w-]*_"
)
"""Some folders in it are meant, too, or those which have none."""
_LIMITED = lazy_regex(r"-prune\b|-path\b|-mindepth\b|-links\b|\w\[:\] ?=")
"""What leaves folders out in another way."""
_FIND = lazy_regex(r"\bfind (?P<place>(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s|;&()]+))(?= -(?!maxdepth))")
_STOPS = lazy_regex(r"\bbreak\b|\bnext\(os\.walk|\bdirs\w*(?:\[:\]|\.clear)|\breturn\b")
_LINES = r"(?:sys\.stdin|open\(.*\)|\w*file\w*|f|fh|handle)"
_READ_LINES = lazy_regex(rf"\b(?P<name>\w+) = (?P<place>{_LINES})\.readlines\(\)")


def _find_unread(program: NewProgram) -> Misreading | None:
    """Find a program that asks for what its task gives it as an argument, or only exports what takes it."""
    how, reads, _ = program.language.argument or ("", "", "")
    task, source = program.task, program.source
    if not how or re.search(reads, source) or OF_PARTS.search(task) or _NO_ARGUMENT.search(task):
        return None
    asks = bool(READS.search(source))
    exported = _EXPORTS.search(source)
    is_said = _GIVEN.search(task) or (asks and _TAKES.search(task))
    if not is_said or _TYPED.search(task) or not (asks or exported):
        return None
    return Misreading(UNREAD.format(how=how), _read_arguments(source, program.language.tag))


def _read_arguments(source: str, tag: str) -> str:
    """Give a program that takes arguments where it asked or exported, "" where that is not clear."""
    if tag == "python" and not _asks_in_loop(source):
        count = itertools.count(1)
        return add_imports(_INPUT.sub(lambda _: f"sys.argv[{next(count)}]", source))
    exported = _EXPORTS.search(source) if tag == "javascript" else None
    made = re.search(rf"\bfunction {exported['name']}\(([^()]*)\)", source) if exported else None
    if not exported or not made:
        return ""
    names = [name for name in made[1].split(",") if name.strip()]
    if len(names) > 1 or re.search(r"\+", source[: exported.start()]):
        return ""  # they may have to become numbers
    given = ", ".join(f"process.argv[{at}]" for at, _ in enumerate(names, 2))
    call = f"{exported['name']}({given})"
    last = f"console.log({call});" if re.search(r"\breturn\b", source) else f"{call};"
    return f"{source[: exported.start()]}{last}{source[exported.end() :]}"


def _asks_in_loop(source: str) -> bool:
    """Tell whether a Python program asks several times in one place, or reads other lines."""
    tree = parse_program(source)
    if tree is None or "sys.stdin" in source:
        return True
    kinds = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)
    nodes = (part for node in ast.walk(tree) if isinstance(node, kinds) for part in ast.walk(node))
    return any(isinstance(part, ast.Name) and part.id == "input" for part in nodes)


def _find_prompt(program: NewProgram) -> Misreading | None:
    """Find a question that is printed where the task has what is read come from elsewhere."""
    found = _PROMPT.search(program.source) if program.language.tag == "python" else None
    if not found or not STDIN.search(program.task) or _ASKS.search(program.task):
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
            right = f'{name} = {name}.rstrip("\\n")'
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
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr == "readlines":
        over = over.func.value
    is_lines = isinstance(over, ast.Attribute | ast.Name) and ast.unparse(over) in ("sys.stdin", "stdin")
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


def _find_unused(program: NewProgram) -> Misreading | None:
    """Find an argument that a program keeps and does nothing with."""
    source = program.source
    for found in _KEPT.finditer(source):
        name = found["name"]
        used = re.findall(rf"(?<!\w)(?<!(?<!\.\.)\.){name}\b", source)
        is_special = program.language.tag == "bash" and name in ("IFS", "PATH", "LANG", "LC_ALL")
        if len(used) == 1 and not is_special and not re.search(r"\b(?:eval|globals|locals)\b", source):
            return Misreading(UNUSED.format(how=found["how"], name=name))
    return None


def _find_depth(program: NewProgram) -> Misreading | None:
    """Find a search in folders that are to be left out."""
    source = program.source
    if not _SHALLOW.search(program.task) or _ALSO_DEEP.search(program.task) or _LIMITED.search(source):
        return None
    if program.language.tag == "bash" and (found := _FIND.search(source)) and "-maxdepth" not in source:
        right = f"find {found['place']} -maxdepth 1"
        told = TOO_DEEP.format(code=found[0], right=right)
        return Misreading(told, f"{source[: found.start()]}{right}{source[found.end() :]}")
    if program.language.tag == "python" and (found := re.search(r"\.rglob\(", source)):
        return Misreading(
            TOO_DEEP.format(code=".rglob()", right=".glob()"), source.replace(".rglob(", ".glob(")
        )
    if program.language.tag == "python" and re.search(r"\bos\.walk\(", source) and not _STOPS.search(source):
        return Misreading(TOO_DEEP.format(code="os.walk(folder)", right="os.listdir(folder)"))
    return None


def _find_any_case(program: NewProgram) -> Misreading | None:
    """Find a search that takes small letters too, where a task wants capitals."""
    wanted, found = _CAPITALS.search(program.task), _SEARCHES.search(program.source)
    if not wanted or not found or program.language.tag != "bash" or _ANY_CASE.search(program.task):
        return None
    if wanted["word"].casefold() != found["word"].casefold():
        return None
    left = found["one"].replace("i", "")
    flags = f"{found['flags'][: -len(found['one']) - 1]}{f'-{left}' * bool(left)}".strip()
    right = f"grep {flags}".strip()
    told = ANY_CASE.format(code=found[0], words=wanted[0], right=right)
    return Misreading(told, program.source.replace(found[0], right))


def _find_joined_arguments(program: NewProgram) -> Misreading | None:
    """Find arguments of a program in JavaScript that are added up as the texts that they are."""
    found, source = _ARGUMENTS.search(program.source), program.source
    if not found or program.language.tag not in ("javascript", "typescript") or _NUMBERS.search(source):
        return None
    if not _ADDS.search(program.task) or not re.search(_SUMMED.format(name=found["name"]), source):
        return None
    right = f"{found['code']}.map(Number)"
    told = JOINED_ARGUMENTS.format(code=found["code"], right=right)
    return Misreading(told, source.replace(found["code"], right, 1))


def _find_counted_arguments(program: NewProgram) -> Misreading | None:
    """Find lines that do the same with the first argument and the second, where any number is meant."""
    form = _EACH.get(program.language.tag)
    if not form or not _ANY_NUMBER.search(program.task):
        return None
    lines = program.source.splitlines()
    for at, (one, two) in enumerate(itertools.pairwise(lines)):
        first, second, loop, name = form
        if first not in one or one.replace(first, second) != two:
            continue
        end = at + 2
        while end < len(lines) and lines[end] == one.replace(first, first.replace("1", str(end - at + 1))):
            end += 1
        blanks = one[: len(one) - len(one.lstrip())]
        body = [f"{blanks}{line}" for line in loop.format(line=one.strip().replace(first, name)).splitlines()]
        right = "\n".join([*lines[:at], *body, *lines[end:]]) + "\n" * program.source.endswith("\n")
        return Misreading(COUNTED.format(count=end - at, right="; ".join(map(str.strip, body))), right)
    return None


CHECKS = (
    _find_counted_arguments,
    _find_unread,
    _find_prompt,
    _find_joined_ends,
    _find_kept_ends,
    _find_depth,
    _find_unused,
    _find_any_case,
    _find_joined_arguments,
)
BEYOND = (_find_counted_arguments, _find_depth, _find_unused, _find_any_case)
"""Those that an example which holds says nothing of."""

"""What a program in Python takes of its input in another form than that has: a line of a text that is split
into more parts than it takes, since one has blanks, and an argument that it computes with as a text.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.new_program import Misreading
from tripletick.tools.python_source import parse_program, wrap_calls

_MORE = lazy_regex(r"ValueError: too many values to unpack \(expected (\d)\)")
_SPLIT = lazy_regex(r"\.split\((?:\" \"|' ')?\)")
_NUMBER = lazy_regex(r"[-+$€£]?\d[\d.,:/-]*%?")
"""What is no word: a number, a time, a date."""
_TEXT = lazy_regex(
    r"TypeError: .*(?:\bstr\b|sequence by|string formatting)|ValueError: Unknown format code '[dfeg]'"
)
"""What Python says of a text that is computed with."""
_PLAIN = lazy_regex(r"-?\d{1,15}(?:\.\d{1,15})?")
_TAKES_TEXTS = frozenset({"int", "float", "open", "Path", "str", "len"})
IS_TEXT = "sys.argv holds texts, and {code} is to be a number: {right}"
KEEPS = "{name} has blanks of its own. It should read: {right}"


def correct_unpacking(source: str, error: str, code: str, lines: Sequence[str]) -> Misreading | None:
    """Say how a line of code that fails with an error splits lines whose first or last part has blanks, and
    give the program as it should be; None for any other error, or where no part is always a number.
    """
    more, wrong = _MORE.match(error), _SPLIT.search(code)
    rows = [words for words in map(str.split, lines) if words]
    if not more or not wrong or not rows or source.count(code) != 1:
        return None
    count = int(more[1]) - 1
    names = [name.strip(" ()").rpartition(" ")[2] for name in code.partition("=")[0].split(",")]
    if all(_NUMBER.fullmatch(words[-1]) for words in rows):
        how, name = f".rsplit(maxsplit={count})", names[0]
    elif all(_NUMBER.fullmatch(words[0]) for words in rows):
        how, name = f".split(maxsplit={count})", names[-1]
    else:
        return None
    right = f"{code[: wrong.start()]}{how}{code[wrong.end() :]}"
    return Misreading(KEEPS.format(name=name, right=right), source.replace(code, right))


def correct_texts(source: str, error: str, arguments: Sequence[str], right: str) -> Misreading | None:
    """Say that a program computes with arguments as with the texts that they are, and give it with numbers:
    with decimals where one of them, or what is `right`, has some. None for any other error.
    """
    tree = parse_program(source) if _TEXT.match(error) else None
    nodes = [*ast.walk(tree)] if tree else []
    calls = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) in _TAKES_TEXTS]
    kept = {id(each) for call in calls for each in call.args}
    numbers = {f"sys.argv[{at}]" for at, word in enumerate(arguments, 1) if _PLAIN.fullmatch(word)}
    wrong = [
        node
        for node in nodes
        if isinstance(node, ast.Subscript) and id(node) not in kept and ast.unparse(node) in numbers
    ]
    if not wrong:
        return None
    kind, code = "float" if "." in "".join((right, *arguments)) else "int", ast.unparse(wrong[0])
    return Misreading(IS_TEXT.format(code=code, right=f"{kind}({code})"), wrap_calls(source, wrong, kind))

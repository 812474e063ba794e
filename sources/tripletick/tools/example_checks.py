"""Holds a program that ran against its task: the worked examples, and what else that shows of its output."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from tripletick.messages import Result
from tripletick.sandbox.box import RunRequest
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools import (
    command_arguments,
    common_mistakes,
    example_runs,
    number_rows,
    results,
    sample_lines,
    shell_mistakes,
    typed_input,
)
from tripletick.tools.corrected_program import correct_program
from tripletick.tools.decimals import find_unformatted, find_unpadded
from tripletick.tools.file_writer import SavedFile
from tripletick.tools.line_examples import read_named_texts
from tripletick.tools.new_program import Check, Misreading, NewProgram
from tripletick.tools.prepared_program import PreparedProgram
from tripletick.tools.printed_labels import find_label
from tripletick.tools.syntax_check import drain_output, find_error_line
from tripletick.tools.task_numbers import find_lacking_number
from tripletick.tools.task_readings import find_misreadings
from tripletick.tools.tool import ToolContext
from tripletick.tools.unpacking import correct_texts, correct_unpacking

MISPRINTED = "it prints {line!r}, and the task shows {sample!r}: {first} comes before {other}"
OTHER_CASE = "it prints {line!r}, and the task says {word!r}"
ALONE = "{line} prints words around the value, and the task asks for the value alone: {right}"
UNEXPORTED = "it exports nothing, and is to be loaded: its last line must be module.exports = {{ {names} }};"
ECHO = "{command} prints its argument as it is, and the task wants more"
UNREAD_FILE = (
    "{command} prints the name of the file, and the task is about what is in it: open it and read it"
)
_FILE = lazy_regex(r"[\w./-]+\.\w{1,5}")
_NAMES = lazy_regex(
    r"(?i)\b(?:file|path|its|the)(?:'s)? ?names?\b|\bnamen?s? (?:of|der)\b|\bpaths?\b|\bnoms?\b|\bnombres?\b"
)
_ECHOES = lazy_regex(
    r"(?:(?:#|import |from )[^\n]*\n|\s*\n){0,20}"
    r"(?:(?:const |let )?\w+ = (?:sys|process)\.argv\[\d\];?\n\s*)?"
    r"(?:(?:print|console\.log)\((?:\w+|(?:sys|process)\.argv\[\d\])\);?|echo \"?\$\d\"?)"
)
_REPEATS = lazy_regex(
    r"(?i)\becho\w*|\brepeat|\bsame\b|\bas (?:it|they) (?:is|are)|\bback\b"
    r"|\bprints? (?:its|the|an?) (?:first )?argument"
)
PROVE_SECONDS = 20.0
_UNEXPLAINED = lazy_regex(
    r".+ (?:(?:prints|gives) (?P<printed>.+), and right is (?P<right>[^;]+)"
    r"|(?:fails|raises)[ :][^;]+|does not end)"
)
"""What an example says of a program without a word on how it would be right."""
_NUMBER = lazy_regex(r"(?<![\w.-])-?\d{1,300}(?:\.\d+)?(?![\w.]*\w)")
_LINE = 1000
"""Characters of a line that are read for it."""

_READINGS = (
    command_arguments.find_fixed_argument,
    command_arguments.find_unasked_input,
)
"""What a program does with what it is given, by its source."""
_ARGUMENTS = (command_arguments.find_unread_argument, command_arguments.find_unread_others)


def apply_example_checks(program: PreparedProgram, result: Result) -> Result:
    """Hold a program that ran against the examples that the task and its own text have; what one that wants
    arguments does with those of the task is its result.
    """
    saved, context = program.saved, program.context
    if not (saved and context.trial.examples):
        return result
    task = context.ledger.task[: example_runs.PROVEN]
    shown = (saved.path, program.source, program.language)
    is_shell = program.language.tag == "bash"
    used = list(example_runs.run_examples(task, *shown, context))
    misread = [find(task, *shown) for find in _READINGS]
    misread += [_find_unexported(task, *shown[:2])]
    is_new = saved.path in context.ledger.made
    misreadings, meant = _find_misreadings(program, task, used, is_new=is_new)
    label = find_label(task, *shown[:2]) if is_new else None
    misread += [ALONE.format(line=label[0], right=label[1])] if label else ()
    misread += [number_rows.find_wrong_number(task, result.text)] if is_new else ()
    misread += [find_lacking_number(task, program.source)] if is_new else ()
    misread += [find_echo(task, each, program.source) for each in used] if is_new else ()
    misread += shell_mistakes.find_faults(program.source) if is_shell else ()
    printed = "\n".join([result.text, *(each.printed for each in used)])
    lacking = sample_lines.find_missing_line(task, printed, context.ledger.misprinted)
    cased = sample_lines.find_other_case(task, printed, program.source)
    typed = "" if used else typed_input.find_typed_fault(task, *shown, context)
    differs = [OTHER_CASE.format(line=line, word=word) for line, word in cased.items()]
    faults = filter(None, (*(each.fault for each in used), *misread, lacking, *differs, typed))
    wrong = [*_find_failed_examples(program, saved), *faults, *misreadings]
    misprint = sample_lines.find_misprint(task, result.text)
    if misprint:
        line, sample = misprint
        context.ledger.misprinted = sample
        pairs = zip(line.split(), sample.split(), strict=False)
        other, first = next((pair for pair in pairs if pair[0] != pair[1]), (line, sample))
        wrong.append(MISPRINTED.format(line=line, sample=sample, first=first, other=other))
    if wrong:
        wrong += common_mistakes.describe_mistakes(saved.path, program.source)[0][:1]
        wrong = [*dict.fromkeys(wrong)]
        words = cased | {each.printed: each.right for each in used if _differs_in_case(each)}
        lines = (label, misprint)
        right = correct_program(meant or program.source, program.language.tag, lines, words)
        context.ledger.corrected = right or meant
        text = "\n".join(f"{saved.path}: {line}" for line in wrong)
        return results.make_example_failure(saved, text, unexplained=_is_unexplained(text))
    takes = program.language.takes_arguments(program.source)
    if used and ("arguments" in result.flags or takes):
        text = "\n".join(f"$ {each.command}\n{each.printed}" for each in used)
        return replace(results.make_saved_result(saved), text=text, exit=0)
    return result


def _is_unexplained(text: str) -> bool:
    """Tell whether what does not hold of a program is that a value is wrong, and nothing how it would be
    right.
    """
    read = [_UNEXPLAINED.fullmatch(line[:_LINE]) for line in text.splitlines()]
    wrong = [one for one in read if one and one["right"]]
    # the words around it are told of where the value itself is right
    return any(not _shows_value(one["printed"], one["right"]) for one in wrong) or (not wrong and all(read))


def _shows_value(printed: str, right: str) -> bool:
    """Tell whether what is right was printed among other things, or as the same number (1.4 for 1.40)."""
    bare = right.strip("'")
    if _NUMBER.fullmatch(bare):
        return any(float(number) == float(bare) for number in _NUMBER.findall(printed))
    return bool(re.search(rf"(?<![\w.-]){re.escape(bare)}(?![\w.])", printed))


def _find_misreadings(
    program: PreparedProgram, task: str, used: Sequence[example_runs.CommandExample], *, is_new: bool
) -> tuple[list[str], str]:
    """Give what the source of a program does in another way than its task and the files of the examples that
    were `used` say, and the program as it should be, "" where that is not clear.
    """
    holds = any(each.right and not each.fault for each in used)
    more: list[Check] = [partial(_find_unread, find, holds=holds) for find in _ARGUMENTS]
    if any(each.fault for each in used):
        more.append(lambda new: command_arguments.find_whole_text(*new))
    more += [partial(_find_unpacking, each, program.context) for each in used]
    more += [partial(_find_text, each) for each in used if each.fault]
    more += [lambda new: find_unformatted(*new[:3]), lambda new: find_unpadded(*new[:3])]
    new = NewProgram(task, program.path, program.source, program.language)
    return find_misreadings(new, more, is_new=is_new, holds=holds)


def _find_unread(
    find: Callable[..., Misreading | None], program: NewProgram, *, holds: bool
) -> Misreading | None:
    """Find an argument that is not read; where an example holds, what stands for it must be written down."""
    found = find(*program)
    return found if found and (not holds or found.source) else None


def _find_unpacking(
    example: example_runs.CommandExample, context: ToolContext, program: NewProgram
) -> Misreading | None:
    """Find a line at which an example failed, since it splits lines of a text of that into too many parts."""
    code = example_runs.find_failed_line(example.printed)[1]
    if not code:
        return None
    lines = [line for text in read_named_texts(example.command, context) for line in text]
    return correct_unpacking(program.source, find_error_line(example.printed), code, lines)


def _find_text(example: example_runs.CommandExample, program: NewProgram) -> Misreading | None:
    """Find arguments that a program in Python computes with as texts, where an example failed by that."""
    if program.language.tag != "python":
        return None
    words = [word.strip("\"' ") for word in command_arguments.WORD.findall(example.command)][1:]
    return correct_texts(program.source, find_error_line(example.printed), words, example.right)


def find_echo(task: str, example: example_runs.CommandExample, source: str) -> str:
    """Say that a program only prints an argument, where the task does not say what it prints for that, or
    that it is one of several.
    """
    words = [word.strip("\"' ") for word in command_arguments.WORD.findall(example.command)]
    if example.printed == words[-1] and _FILE.fullmatch(words[-1]) and not _NAMES.search(task):
        return UNREAD_FILE.format(command=example.command)
    is_same = bool(example.printed) and example.printed in (words[1:] if len(words) > 2 else words[-1:])
    if (
        not is_same
        or (example.right and len(words) < 3)
        or _REPEATS.search(task)
        or not _ECHOES.fullmatch(source.strip())
    ):
        return ""
    return ECHO.format(command=example.command)


def _differs_in_case(example: example_runs.CommandExample) -> bool:
    return example.printed != example.right and example.printed.casefold() == example.right.casefold()


def _find_unexported(task: str, path: str, source: str) -> str:
    """Say that a module of JavaScript gives nothing to who loads it, as a task says it is."""
    is_loaded = re.search(
        rf"\brequire\([\"'](?:\./)?{re.escape(path.rpartition('.')[0])}\b|\bCommonJS\b", task
    )
    if not path.endswith((".js", ".cjs")) or not is_loaded or "exports" in source:
        return ""
    found = re.findall(r"(?m)^(?:async )?(?:function|const|let|var|class) (\w+)", source)
    return UNEXPORTED.format(names=", ".join(found)) if found else ""


def _find_failed_examples(program: PreparedProgram, saved: SavedFile) -> list[str]:
    """Give what does not hold of the examples that call a function of the program."""
    language, context = program.language, program.context
    if not language.may_have_examples(program.source, context.ledger.task):
        return []
    command = example_runs.build_function_check(context.ledger.task, language, program.names)
    finished = drain_output(context.box.run(RunRequest(command, "read", PROVE_SECONDS)))
    return finished.head.decode("utf-8", "replace").split("\n") if finished.status == 1 else []

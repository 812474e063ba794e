"""What a new program does in another way than its task says, by its source alone.

Each is told in one sentence, with the program as it should be where that has one form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools import program_input, program_output
from tripletick.tools.new_program import Check, NewProgram
from tripletick.tools.shell_mistakes import LARGEST

_PROGRAM = lazy_regex(r"[\w-]+\.(?:py|js|mjs|cjs|ts|sh|bash|rb|go|rs|c|cpp|java)\b")


def find_misreadings(
    program: NewProgram, more: Iterable[Check] = (), *, is_new: bool = True, holds: bool = False
) -> tuple[list[str], str]:
    """Give what is told of a program, by what is looked for in new ones and by `more`, and the program as it
    should be, "" where nothing is wrong or that is not clear. Where an example `holds`, only what it cannot
    show: the program may know it by heart.
    """
    told, known = list[str](), program
    for find in (*(_choose_checks(program, holds=holds) if is_new else ()), *more):
        # what nests too deep for the parser's own tools, or has numbers too long for them
        with suppress(RecursionError, ValueError):
            if found := find(known):
                told.append(found.told)
                known = known._replace(source=found.source or known.source)
    return told, known.source if known.source != program.source else ""


def _choose_checks(program: NewProgram, *, holds: bool) -> Sequence[Check]:
    if len({*_PROGRAM.findall(program.task)}) > 1 or len(program.source) > LARGEST:
        return ()  # of several programs each has its own words
    if holds:
        return (*program_input.BEYOND, *program_output.BEYOND)
    return (*program_input.CHECKS, *program_output.CHECKS)

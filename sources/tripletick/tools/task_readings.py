"""What a new program does in another way than its task says, by its source alone.

Each is told in one sentence, with the program as it should be where that has one form.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace

from tripletick.tools import program_input, program_output
from tripletick.tools.new_program import NewProgram
from tripletick.tools.shell_mistakes import LARGEST

_PROGRAM = re.compile(r"[\w-]+\.(?:py|js|mjs|cjs|ts|sh|bash|rb|go|rs|c|cpp|java)\b")


def find_misreadings(program: NewProgram, *, holds: bool = False) -> tuple[list[str], str]:
    """Give what is told of a program, and the program as it should be, "" where nothing is wrong or that is
    not clear. Where an example `holds`, only what it cannot show: the program may know it by heart.
    """
    told, known = list[str](), program
    if len({*_PROGRAM.findall(program.task)}) > 1 or len(program.source) > LARGEST:
        return told, ""  # of several programs each has its own words
    checks = (*program_input.CHECKS, *program_output.CHECKS)
    for find in (*program_input.BEYOND, *program_output.BEYOND) if holds else checks:
        # what nests too deep for the parser's own tools, or has numbers too long for them
        with suppress(RecursionError, ValueError):
            if found := find(known):
                told.append(found.told)
                known = replace(known, source=found.source) if found.source else known
    return told, known.source if known is not program else ""

"""Words the results of programs that were saved: started or not, parsed or not, fixed or not."""

from __future__ import annotations

from dataclasses import replace

from tripletick.messages import Result
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_writer import SavedFile
from tripletick.tools.syntax_check import SyntaxProblem
from tripletick.tools.tool import ToolContext

PART = ", not run: it is no program by itself"
UNSTARTED = {
    "part": PART,
    "wants": ", not run, because it takes arguments or input: run it in a bash block with some",
    "lasts": ", not run, because it goes on until it is stopped: the user starts it",
    "withheld": ", not run, because the user wants that",
}
"""How the verdict on a program ends that was saved, and checked or built, but not started."""
UNMENDED = "failed, {path} is as it was, nothing is repaired"
DOES = "This does: {how}"
_WAY = lazy_regex(
    r"(?:This (?:does|makes one|moves all|keeps it|renames them|renames as shown)|Those that are meant): "
)
"""What stands before a command that does what a block should have done."""


def make_saved_result(saved: SavedFile, end: str = "") -> Result:
    note = f" ({saved.note})" if saved.note else ""
    same = frozenset({"unchanged"} if saved.unchanged else ())
    return Result("ok", f"ok, saved {saved.path}{note}{end}", flags=same, files=saved.files)


def make_syntax_failure(saved: SavedFile, wrong: SyntaxProblem) -> Result:
    """Word a saved program that does not parse; it was not run."""
    return Result(
        "failed",
        f"failed, saved {saved.path}, {wrong.line}",
        wrong.text,
        flags=frozenset({"saved", "syntax"}),
        files=saved.files,
    )


def make_example_failure(saved: SavedFile, text: str, *, unexplained: bool = False) -> Result:
    """Word a saved program that ran and does not do what its task shows."""
    line = f"failed, saved {saved.path}, an example of the task does not hold"
    marks = frozenset({"saved", "example", *(["unexplained"] if unexplained else [])})
    return Result("failed", line, text, exit=1, flags=marks, files=saved.files)


def make_unstarted_result(saved: SavedFile, context: ToolContext, why: str) -> Result:
    """Word a program that was saved and not started, for a reason of `UNSTARTED`."""
    result = make_saved_result(saved, UNSTARTED[why])
    marks = frozenset({"unstarted", "arguments"} if why == "wants" else {"unstarted"})
    return fail_if_unchanged(saved, context, replace(result, flags=result.flags | marks))


def fail_if_unchanged(saved: SavedFile, context: ToolContext, result: Result) -> Result:
    """Fail a program that was to be repaired and came as it was."""
    if saved.unchanged and context.ledger.lacks_repair(saved.path):
        return replace(result, outcome="failed", verdict=UNMENDED.format(path=saved.path))
    return result


def extract_way(how: str) -> str:
    """Give the command that a sentence of ours ends with: "This does: COMMAND"; "" of any other."""
    found = _WAY.match(how)
    return how[found.end() :] if found else ""

"""One tool for each runnable row of the table of languages: a block is a whole program.

With a path it is saved, checked and run where it lies; without one it lies in the session's folder, as does
all that is built, and nothing of it stays in the workspace. The row knows the language; nothing here does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from dataclasses import replace

from tripletick.events import Ask, Output
from tripletick.languages.registry import Language, detect_language, list_programs
from tripletick.messages import Answer, Call, Result
from tripletick.paths import PathRefused
from tripletick.sandbox.box import Finished, RunRequest
from tripletick.sandbox.user import create_file, create_folder, remove
from tripletick.tools import data_summary, results
from tripletick.tools.example_checks import apply_example_checks
from tripletick.tools.file_writer import SavedFile, make_refusal, save_file
from tripletick.tools.output import (
    clip_output,
    collect_flags,
    detect_limit,
    format_leftover,
    format_verdict,
    join_runs,
)
from tripletick.tools.parameters import PROGRAM
from tripletick.tools.prepared_program import PreparedProgram, Started
from tripletick.tools.program_parts import list_build_attempts
from tripletick.tools.repair_search import find_repair, find_same_output
from tripletick.tools.syntax_check import (
    build_variables,
    check_program,
    check_syntax,
    drain_output,
    find_problem,
    to_operand,
)
from tripletick.tools.text_compare import find_text_comparison
from tripletick.tools.tool import UNNAMED, Running, Tool, ToolContext

Step = Generator[Output | Ask, Answer | None, Finished]
SECONDS = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0}
WANTS = ", which takes arguments or input and got none: run it in a bash block with some"
NO_PROGRAM = (
    "failed, {path} was not saved: the block holds no program; write one that works it out and saves it"
)
NEVER = ("withheld", "lasts")
"""Reasons of `UNSTARTED` for which no example is run either."""
BROKEN = "was not run: its box failed, which is no fault of the block; {why}"
UNSAID = "it said nothing"
NOT_FOUND = (2, 126, 127)
"""What shells and interpreters give where there is no such program."""
GONE = "the session's folder is gone"
PLACE = "tripletick"
"""The folder in the session's folder; always the same, so that equal programs say equal things."""
_LOOK = 'for p; do command -v "$p" && exit 0; done; exit 1'


def make_code_tool(language: Language) -> Tool:
    """Make the tool of a row."""

    def run(call: Call, context: ToolContext) -> Running:
        return run_program(language, call, context)

    summary = f"runs a whole {language.tag} program; a path after the tag saves it first"
    example = Call(language.tag, language.example.strip("\n")) if language.example else None
    return Tool(language.tag, summary, run, writes=True, example=example, form=PROGRAM)


def run_program(language: Language, call: Call, context: ToolContext) -> Running:
    """Save where a path is given, check, build, run; the first that fails is the result."""
    saved: SavedFile | None = None
    ran = dict(context.ledger.ran)
    try:
        works_on = resolve_data_file(language, call, context)
    except PathRefused as refused:
        return make_refusal(str(refused))
    if wrong := _find_refusal(language, call, context):
        return wrong
    if call.path is not None and not works_on:
        outcome = yield from save_file(call, context)
        if isinstance(outcome, Result):
            return outcome
        saved = outcome
        if not can_run_alone(language, saved.path, call.body):
            return (yield from check_saved_file(saved, context, results.PART))
    with_place = prepare_folder(context, call.body, language, saved)
    program = PreparedProgram(
        language, with_place | works_on, context, parse_time_limit(call, context), saved, call.body
    )
    try:
        result = yield from _check_and_run(program)
    finally:
        remove(context.box.home / PLACE)
    result = _check_repair(program, result)
    result = _look_for_repair(program, result)
    if saved and ("unstarted" not in result.flags or "arguments" in result.flags):
        ran[saved.path] = result
    context.ledger.ran = ran if saved else {UNNAMED: result} if result.ok else {}
    return result


def _check_repair(program: PreparedProgram, result: Result) -> Result:
    """Fail a program that was to be repaired and prints what it printed before."""
    saved, ledger = program.saved, program.context.ledger
    is_repair = saved and ledger.mends and saved.path == ledger.asked and not saved.unchanged
    if not saved or not is_repair or not result.ok or not program.context.trial.examples:
        return result
    same = find_same_output(saved.path, program.source, program.language, program.context)
    return results.make_example_failure(saved, f"{saved.path}: {same}") if same else result


def _look_for_repair(program: PreparedProgram, result: Result) -> Result:
    """Note how a program that failed would be right, where one small change makes its examples hold; for one
    that is to be repaired that says how, so that nothing is written afresh.
    """
    saved, ledger = program.saved, program.context.ledger
    if not saved or result.outcome != "failed" or ledger.corrected or not program.context.trial.examples:
        return result
    key = (saved.path, program.source)
    if key not in ledger.searched:
        ledger.searched[key] = find_repair(*key, program.language, program.context)
    ledger.corrected = ledger.searched[key]
    shown = ledger.corrected and ledger.mends
    return replace(result, flags=result.flags - {"unexplained"}) if shown else result


def resolve_data_file(language: Language, call: Call, context: ToolContext) -> dict[str, str]:
    """Name what a program works on where the call's path is that and no program. Raises PathRefused."""
    if not call.path or not call.path.lower().endswith(language.data):
        return {}
    return {"data": to_operand(context.workspace.resolve_path(call.path, writing=True).path)}


def _find_refusal(language: Language, call: Call, context: ToolContext) -> Result | None:
    """Say what keeps a program from being saved or run, None where nothing does."""
    if _is_handwritten_table(language, call, context):
        return Result("failed", NO_PROGRAM.format(path=call.path))
    wrong = find_text_comparison(call.body, context) if language.tag == "python" else None
    return Result("failed", *wrong) if wrong else None


def _is_handwritten_table(language: Language, call: Call, context: ToolContext) -> bool:
    """Tell rows that a model typed under a program's tag where it has a table before it: it worked them out
    in its head.
    """
    path = (call.path or "").lower()
    is_data = path.endswith(data_summary.KNOWN) and any(
        each.lower().endswith(data_summary.KNOWN) for each in context.ledger.shown
    )
    return is_data and bool(language.marks) and not language.has_marks(call.body)


def can_run_alone(language: Language, path: str, source: str) -> bool:
    """False for a part of a program that cannot be built alone, and for data under a program's tag."""
    named = detect_language(path)
    whole = not language.build or language.is_program(source) or language.is_test(path, source)
    return whole and (named is None or named.is_runnable or named.tag == language.tag)


def check_saved_file(saved: SavedFile, context: ToolContext, end: str = "") -> Running:
    """Check a file that is not run: wrong data is said, a wrong source fails; `end` ends a good verdict."""
    named = detect_language(saved.path)
    if named and named.is_runnable:
        wrong = check_program(named, saved.path, context)
        return results.make_syntax_failure(saved, wrong) if wrong else results.make_saved_result(saved, end)
    line = yield from check_syntax(saved.path, context)
    return results.make_saved_result(saved, f", but {line}" if line else end)


def _check_and_run(program: PreparedProgram) -> Running:
    """Check what was saved unless the build does it, then build and run; the runner of tests builds them."""
    language, saved = program.language, program.saved
    builds = language.build and not language.is_test(program.path, program.source)
    if saved and not builds:
        wrong = check_program(language, saved.path, program.context)
        if wrong:
            return results.make_syntax_failure(saved, wrong)
    built = Finished(0, b"")
    if builds:
        built = yield from _try_builds(program)
        if failed := _check_box_failure(program, built):
            return failed
        wrong = find_problem(language, built, program.context, program.names["file"])
        if wrong and saved:
            return results.make_syntax_failure(saved, wrong)
        if built.status:
            return to_result(program, built)
    why = _find_skip_reason(program) if saved else ""
    if saved and why:
        result = results.make_unstarted_result(saved, program.context, why)
    else:
        finished = yield from stream_output(program.run(built.seconds))
        if failed := _check_box_failure(program, finished):
            return failed
        result = to_result(program, join_runs(built, finished))
    return apply_example_checks(program, result) if result.ok and why not in NEVER else result


def _find_skip_reason(program: PreparedProgram) -> str:
    """Say why a saved program is not run, as a key of `UNSTARTED`; "" where it is."""
    if program.context.ledger.withheld:
        return "withheld"
    return program.language.find_skip_reason(program.path, program.source)


def _check_box_failure(program: PreparedProgram, finished: Finished) -> Result | None:
    """Say that the box failed and not the program, None where it did not."""
    # A program that is not found where we had laid it was taken away from under the box.
    lost = finished.status in NOT_FOUND and not os.path.lexists(program.context.box.home / PLACE)
    if not finished.broken and not lost:
        return None
    said = finished.head.decode("utf-8", "replace").strip().splitlines()
    files = program.saved.files if program.saved else ()
    return Result("forbidden", BROKEN.format(why=GONE if lost else (said or [UNSAID])[-1]), files=files)


def _try_builds(program: PreparedProgram) -> Step:
    """Build, try by try; of several that fail the first is told, since it has the least that is not meant."""
    tries = list_build_attempts(program.language, program.path, program.context) if program.saved else [[]]
    if len(tries) == 1:
        return (yield from stream_output(program.build(tries[0], 0.0)))
    first, spent = None, 0.0
    for parts in tries:
        finished = drain_output(program.build(parts, spent))
        spent += finished.seconds
        if not finished.status:
            return replace(finished, seconds=spent)
        first = first or finished
    assert first is not None
    yield Output((first.head + first.tail).decode("utf-8", "replace"))
    return first


def to_result(program: PreparedProgram, finished: Finished) -> Result:
    """Turn the end of a program into the result."""
    saved, context = program.saved, program.context
    if missing := _report_missing_program(program, finished):
        return missing
    how = format_verdict(finished, replace(context.limits, timeout=program.seconds))
    files = saved.files if saved else ()
    text = clip_output(finished, context)
    left = ", ".join(filter(None, (detect_limit(finished, context.limits), format_leftover(finished))))
    if how == "ok":
        well = replace(results.make_saved_result(saved) if saved else Result("ok", how), text=text, exit=0)
        well = replace(well, verdict=", ".join(filter(None, (well.verdict, left))))
        return results.fail_if_unchanged(saved, context, well) if saved else well
    if saved and how.startswith("failed, ") and program.lacks_arguments(text, crashed="signal" in how):
        wants = results.make_saved_result(saved, WANTS)
        started = Result("ok", wants.verdict, view=text, flags=wants.flags | {"arguments"}, files=files)
        return results.fail_if_unchanged(saved, context, started)
    marks = collect_flags(finished) | ({"saved"} if saved else frozenset())
    line = ", ".join(filter(None, (how, left)))
    return Result("failed", line, text, exit=finished.status, flags=marks, files=files)


def _report_missing_program(program: PreparedProgram, finished: Finished) -> Result | None:
    """Say what is not installed where that is why nothing ran: 127 and silence mean it if a look agrees."""
    if finished.status != 127 or finished.head or finished.struck:
        return None
    language, saved = program.language, program.saved
    absent = next(
        (names for names in list_programs(language) if not _is_installed(names, program.context)), None
    )
    if absent is None:
        return None
    remedy = f"; the person can: apt install {language.package}" if language.package else ""
    line = f"was not run, because {absent[0]} is not installed here{remedy}"
    kept = f" ({saved.path} was saved)" if saved else ""
    marks = frozenset({"not-found", "saved"} if saved else {"not-found"})
    return Result("failed", line + kept, flags=marks, files=saved.files if saved else ())


def _is_installed(names: tuple[str, ...], context: ToolContext) -> bool:
    running = context.box.run(RunRequest(["sh", "-c", _LOOK, "sh", *names], "read"))
    return drain_output(running).status == 0


def stream_output(running: Started) -> Step:
    """Turn what a program prints into events; closing this ends the program."""
    while True:
        try:
            text = next(running)
        except StopIteration as end:
            finished: Finished = end.value
            return finished
        try:
            yield Output(text)
        except GeneratorExit:
            running.close()
            raise


def parse_time_limit(call: Call, context: ToolContext) -> float:
    """Give the seconds that a block may take: `timeout=600`, `timeout=10m`, at most the maximum."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(\w*)", call.get_option("timeout") or "")
    if not match or match[2] not in SECONDS or not float(match[1]):
        return context.limits.timeout
    return min(float(match[1]) * SECONDS[match[2]], context.limits.max_timeout)


def prepare_folder(
    context: ToolContext, source: str, language: Language, saved: SavedFile | None
) -> dict[str, str]:
    """Make a fresh folder outside the workspace, also for a source that has no path; name what lies where."""
    folder = context.box.home / PLACE
    remove(folder)
    found = language.extract_words(source)
    create_folder(folder)
    create_folder(folder / "out")
    inside = context.box.seen_home / PLACE
    if saved:
        names = build_variables(saved.path, context.workspace.root)
    else:
        name = language.make_file_name(source)
        create_file(folder / name, f"{source}\n".encode("utf-8", "replace"))
        names = build_variables(str(inside / name), context.workspace.root)
    return found | names | {"out": str(inside / "out")}

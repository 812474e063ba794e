"""Words what the model is told of its reply: whole, and as it reads without outputs where room is short."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import partial

from tripletick.dialects.dialect import Dialect
from tripletick.dialects.fence.feedback import wrap_in_fence
from tripletick.languages.registry import get_tag, is_document
from tripletick.messages import Call, Message, Problem, Receipt, Result
from tripletick.models.conversation import Conversation
from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools import file_listing
from tripletick.tools.common_mistakes import describe_mistakes, find_narrowed_bound
from tripletick.tools.corrected_program import correct_lines, describe_change
from tripletick.tools.shell_mistakes import correct_script
from tripletick.tools.tool import FileTracker, Tool, ToolContext
from tripletick.turn import attachments, attempts, clues, result_checks, wanted_files
from tripletick.turn.asked_lines import find_asked_line
from tripletick.turn.attempts import Attempts, Results
from tripletick.turn.claims import NOT_RUN, TurnFacts
from tripletick.turn.direct_commands import describe_missing_folder, find_command
from tripletick.turn.effects import BETWEEN, COMPARED, REWRITTEN, Effects
from tripletick.turn.receipts import UNTOUCHED
from tripletick.turn.reply import ReplySource
from tripletick.turn.request_kinds import READS, only_wants
from tripletick.turn.shown_blocks import read_mending, read_way, show_mending

DROPPED = "(output dropped to save room)"
COMPLAINT = lazy_regex(
    r"(?:\S+: )*[\w.-]+: .*(?:cannot|No such file|not found|same file|denied|invalid|missing|directory$)"
)
"""What a command says that did nothing, also one that is not the last of its block."""
NO_SOURCE = lazy_regex(r"^(?:cp|mv): cannot stat '(?:\./)?(?P<path>[^']+)'", re.MULTILINE)
"""What a copy or a move was to read and could not."""
SAME_WORDS = lazy_regex(r"\bs([/|#,@])(.+?)\1\2\1")
"""What puts the same words in the place of the old ones."""
ACHIEVED = ("done", "absent", "program")
"""Sentences behind results that may be all or a part of what was asked for."""
ALIKE = 0.7
"""How much the name of a file that was made is that of the one that was to be made; difflib's ratio."""
WORTH_DROPPING = 200
"""Characters; a shorter output is not worth breaking the engine's cache for."""


def suggest_paths(conversation: Conversation, context: ToolContext, name: str) -> str | None:
    """Name what is there and may be meant by a name that is not; None of a file that is only to be made."""
    near = file_listing.suggest_paths(name, context.workspace, conversation.asked)
    return near if near or name not in wanted_files.find_lacking(conversation, context, "") else None


def build_feedback(
    dialect: Dialect,
    tools: Mapping[str, Tool],
    tries: Attempts,
    results: Results,
    problems: Sequence[Problem],
) -> tuple[Message, Message | None]:
    """Give the message, and as it reads once room is needed (None: the same)."""
    failed = [result.tool for _, result in results if result.outcome == "failed"]
    # an open quote says nothing against the form of the block
    misread = [problem.tag for problem in problems if problem.code != "unfinished-literal"]
    tag = next(filter(None, (*failed, *misread)), "")
    example = tools[tag].example if tries.trial.teach and tag in tools else None
    hint = attempts.choose_hint(tries, results)
    say = partial(dialect.build_feedback, problems=problems, hint=hint, example=example)
    shorter = [(call, _drop_output(result)) for call, result in results]
    return say(results), say(shorter) if shorter != list(results) else None


def build_closing(
    conversation: Conversation, context: ToolContext, results: Results, changed: Effects, tries: Attempts
) -> str:
    """Say what has `changed`, again what was asked, and what to do now: a small model forgets it, and undoes
    its own work. The program in which a failure lies goes along.
    """
    wrong = [result for _, result in results if result.outcome == "failed"] if context.trial.files else []
    shown, path, tag, loop = "", "", "", ""
    due = "" if tries.error or tries.flawed else _list_left_mistakes(context.ledger, results)
    _drop_missing_sources(context, results)
    tries.changed = tries.changed or bool(changed.text and not changed.nothing)
    if results and _is_unchanged_repair(context, results):
        name, path, shown = _choose_unchanged(context.ledger, results[-1][0], tries)
        tag = get_tag(path)
    elif (
        conversation.templates.mend and wrong and (lies := attachments.find_failed_program(wrong[0], context))
    ):
        mistakes = _list_mistakes(context.ledger, results[-1][0]) if "example" in wrong[0].flags else ""
        name, path, tag = "mend", lies.path, lies.tag
        right = context.ledger.corrected
        change = describe_change(results[-1][0].body, right)
        mends = "\n".join(filter(None, (change, show_mending(right, f"{tag}:{path}"))))
        shown = "\n\n".join(filter(None, (lies.text, mistakes, mends)))
        context.ledger.wanted = path
    elif path := wanted_files.find_unmade_text(conversation, context, results):
        name, tag = "program", get_tag(path)
        context.ledger.wanted = path
    elif due:
        name, tries.flawed, shown = "flawed", True, due
    elif (
        not tries.error
        and not tries.flawed
        and (flaw := next((each for each in changed.flaws if not each.lost), None))
    ):
        name, tries.flawed = "flawed", True
        due, shown = flaw.text.removesuffix(f": {flaw.command}"), show_mending(flaw.command, "bash")
        context.ledger.mending = flaw.command, results[-1][0].body.strip() if results else ""
    elif not tries.error and (
        wanted := wanted_files.find_wanted_file(conversation, context, results, changed, tries)
    ):
        name, path = wanted
        tag = get_tag(path)
        shown = _show_wanted(wanted, conversation, context, results, changed)
    else:
        name = _choose_closing(conversation, context, results, changed, tries)
        if tries.unread == "unfinished-literal":
            shown = _suggest_loop(conversation, context)
        elif name in ("failed", "nothing", "unmatched") and (
            loop := read_way(results)
            or find_command(conversation, context, changed=tries.changed)
            or (describe_missing_folder(results, conversation.asked) if changed.nothing else "")
        ):
            name, shown = name.replace("unmatched", "nothing"), show_mending(loop, "bash")
        elif name == "nothing" and results[-1][0].tool == "python":
            shown = clues.describe_unprinted(results[-1][0].body)
    tries.achieved = name in ACHIEVED and not tries.error
    tries.due = UNTOUCHED.format(path=path) if name == "undone" else due.partition("\n")[0].rstrip(".")
    tries.mending = shown if name in ("undone", "flawed") else ""
    tries.offered = read_mending(shown, repairs=context.ledger.mends)
    lines = _list_lost_lines(conversation, changed)
    closing = conversation.format_closing(name, tag=tag, path=path, lines=lines)
    # what is shown last is what a small model copies
    parts = (closing, shown) if loop or name in ("undone", "absent") else (shown, closing)
    return "\n\n".join(filter(None, (changed.text, *parts)))


def _show_wanted(
    wanted: tuple[str, str],
    conversation: Conversation,
    context: ToolContext,
    results: Results,
    changed: Effects,
) -> str:
    """Show how the file that is asked for is made: a command, or what its program has to have."""
    name, path = wanted
    last = results[-1][0] if results else None
    if name == "absent":
        saved = clues.save_output(last, results[-1][1].text, path) if last and changed.nothing else ""
        return show_mending(saved, "bash") or _show_renaming(conversation, path, changed)
    if name == "undone" and last:
        saved = clues.save_in_place(last.body, path, conversation.asked) if last.tool == "bash" else ""
        return show_mending(saved or _save_printed(last, results[-1][1].text, path, context), "bash")
    return _describe_given(context, results) if name == "bare" else ""


def _save_printed(call: Call, printed: str, path: str, context: ToolContext) -> str:
    with suppress(PathRefused, UnicodeError):
        before = context.workspace.read_bytes(path, COMPARED).decode()
        return clues.save_changed(call, printed, path, before)
    return ""


def _choose_unchanged(ledger: FileTracker, call: Call, tries: Attempts) -> tuple[str, str, str]:
    """Choose the sentence behind a program that came as it was, its path where it is shown as it should be,
    and what is shown.
    """
    path, mistakes = call.path or "", _list_mistakes(ledger, call)
    if right := ledger.corrected or correct_lines(call.body, ledger.mistakes):
        ledger.wanted = path
        told = mistakes or describe_change(call.body, right)
        return "mend", path, f"{told}\n{show_mending(right, f'{call.tool}:{path}')}".lstrip()
    tries.explains = True
    return "same", "", mistakes


def _list_mistakes(ledger: FileTracker, call: Call) -> str:
    """Say what was a common mistake in the program that is to be repaired, and still is not."""
    return _add_corrected(call, ledger.mistakes) if ledger.mends and call.path == ledger.asked else ""


def _list_left_mistakes(ledger: FileTracker, results: Results) -> str:
    """Say what of the common mistakes is still in the program that was repaired."""
    call = results[-1][0] if results else None
    if not call or not ledger.mends or call.path != ledger.asked:
        return ""
    if narrowed := find_narrowed_bound(ledger.broken, call.body):
        return f"{narrowed}\n{show_mending(correct_lines(call.body, [narrowed]), f'{call.tool}:{call.path}')}"
    sure, _ = describe_mistakes(call.path, call.body, ledger.task)
    return _add_corrected(call, [each for each in sure if each in ledger.mistakes])


def _add_corrected(call: Call, mistakes: Sequence[str]) -> str:
    """Show a script that came back with its mistakes as it should be: told of the lines alone, a small model
    had copied the one that it had before it.
    """
    said = "\n".join(mistakes)
    right = correct_script(call.body) if said and call.tool == "bash" else call.body
    if right == call.body:
        return said
    return f"{said}\n{show_mending(right, f'bash:{call.path}')}"


def _show_renaming(conversation: Conversation, path: str, changed: Effects) -> str:
    """Show how the one file that was made gets the name that the request has for it."""
    made = [each for each in changed.created if each.rpartition(".")[2] == path.rpartition(".")[2]]
    if len(made) != 1 or made[0] in conversation.asked or not get_close_matches(path, made, 1, ALIKE):
        return ""
    return show_mending(shlex.join(["mv", made[0], path]), "bash")


def _describe_given(context: ToolContext, results: Results) -> str:
    """Say what a new Python program has to have in the place of an argument of which the request has none."""
    call = results[-1][0]
    named = [path for path in context.ledger.named if context.workspace.get_kind(path) == "file"]
    files = [path for path in named if path != call.path]
    return clues.describe_given(call.body, files) if call.tool == "python" else ""


def _suggest_loop(conversation: Conversation, context: ToolContext) -> str:
    """Give the loop that stands for the lines of a file which the last reply has by hand."""
    reply = conversation.entries[-1].message.text if conversation.entries else ""
    with suppress(PathRefused, UnicodeError):
        for path in filter(is_document, sorted(context.ledger.named & context.ledger.known)):
            text = context.workspace.read_shown(path, REWRITTEN).decode()
            if said := clues.describe_loop(path, text, reply):
                return said
    return ""


def _drop_missing_sources(context: ToolContext, results: Results) -> None:
    """Ask no more for a file that was to be copied or moved and is not there: it would be made up."""
    told = "\n".join(result.text for _, result in results if not result.ok)
    missing = {found["path"] for found in NO_SOURCE.finditer(told)}
    context.ledger.absent = tuple(path for path in context.ledger.absent if path not in missing)


def _list_lost_lines(conversation: Conversation, changed: Effects) -> str:
    """Give the lines that a text has lost as it is to have them: a task that is to be ticked is."""
    asked = conversation.asked.casefold()
    ticks = conversation.templates.has_words("ticks", conversation.asked)
    lines = next((flaw.lost for flaw in changed.flaws if flaw.lost), ())
    return BETWEEN.join(
        line.replace("[ ]", "[x]") if ticks and result_checks.MARK.sub("", line).casefold() in asked else line
        for line in lines
    )


def format_failed_check(replies: ReplySource, call: Call, result: Result) -> str:
    """Say that the check failed, and what it printed."""
    said = replies.conversation.format_closing(
        "check", command=call.body, output=wrap_in_fence(result.text.rstrip(), "output")
    )
    return said or replies.dialect.build_feedback([(call, result)], ()).text


def gather_facts(
    conversation: Conversation, context: ToolContext, told: Receipt, tries: Attempts, *, works: bool
) -> TurnFacts:
    """Gather what is known at the end of a turn of an agent that has tools (`works`) or has none."""
    sent = [entry.message.text for entry in conversation.entries if entry.message.role == "user"]
    held = [part for call, result in tries.done for part in (call.body, result.text, result.view or "")]
    paths = {*told.saved, *(change.path for change in told.files or ())}

    def exists(path: str) -> bool:
        with suppress(PathRefused):
            kind = context.workspace.get_kind(path)
            return kind != "missing" or any(each.endswith((f"/{path}", f" {path}")) for each in paths)
        return True

    def holds(path: str) -> bool:
        with suppress(PathRefused):
            return context.workspace.get_kind(path) in ("file", "folder")
        return False

    said, asked = conversation.templates, conversation.asked
    saves = said.has_words("makes", asked) and not said.has_words("moves", asked)
    saved = saves and bool(context.ledger.absent) and all(map(holds, context.ledger.absent))
    earlier = bool(conversation.before and conversation.before.length) and not tries.done
    written = "".join(f" {path}" for path in paths)
    lacking = tuple(wanted_files.find_lacking(conversation, context, written)) if works else ()
    # where some were made, the others may be for later
    lacking = lacking if len(lacking) == len(context.ledger.absent) else ()
    seen = "\n".join(sent + held)
    reads = not tries.changed and only_wants(READS, said, asked)
    asks = not tries.changed and (reads or context.ledger.only_asks)
    line = find_asked_line(asked, _read_shown(context)) if asks else None
    return TurnFacts(
        told,
        works,
        "?" in asked,
        earlier,
        seen,
        exists,
        holds,
        lacking,
        saved,
        reads,
        due=tries.due,
        line=line,
    )


def _read_shown(context: ToolContext) -> dict[str, str]:
    """Read the short texts that went along."""
    texts = dict[str, str]()
    for path in filter(is_document, sorted(context.ledger.shown)):
        with suppress(PathRefused, UnicodeError):
            texts[path] = context.workspace.read_shown(path, REWRITTEN).decode()
    return texts


def challenge_answer(
    conversation: Conversation, context: ToolContext, reasons: Sequence[str], tries: Attempts
) -> bool:
    """Say what speaks against the answer that was just given; False where nothing is to be said. In a turn
    that has changed nothing it takes the answer's place, and asks for the file that is meant, if one is.
    """
    if NOT_RUN in reasons:
        return False  # what was refused is not asked for again
    said, path, name = conversation.templates, "", "doubt"
    if not tries.changed and said.undone_claim:
        path = (
            wanted_files.find_only_text(conversation, context) if said.rewrite and not tries.mending else ""
        )
        name = "rewrite" if path else "undone_claim"
    told = "; ".join(reasons)
    closing = conversation.format_closing(name, reasons=told, path=path, tag=get_tag(path))
    if not closing:
        return False
    context.ledger.wanted = path or context.ledger.wanted
    # a sentence on what is wrong, which was asked for, stays before the file that it is about
    stays = name == "doubt" or tries.explains
    say = conversation.add_user_message if stays else conversation.replace_answer
    say("\n\n".join(filter(None, (closing, tries.mending))))
    return True


def _is_unchanged_repair(context: ToolContext, results: Results) -> bool:
    call, last = results[-1]
    return "unchanged" in last.flags and context.ledger.lacks_repair(call.path or "")


def _choose_closing(
    conversation: Conversation, context: ToolContext, results: Results, changed: Effects, tries: Attempts
) -> str:
    """Choose the sentence that says what to do now."""
    if tries.error:
        return "failed" if results or tries.unread == "unfinished-literal" else "unread"
    if not any(result.ok for _, result in results):
        forbidden = any(result.outcome == "forbidden" for _, result in results)
        return "refused" if forbidden else "done" if results else "unread"
    repeated = context.ledger.mended and "unchanged" in results[-1][1].flags
    if changed.nothing and not tries.idle and not repeated:
        said = [line for _, result in results for line in (result.view or result.text).splitlines() if line]
        tries.idle = all(map(COMPLAINT.match, said))
        edits = [call.body for call, _ in results if "sed -i" in call.body]
        silent = "unmatched" if edits and not any(map(SAME_WORDS.search, edits)) else "nothing"
        return ("failed" if said else silent) if tries.idle else "done"
    return "done"


def _drop_output(result: Result) -> Result:
    return replace(result, text=DROPPED) if len(result.text) > WORTH_DROPPING else result

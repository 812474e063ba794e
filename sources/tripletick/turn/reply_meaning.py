"""What a reply is meant as beyond its calls: an answer, the file that was asked for, or a described change.

A small model that was asked what is wrong often says so in words ("the line `a + b` is wrong, it should be
`(a + b)`"), and copies the old file when it is asked for that. Only what names the line that it should be
between backquotes, and of which the place is known, is taken for a change: a line of the file that stands
before it, or the one that is most like it.
"""

from __future__ import annotations

from collections.abc import Collection, Generator
from contextlib import suppress
from dataclasses import replace
from difflib import SequenceMatcher

from tripletick.dialects.dialect import ParsedReply
from tripletick.events import Doubted, Event, Reply
from tripletick.languages.registry import detect_language, get_tag, is_document
from tripletick.messages import Call
from tripletick.models.conversation import Conversation
from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.tool import FileTracker, ToolContext
from tripletick.turn.attempts import REMARKS, Attempts
from tripletick.turn.claims import is_stated
from tripletick.turn.file_display import LARGEST
from tripletick.turn.reply import cut_blocks

LEFT_OUT = "the reply leaves out the block that puts that right, which is run: {block}"
BLOCK = lazy_regex(r"(?ms)^(`{3,8}|~{3,8})(\w*)[ \t]*\n(.*?)^\1[ \t]*$")
PLAIN = "text"
_SPAN = lazy_regex(r"`(?P<code>[^`\n]{2,200})`")
_NEW = lazy_regex(
    r"(?i)\b(?:(?:should|must|needs? to|has to|ought to) (?:instead )?(?:be|read|say|become)"
    r"|(?:corrected|correct|right|fixed) (?:line|code|version|statement) (?:is|would be)"
    r"|(?:replaced?|chang(?:e|ed)|corrected) (?:it )?(?:with|by|to|into)|(?:with|by|to|into))\b[^`\n]{0,60}$"
)
"""What stands before a line as it should be."""
_STATED = lazy_regex(
    r"(?i)\b(?:should|must|needs? to|has to|ought to|correct\w*|right|fixed|replac\w*|chang\w*)\b"
)
ALIKE, CLEARLY = 0.6, 0.1
"""How much a line must be like the one that it should be, and by how much more than any other."""
CHANGED = 0.6
"""How much a block must be like the file that it is with some lines changed; difflib's ratio of lines."""
MOST = 500
"""Lines of a program of which one is sought by likeness."""
SHORTEST = 4
"""Characters of a piece of a line that can be told from others."""


def apply_described_change(answer: str, source: str) -> str:
    """Give a program with the change that an answer describes, "" where it describes none, or several places
    may be meant.
    """
    spans = list(_SPAN.finditer(answer))
    for at, span in enumerate(spans):
        before = answer[spans[at - 1].end() if at else 0 : span.start()]
        said = answer[: span.start()].rpartition("\n")[2]
        if not _NEW.search(before) or not _STATED.search(said):
            continue
        new, old = span["code"].strip(), [each["code"].strip() for each in spans[:at]]
        return _change(source, old, new)
    return ""


def _change(source: str, named: list[str], new: str) -> str:
    """Put what should be in the place of a named line, of the piece that was named last, or of the line that
    is most like it.
    """
    lines = source.splitlines(keepends=True)
    stripped = [line.strip() for line in lines]
    if new in stripped:
        return ""
    whole = [each for each in reversed(named) if stripped.count(each) == 1]
    if whole:
        return _replace_line(lines, stripped.index(whole[0]), new)
    piece = named[-1] if named else ""
    if len(piece) >= SHORTEST and source.count(piece) == 1:
        return source.replace(piece, new) if new not in source else ""
    if len(lines) > MOST:
        return ""
    best = sorted(
        ((SequenceMatcher(None, line, new).ratio(), at) for at, line in enumerate(stripped)), reverse=True
    )
    clear = best and best[0][0] >= ALIKE and (len(best) == 1 or best[0][0] >= best[1][0] + CLEARLY)
    return _replace_line(lines, best[0][1], new) if clear else ""


def _replace_line(lines: list[str], at: int, new: str) -> str:
    """Replace a line; what ends a statement is left out in words."""
    old = lines[at].strip()
    end = old[-1] if old[-1:] in (";", ":", "{") and not new.endswith(old[-1]) else ""
    lines[at] = lines[at].replace(old, f"{new}{end}")
    return "".join(lines)


def show_programs(reading: ParsedReply, ledger: FileTracker, languages: Collection[str]) -> ParsedReply:
    """Turn a reply to a request that wants nothing run into an answer that shows its programs, or its words
    where something is to be explained; one with another block, or that saves a file where it may, stays as
    it is.
    """
    calls, said = reading.calls, reading.answer_text
    shown = ledger.only_shown and all(ledger.unsaved or not each.path for each in calls)
    if not shown or not calls or any(each.tool not in languages for each in calls):
        return reading
    if ledger.only_told:
        return replace(reading, calls=(), answer=cut_blocks(said))
    if not all(f"```{call.tool}" in said for call in calls):
        blocks = (f"```{call.tool}\n{call.body}\n```" for call in calls)
        said = "\n\n".join(filter(None, (cut_blocks(said), *blocks)))
    return replace(reading, calls=(), answer=said)


def _read_as_answer(reading: ParsedReply, tries: Attempts) -> ParsedReply:
    """Turn a reply that says what was done, and only does again what it did before, into that answer: below
    "run it like this" stands how a program is started.
    """
    changed = [at for at, (_, result) in enumerate(tries.done) if result.files]
    since = tries.done[changed[-1] :] if changed else tries.done
    done = [_identify(call) for call, result in since if result.ok]
    again = reading.calls and all(_identify(call) in done for call in reading.calls)
    said = cut_blocks(reading.answer_text)
    if not again or not said or not tries.achieved or not tries.changed:
        return reading
    return replace(reading, calls=(), answer=said)


def take_shown_block(reading: ParsedReply, tries: Attempts) -> Generator[Event, Reply, ParsedReply]:
    """Turn a reply that answers in words where a block was shown that puts right what came of the last ones
    into that block, and so one that only sends these again. It was worked out from the files and the request.
    """
    calls, block = [*map(_identify, reading.calls)], tries.offered
    last = [_identify(call) for call, _ in tries.done[-max(1, len(calls)) :]]
    spoken = reading.answer_text and {problem.code for problem in reading.problems} <= REMARKS
    asks = reading.question is not None or not tries.trial.doubt
    if not block or asks or not (calls == last if calls else spoken):
        return reading
    yield Doubted((LEFT_OUT.format(block=block.path or block.body),))
    return replace(reading, calls=(block,))


def _identify(call: Call) -> tuple[str, str, str | None]:
    return call.tool, call.body.strip(), call.path


def read_as_file(
    reading: ParsedReply, conversation: Conversation, context: ToolContext, tries: Attempts
) -> ParsedReply:
    """Turn a reply that calls nothing, or nothing new, into the file that it is, or that it says how to
    change, or the answer.
    """
    reading = take_document(_read_as_answer(reading, tries), conversation, context)
    if reading.calls or reading.question or context.ledger.withheld or BLOCK.search(reading.text):
        return reading
    path = context.ledger.asked
    if context.ledger.lacks_repair(path):
        with suppress(PathRefused, UnicodeError):
            source = context.workspace.read_shown(path, LARGEST).decode()
            if new := apply_described_change(reading.answer_text, source):
                return replace(reading, calls=(Call(get_tag(path), new, path),))
    return reading


def _find_shown_settings(tag: str, body: str, conversation: Conversation, context: ToolContext) -> str:
    """Give the one file of this tag that was shown whole and that a request wants changed, where a block is
    that with a few lines changed; none of plain text, which may be an answer.
    """
    said, asked = conversation.templates, conversation.asked
    alters = any(said.has_words(kind, asked) for kind in ("alters", "sets", "adds", "deletes", "repairs"))
    documents = filter(is_document, context.ledger.shown) if tag not in ("", PLAIN) else ()
    paths = [path for path in documents if get_tag(path) == tag]
    if not alters or len(paths) != 1:
        return ""
    with suppress(PathRefused, UnicodeError):
        before = context.workspace.read_shown(paths[0], LARGEST).decode().splitlines()
        after = body.splitlines()
        same = SequenceMatcher(None, before, after, autojunk=False).ratio()
        return paths[0] if len(before) <= MOST and CHANGED <= same < 1 else ""
    return ""


def take_document(reading: ParsedReply, conversation: Conversation, context: ToolContext) -> ParsedReply:
    """Turn a reply of one block of text, without a path, into the file that the model was asked for."""
    ledger = context.ledger
    blocks = BLOCK.findall(reading.text)
    if reading.calls or reading.question or ledger.withheld or len(blocks) != 1:
        return reading
    path = ledger.wanted or (ledger.asked if not ledger.mended else "")
    path = path or _find_shown_settings(blocks[0][1], blocks[0][2], conversation, context)
    if not path and conversation.templates.has_words("makes", conversation.asked):
        texts = [each for each in ledger.absent if is_document(each) and each not in ledger.known]
        # in a question it is spoken of, and may be shown by an example
        path = texts[0] if len(texts) == 1 and is_stated(texts[0], conversation.asked) else ""
    language = detect_language(path) if is_document(path) else None
    if not language or blocks[0][1] not in ("", PLAIN, language.tag):
        return reading
    return replace(reading, calls=(Call(language.tag, blocks[0][2], path),))

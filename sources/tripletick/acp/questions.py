"""Questions over the wire: what the terminal would ask, the editor asks with buttons, or with a form.

An editor has no letters: `e` (edit it first) stays with the terminal. An open question, the model's own,
needs a form; where the editor has none the turn ends with it, and the next request answers it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from acp import helpers, schema

from tripletick.acp.updates import Content, EventUpdates, OpenCall, find_kind
from tripletick.acp.wire import GONE, Wire, redact_update
from tripletick.dialects.fence.feedback import wrap_in_fence
from tripletick.event_log.session_log import clean_text
from tripletick.events import Ask
from tripletick.messages import Answer, Call
from tripletick.system.lazy_regex import lazy_regex

Button = Literal["allow_once", "allow_always", "reject_once", "reject_always"]
BUTTONS: dict[str, tuple[str, Button]] = {
    "y": ("Yes", "allow_once"),
    "s": ("Yes, for this session", "allow_always"),
    "r": ("Only read", "reject_always"),
    "n": ("No", "reject_once"),
}
"""By the letter that the terminal takes."""
LETTERS = lazy_regex(r" [a-z] [a-z ]+(?: / [a-z] [a-z ]+)+$")
"""What a question says of the letters that answer it."""
NO = Answer("n", said=False)
NOBODY = Answer(there=False)
READ = "r"
"""Stands beside a yes that is kept for the folder."""
FIELD = "answer"


@dataclass(frozen=True, slots=True)
class QuestionSender:
    """Asks the user through the editor."""

    wire: Wire
    updates: EventUpdates

    def ask_question(self, question: Ask) -> Answer:
        """Give the user's answer; a question that they leave is a no. Raises Cancelled."""
        letters = [letter for letter in BUTTONS if letter in question.choices]
        return self._ask_choice(question, letters) if letters else self._ask_text(question)

    def _ask_choice(self, question: Ask, letters: list[str]) -> Answer:
        title = LETTERS.sub("", clean_text(" ".join(question.question.split())))
        call = question.call or Call("question", question.edit)
        at_work = self.updates.open_call(call, title)
        update = schema.ToolCallUpdate(
            tool_call_id=at_work.id,
            title=title,
            kind=find_kind(call),
            status="pending",
            content=_make_content(question, self.updates.folder),
        )
        # some editors know a button by its kind alone
        kinds = {letter: kind for letter, (_, kind) in BUTTONS.items()}
        kinds |= {"y": "allow_always"} if READ in letters else {}
        options = [
            schema.PermissionOption(option_id=letter, name=BUTTONS[letter][0], kind=kinds[letter])
            for letter in letters
        ]
        try:
            asking = self.wire.client.request_permission(self.wire.session, redact_update(update), options)
            outcome = self.wire.wait_for(asking).outcome
        except GONE:
            return NOBODY
        chosen = outcome.option_id if isinstance(outcome, schema.AllowedOutcome) else ""
        self._end_question(at_work, agreed=chosen not in ("", "n"), is_block=question.call is not None)
        return Answer(chosen) if chosen in letters else NO

    def _end_question(self, at_work: OpenCall, *, agreed: bool, is_block: bool) -> None:
        """Give the block its title back; a question without one is over."""
        ended: schema.ToolCallStatus = "completed" if agreed else "failed"
        update = helpers.update_tool_call(
            at_work.id,
            title=at_work.title,
            kind=find_kind(at_work.call),
            status="in_progress" if is_block else ended,
            content=[],
        )
        self.wire.send_update(update)

    def _ask_text(self, question: Ask) -> Answer:
        able = self.wire.able.elicitation
        if able is None or able.form is None:
            return NOBODY
        form = schema.ElicitationSchema(
            type="object",
            properties={FIELD: schema.ElicitationStringPropertySchema(type="string", title="Answer")},
            required=[FIELD],
        )
        mode = schema.ElicitationFormSessionMode(session_id=self.wire.session, requested_schema=form)
        try:
            said = self.wire.wait_for(
                self.wire.client.create_elicitation(clean_text(question.question), mode)
            )
        except GONE:
            return NOBODY
        content = said.content if isinstance(said, schema.AcceptElicitationResponse) else None
        words = str((content or {}).get(FIELD, "")).strip()
        return Answer("y", words) if words else NO


def _make_content(question: Ask, folder: Path) -> list[Content]:
    """Show what is asked about: its diff, else its text, and why it is asked."""
    body = question.edit or (question.call.body if question.call else "")
    why = [question.why] if question.why else []
    if question.diff and question.call and question.call.path:
        return [_make_diff(question.diff, str(folder / question.call.path)), *map(_make_text, why)]
    if question.diff:
        why.insert(0, wrap_in_fence("\n".join(line for _, line in question.diff), "diff"))
    elif body.strip():
        why.insert(0, wrap_in_fence(body, question.call.tool if question.call else "text"))
    return [*map(_make_text, why)]


def _make_text(text: str) -> Content:
    return helpers.tool_content(helpers.text_block(clean_text(text)))


def _make_diff(lines: Sequence[tuple[str, str]], path: str) -> Content:
    """Give the places that differ as the editor compares them, without what lies between."""
    old, new = (
        [f"{text[1:]}\n" for tone, text in lines if tone in ("same", side) and text[:1] != "\\"]
        for side in ("removed", "added")
    )
    notes = [text for tone, text in lines if tone == "note"]
    if notes:
        return _make_text("\n".join(notes))
    before = clean_text("".join(old)) if old else None
    return helpers.tool_diff_content(clean_text(path), clean_text("".join(new)), before)

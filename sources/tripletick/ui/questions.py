"""Asking the user: one line, the letters that answer it, `?` for why, `e` to edit.

Whether somebody is there to be asked, the caller knows. How a text is edited is in editing.py.
"""

from __future__ import annotations

import contextlib
import termios
from collections.abc import Sequence
from typing import TextIO

from tripletick.events import Ask
from tripletick.messages import Answer
from tripletick.ui import external_editor
from tripletick.ui.renderer import Renderer, Style
from tripletick.ui.sanitize import escape_controls
from tripletick.ui.status_line import format_thousands

NO = Answer("n", said=False)
TONES: dict[str, Style] = {"added": "good", "removed": "bad", "place": "dim", "note": "warn"}
"""How the lines of a diff are drawn."""
LONGEST = 240
"""Characters of a question: a longer one loses its middle, so that what is asked stays in sight."""
LETTERS = "y yes, once; n no, words after it go to the model; s yes, for this session; e edit it first"
"""Said where `s` is among the letters."""
MOST = 40
"""Lines of a diff that are shown at once."""
LONGER = "{more}{count} more lines (? shows all)"


def ask_question(question: Ask, pen: Renderer, keys: TextIO, *, shown: bool = True) -> Answer:
    """Ask until one of the letters comes; Ctrl-C and the end of input are a no. What was typed before the
    question was there does not answer it.

    `shown`: what is asked about stands on the screen already.
    """
    letters = question.choices.replace("?", "")
    prompt = _format_prompt(question, letters)
    if not shown:
        _draw_text(_get_question_text(question), pen)
    draw_diff(question.diff, pen, MOST)
    with contextlib.suppress(termios.error):
        if keys.isatty():
            termios.tcflush(keys, termios.TCIFLUSH)
    try:
        while True:
            pen.draw_question(prompt + " ")
            line = keys.readline()
            answer = _parse_answer(question.default if line.isspace() else line, letters)
            if answer and answer.choice == "e" and not answer.text:
                answer = _edit_answer(question, pen, keys)
            if answer:
                return answer
            if not line:
                break
            _explain_choices(question, line, letters, pen)
    except KeyboardInterrupt:
        pass
    pen.draw_line("")
    return NO


def _format_prompt(question: Ask, letters: str) -> str:
    prompt = escape_controls(question.question)
    if not (question.choices or question.default):
        return f"? {prompt.strip()}"
    if letters:
        # one line: what the model wrote into it must not look like another question
        prompt = _shorten_middle(" ".join(prompt.split()))
        shown = letters.replace(question.default, question.default.upper())
        prompt += f" [{'/'.join(shown + '?' * bool(question.why))}]"
    return prompt


def _shorten_middle(text: str) -> str:
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} … {text[-half:]}"


def _parse_answer(line: str, letters: str) -> Answer | None:
    """Understand `y`, `Yes`, and words after the letter; any words where there are no letters."""
    words = line.strip()
    if not letters:
        return Answer("y", words) if words else None
    first, _, rest = words.partition(" ")
    spelled = {"yes": "y", "no": "n"}.get(first.lower().rstrip(".,:"), first.lower().rstrip(".,:"))
    return Answer(spelled, rest.strip()) if len(spelled) == 1 and spelled in letters else None


def _edit_answer(question: Ask, pen: Renderer, keys: TextIO) -> Answer | None:
    """Let the user edit the text in their editor, or type one line; None where nothing came of it."""
    text = external_editor.edit_text(
        question.edit, question.call.tool if question.call else "txt", question.workspace, keys
    )
    if text is None:
        _draw_text(_get_question_text(question), pen)
        pen.draw_question("Run instead (one line): " if question.call else "Instead (one line): ")
        text = keys.readline()
    return Answer("e", text.strip("\n")) if text.strip() else None


def _explain_choices(question: Ask, line: str, letters: str, pen: Renderer) -> None:
    if line.strip() == "?" and question.why:
        if len(question.diff) > MOST:
            draw_diff(question.diff, pen)
        pen.draw_line(escape_controls(question.why), "dim", prose=True)
        if "s" in letters and "e" in letters:
            pen.draw_line(LETTERS, "dim", prose=True)
        return
    if line.strip() and not line.strip().lower().startswith("e"):
        words = (
            f"Answer with one of: {', '.join(letters)}."
            if letters
            else "Type an answer, or press Ctrl+C to give none."
        )
        pen.draw_line(words, "dim")


def draw_diff(lines: Sequence[tuple[str, str]], pen: Renderer, most: int = 0) -> None:
    """Draw lines, each by its tone, at most so many; nothing in them steers the terminal."""
    shown = lines[: most - 1] if 0 < most < len(lines) else lines
    for tone, text in shown:
        pen.draw_line(escape_controls(text), TONES.get(tone, ""))
    if len(shown) < len(lines):
        pen.draw_line(
            LONGER.format(more=pen.format_mark("more"), count=format_thousands(len(lines) - len(shown))),
            "dim",
        )


def _get_question_text(question: Ask) -> str:
    return question.edit or (question.call.body if question.call else "")


def _draw_text(text: str, pen: Renderer) -> None:
    for line in text.splitlines():
        pen.draw_line(f"    {escape_controls(line)}")

"""Asking the person: one line, the letters that answer it, `?` for why.

Whether somebody is there to be asked, the caller knows.
"""

from __future__ import annotations

from typing import TextIO

from tripletick.events import Ask
from tripletick.messages import Answer
from tripletick.ui.pen import Pen
from tripletick.ui.safe import visible

NO = Answer("n")


def ask(question: Ask, pen: Pen, keys: TextIO) -> Answer:
    """Ask until one of the letters comes; Ctrl-C and the end of input are a no."""
    letters = question.choices.replace("?", "")
    prompt = visible(question.question)
    if letters:
        shown = letters.replace(question.default, question.default.upper())
        prompt += f" [{'/'.join(shown + '?' * bool(question.why))}]"
    try:
        while True:
            pen.ask(prompt + " ")
            line = keys.readline()
            answer = _read(question.default if line.isspace() else line, letters)
            if answer:
                return answer
            if not line:
                break
            pen.line(visible(_explain(question, line, letters)), "dim")
    except KeyboardInterrupt:
        pass
    pen.line("")
    return NO


def _read(line: str, letters: str) -> Answer | None:
    """Understand `y`, `Yes`, and words after the letter; any words where there are no letters."""
    words = line.strip()
    if not letters:
        return Answer("y", words) if words else None
    first, _, rest = words.partition(" ")
    spelled = {"yes": "y", "no": "n"}.get(first.lower().rstrip(".,:"), first.lower().rstrip(".,:"))
    return Answer(spelled, rest.strip()) if len(spelled) == 1 and spelled in letters else None


def _explain(question: Ask, line: str, letters: str) -> str:
    if line.strip() == "?" and question.why:
        return question.why
    return f"Answer with one of: {', '.join(letters)}." if letters else "Write an answer; Ctrl-C for none."

"""The chat's input line: history, several lines, large pastes as one word; what is typed means nothing here.

prompt_toolkit draws this line and nothing else; everything above it is printed once and stays.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import has_focus
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.shortcuts import CompleteStyle

SHOWN_PASTE = 8
"""Lines; a longer paste shows as `[pasted 120 lines]` and is sent whole."""
_PASTED = re.compile(r"\[pasted \d+ lines(?:, \d+)?\]")
NEWLINE = KeyPress(Keys.ControlJ, "\n")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What may be typed next: `text` takes the place of the last `back` characters; `shown` names it."""

    text: str
    back: int
    shown: str = ""


@dataclass(frozen=True, slots=True)
class KeyActions:
    """What the keys of a line can reach beyond it. `words` gives what the line so far can become, `costs`
    what stands at its right end, `fold` is done at Ctrl+T, `edit` gives a text to the user's editor.
    """

    words: Callable[[str], Iterable[Suggestion]]
    costs: Callable[[str], str] = lambda text: ""
    fold: Callable[[], object] = lambda: None
    edit: Callable[[str], str | None] = lambda text: None


class InputLine:
    """One input line after another; `history` None keeps what is typed in memory alone."""

    def __init__(self, history: Path | None, board: KeyActions) -> None:
        self._pasted: dict[str, str] = {}
        self._board = board
        kept: History = _PrivateHistory(history, self.expand_pastes) if history else InMemoryHistory()
        self._session: PromptSession[str] = PromptSession(
            history=kept,
            completer=_WordCompleter(board.words),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            key_bindings=self._bind_keys(),
            multiline=True,
            prompt_continuation="  ",
            rprompt=self._format_costs,
        )

    def read_input(self, prompt: str, draft: str = "") -> str:
        """Read what the user sends, which is more than blanks; `draft` stands in the line already.

        Raises KeyboardInterrupt at Ctrl+C on an empty line, EOFError at Ctrl+D.
        """
        return self.expand_pastes(self._session.prompt(prompt, default=draft))

    def queue_keys(self, text: str, *, send: bool) -> None:
        """Let keys that were pressed before count as pressed at the next lines; unless `send`, Enter sends
        none of them.
        """
        source = self._session.app.input
        pressed: list[KeyPress] = []
        Vt100Parser(pressed.append).feed_and_flush(text)
        pressed = [*get_typeahead(source), *pressed]
        if not send:
            pressed = [NEWLINE if press.key == Keys.Enter else press for press in pressed]
        store_typeahead(source, pressed)

    def shorten_paste(self, text: str) -> str:
        """Give what a paste shows as: itself, or one word that stands for it."""
        text = _replace_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines <= SHOWN_PASTE:
            return text
        shown = f"[pasted {lines} lines]"
        if self._pasted.get(shown, text) != text:
            shown = f"[pasted {lines} lines, {len(self._pasted) + 1}]"
        self._pasted[shown] = text
        return shown

    def expand_pastes(self, text: str) -> str:
        """Put the pastes in the place of the words that stand for them."""
        return _PASTED.sub(lambda match: self._pasted.get(match[0], match[0]), _replace_surrogates(text))

    def _bind_keys(self) -> KeyBindings:
        keys = KeyBindings()
        typing = has_focus(DEFAULT_BUFFER)

        @keys.add(Keys.Enter, filter=typing)
        def send(event: KeyPressEvent) -> None:
            if event.current_buffer.text.strip():
                event.current_buffer.validate_and_handle()

        @keys.add("c-j", filter=typing)
        @keys.add(Keys.Escape, Keys.Enter, filter=typing)
        def newline(event: KeyPressEvent) -> None:
            event.current_buffer.newline(copy_margin=False)

        @keys.add("c-c", filter=typing)
        def drop(event: KeyPressEvent) -> None:
            if event.current_buffer.text:
                event.current_buffer.reset()
            else:
                event.app.exit(exception=KeyboardInterrupt())

        @keys.add(Keys.BracketedPaste, filter=typing)
        def paste(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text(self.shorten_paste(event.data))

        @keys.add("c-t", filter=typing)
        def fold(event: KeyPressEvent) -> None:
            run_in_terminal(self._board.fold)

        @keys.add("c-x", "c-e", filter=typing)
        def edit(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            run_in_terminal(lambda: self._edit_buffer(buffer))

        return keys

    def _edit_buffer(self, buffer: Buffer) -> None:
        text = self._board.edit(self.expand_pastes(buffer.text))
        if text is not None:
            buffer.document = Document(_replace_surrogates(text))

    def _format_costs(self) -> str:
        return self._board.costs(self._session.default_buffer.text)


class _PrivateHistory(FileHistory):
    """A history that only its owner can read, with pastes in full; where it cannot be kept, it is not."""

    def __init__(self, path: Path, whole: Callable[[str], str]) -> None:
        super().__init__(str(path))
        self._path, self._whole = path, whole

    def load_history_strings(self) -> Iterable[str]:
        try:
            return list(super().load_history_strings())
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
            super().store_string(self._whole(string))


class _WordCompleter(Completer):
    def __init__(self, words: Callable[[str], Iterable[Suggestion]]) -> None:
        self._words = words

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterable[Completion]:
        for one in self._words(document.text_before_cursor):
            yield Completion(one.text, start_position=-one.back, display=one.shown or one.text)


def _replace_surrogates(text: str) -> str:
    """Replace the bytes that are no UTF-8, which the terminal hands over as lone surrogates."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

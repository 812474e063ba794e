"""The program in a real terminal: keys go in, what a person sees is read and compared with what is kept."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pexpect
import pyte

WIDTH, HEIGHT = 100, 30
SECONDS = 60
SCREENS = Path(__file__).parent / "data" / "screens"
VARIES = (
    (r"^(tripletick) \d\S*", r"\1 VERSION"),
    (r"(127\.0\.0\.1:)\d{4,5}\b", r"\1PORT"),
    (r"(?<=\S)\s+\d+\.\d\s+s$", ""),
    (r"^\d+ tokens  .*$", "tokens and seconds"),
    (r"Loading … \d+\.\d s", "Loading … 0.0 s"),
    (r"\b\d{8}-\d{6}-[0-9a-z]{4}\b", "SESSION"),
    (r"qwen2\.5-coder:\S+ +[\d.]+ [GM]B .*$", "MODEL SIZE REMARK"),
    (r"qwen2\.5-coder:\S+", "MODEL"),
    (r"Pull 1 \([\d.]+ [GM]B\)", "Pull 1 (SIZE)"),
    (r"^ - Found .*\n", ""),
)
"""What differs from run to run, and the word that stands for it."""
PASTE = "\x1b[200~{}\x1b[201~"
CTRL_C, CTRL_D, CTRL_J, ESCAPE, UP, TAB = "\x03", "\x04", "\n", "\x1b", "\x1b[A", "\t"


class _Answering(pyte.HistoryScreen):
    """A screen that answers what a terminal is asked, such as where its cursor stands."""

    def __init__(self, program: pexpect.spawn[bytes], width: int, height: int) -> None:
        super().__init__(width, height, history=2000, ratio=0.5)
        self.program = program

    def write_process_input(self, data: str) -> None:
        self.program.send(data)

    def select_graphic_rendition(self, *attributes: int, **words: bool) -> None:
        """Keep what is dim, of which pyte knows nothing, as blinking."""
        dim = attributes[:1] == (2,)
        super().select_graphic_rendition(*((5, *attributes[1:]) if dim else attributes), **words)


class Terminal:
    """One program at its terminal."""

    def __init__(self, program: pexpect.spawn[bytes], width: int = WIDTH, height: int = HEIGHT) -> None:
        self.program = program
        self.screen = _Answering(program, width, height)
        self.stream = pyte.ByteStream(self.screen)

    def lines(self) -> list[str]:
        """What the screen shows, without the blanks at the ends."""
        shown = [line.rstrip() for line in self.screen.display]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    def text(self) -> str:
        return "\n".join(self.lines())

    def rows(self) -> list[Mapping[int, Any]]:
        """What has left the screen at its top, and what it shows: each cell with its looks."""
        shown = [self.screen.buffer[at] for at in range(len(self.lines()))]
        return [*self.screen.history.top, *shown]

    def scrolled(self) -> str:
        """The same as text."""
        cells = range(self.screen.columns)
        return "\n".join("".join(row[at].data for at in cells).rstrip() for row in self.rows())

    def shows(self, text: str) -> bool:
        """Whether this is on the screen, even where it is wrapped, between words or in a long path."""
        shown = self.text()
        return any(text in joined for joined in (shown, shown.replace("\n", " "), shown.replace("\n", "")))

    def wait(self, *texts: str) -> Terminal:
        """Wait until all of these are on the screen."""
        while not all(map(self.shows, texts)):
            try:
                self.stream.feed(self.program.read_nonblocking(65536, timeout=SECONDS))
            except (pexpect.TIMEOUT, pexpect.EOF) as error:
                raise AssertionError(f"{texts} is not on the screen:\n{self.text()}") from error
        return self

    def wait_status(self, text: str) -> Terminal:
        """Wait until this has been in a status line, which may be gone again where that was read late."""
        seen = self.shows(text)
        while not seen:
            data = self.program.read_nonblocking(65536, timeout=SECONDS)
            for drawn in re.split(rb"(?=\r)", data):
                self.stream.feed(drawn)
                seen = seen or self.shows(text)
        return self

    def wait_line(self, line: str) -> Terminal:
        """Wait until the last line is this one: the prompt is back."""
        while self.lines()[-1:] != [line]:
            self.wait_more(line)
        return self

    def wait_more(self, wanted: str) -> None:
        try:
            self.stream.feed(self.program.read_nonblocking(65536, timeout=SECONDS))
        except (pexpect.TIMEOUT, pexpect.EOF) as error:
            raise AssertionError(f"{wanted!r} is not the last line:\n{self.text()}") from error

    def read_until(self, text: str) -> bytes:
        """Give what the program writes until this is on the screen."""
        read = b""
        while text not in self.text():
            data = self.program.read_nonblocking(65536, timeout=SECONDS)
            self.stream.feed(data)
            read += data
        return read

    def resize(self, width: int, height: int = HEIGHT) -> Terminal:
        """Make the window narrower or wider, as a person does with the mouse; what was drawn for the other is
        read before.
        """
        assert self.program.pid is not None
        self.program.kill(signal.SIGSTOP)
        os.waitid(os.P_PID, self.program.pid or 0, os.WSTOPPED)
        with suppress(pexpect.TIMEOUT):
            while True:
                self.stream.feed(self.program.read_nonblocking(65536, timeout=0.1))
        self.screen.resize(height, width)
        self.program.setwinsize(height, width)
        self.program.kill(signal.SIGCONT)
        return self

    def type(self, keys: str) -> Terminal:
        self.program.send(keys)
        return self

    def send(self, line: str) -> Terminal:
        """Type a line once it can be read, and Enter."""
        return self.type(line).wait(line).type("\r")

    def end(self) -> int:
        """Wait for the program's end and give its exit code."""
        while True:
            try:
                self.stream.feed(self.program.read_nonblocking(65536, timeout=SECONDS))
            except pexpect.EOF:
                break
        self.program.wait()
        return self.program.exitstatus if self.program.exitstatus is not None else -1


@contextmanager
def opened(
    home: Path,
    *words: str,
    given: bool = True,
    agent: str = "coder",
    size: tuple[int, int] = (WIDTH, HEIGHT),
    **env: str,
) -> Iterator[Terminal]:
    """Start tripletick in the folder `project` of a home; `given` False: the folder is asked about;
    `agent` "": as it is configured.
    """
    kept = {name: os.environ[name] for name in ("PATH", "LC_ALL") if name in os.environ}
    settings = {"HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONWARNINGS": "error"}
    # what a request says in these tests is not what the script does
    settings |= {"TRIPLETICK_AGENT": agent} if agent else {}
    program: pexpect.spawn[bytes] = pexpect.spawn(
        sys.executable,
        ["-m", "tripletick.cli", *(("-C", ".") if given else ()), *words],
        cwd=str(home / "project"),
        env={**kept, **settings, **env},
        dimensions=(size[1], size[0]),
        timeout=SECONDS,
    )
    try:
        yield Terminal(program, *size)
    finally:
        # a busy machine may take longer over a kill than pexpect waits
        with suppress(pexpect.ExceptionPexpect):
            program.close(force=True)


def requests(home: Path) -> list[str]:
    """What was asked in all sessions of a home."""
    logs = (home / ".local" / "state" / "tripletick" / "sessions").glob("*.jsonl")
    records = [json.loads(each) for log in sorted(logs) for each in log.read_text().splitlines()]
    return [record["text"] for record in records if record["event"] == "Requested"]


def settled(text: str) -> str:
    """Give the text without what differs from run to run and from machine to machine."""
    for pattern, word in VARIES:
        text = re.sub(pattern, word, text, flags=re.MULTILINE)
    return text.rstrip("\n") + "\n"


def same_as(name: str, text: str) -> bool:
    """Compare with the screen that is kept under this name. With TRIPLETICK_WRITE_SCREENS=1 it is kept anew,
    and the test fails, so that nobody leaves it on.
    """
    kept = SCREENS / f"{name}.txt"
    if os.environ.get("TRIPLETICK_WRITE_SCREENS") == "1":
        kept.write_text(settled(text), encoding="utf-8")
        raise AssertionError(f"{kept.name} is kept anew: look at it, and run the test again")
    return kept.read_text(encoding="utf-8") == settled(text)

"""One server in one session: begun at its first use, once more where it ended, given up where that fails.

Whoever calls waits; calls of several threads run side by side.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tripletick.errors import TripletickError
from tripletick.halting import Halt
from tripletick.mcp import boxed
from tripletick.mcp.values import Offered, Said, ServerFailedError
from tripletick.redaction import KNOWN
from tripletick.sandbox.box import Box, Grant, Mode
from tripletick.sections import ServerSection

if TYPE_CHECKING:
    from tripletick.mcp.background import Background
    from tripletick.mcp.boxed import Program
    from tripletick.mcp.link import Link

OpenBox = Callable[[str, ServerSection, Halt], Box]
LASTING = 30 * 86400.0
"""Seconds after which even a server in a box is ended."""
HOMELY = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""Variables that a server without a box gets besides, as the SDK has it."""
MOST_FAILURES = 2
"""Starts in a row that may fail."""
DYING = 0.5
"""Seconds after a broken conversation within which a program that dies is gone."""
FOR_READING = frozenset({"landlock"})
"""Boxes that put .git back when a program ends: after hours, that would undo what was committed meanwhile."""
MUTE = "server {name} gave no answer within {seconds:g} s and was stopped"
NOT_BEGUN = "server {name} cannot be used: {why}"
FAILED = "server {name} failed: {why}"
DIED = "server {name} ended during the call: {why}"
NOT_AGAIN = "; it is not started again in this session"
TWICE = "; it was started again and ended again"
NOT_REPEATED = "; the call was not repeated, since it may have done its work"


class Server:
    """One server, its blocks in one mode."""

    def __init__(
        self, name: str, section: ServerSection, mode: Mode, behind: Background, open_box: OpenBox
    ) -> None:
        self.name, self.section = name, section
        self._mode, self._behind, self._open_box = mode, behind, open_box
        self._guard = threading.Lock()
        self._halt = Halt()
        self._box: Box | None = None
        self._link: Link | None = None
        self._program: Program | None = None
        self._tools: tuple[Offered, ...] = ()
        self._failures, self._failed = 0, ServerFailedError("")

    @property
    def confined(self) -> bool:
        """Whether what it does stays in a box without network."""
        return bool(self.section.command) and self.section.box and not self.section.network

    def tools(self, halt: Halt) -> tuple[Offered, ...]:
        """Give its tools; it is started where it does not run. Raises ServerFailedError."""
        with self._guard:
            if self._link is None or self._link.over or (self._program and self._program.over.is_set()):
                self._start(halt)
            return self._tools

    def call(self, tool: Offered, arguments: Mapping[str, Any], halt: Halt) -> Said:
        """Call a tool; where the server dies of it, once more if that can do no harm. Raises
        ServerFailedError.
        """
        again = tool.reads_only or tool.repeats or self.confined
        for then in (None, TWICE) if again else (NOT_REPEATED,):
            self.tools(halt)
            link, seconds = self._link, self.section.timeout
            assert link
            try:
                return self._behind.wait(link.call(tool.name, arguments), seconds, halt)
            except TimeoutError as error:
                self.stop(patience=0)
                raise ServerFailedError(MUTE.format(name=self.name, seconds=seconds)) from error
            except ServerFailedError as failure:
                if not self._died():
                    raise self._worded(FAILED, failure) from failure
                died = self._worded(DIED, self._reason(failure), then or "")
                self.stop(patience=0)
                if then is not None:
                    raise died from failure
        raise AssertionError("the last turn returns or raises")

    def stop(self, patience: float = boxed.GRACE) -> None:
        """End it."""
        link, program, self._link, self._program = self._link, self._program, None, None
        if link:
            self._behind.finish(link.close(), patience)
        if program:
            program.close(patience)

    def close(self) -> None:
        """End it and give back its box."""
        self.stop()
        if self._box:
            self._box.close()
            self._box = None

    def _start(self, halt: Halt) -> None:
        if self._failures >= MOST_FAILURES:
            raise ServerFailedError(str(self._failed) + NOT_AGAIN, self._failed.said)
        self.stop(patience=0)
        begun = False
        try:
            self._tools = self._behind.wait(self._opened().open(), self.section.timeout, halt)
            begun = True
        except TimeoutError as error:
            slow = ServerFailedError(f"no answer within {self.section.timeout:g} s")
            raise self._unusable(slow, 0) from error
        except (OSError, TripletickError) as error:
            raise self._unusable(ServerFailedError(str(error)), DYING) from error
        except ServerFailedError as error:
            raise self._unusable(error, DYING) from error
        finally:
            if not begun:
                self.stop(patience=0)
        self._failures = 0

    def _unusable(self, otherwise: ServerFailedError, seconds: float) -> ServerFailedError:
        self._failures += 1
        self._failed = self._worded(NOT_BEGUN, self._reason(otherwise, seconds))
        return self._failed

    def _worded(self, sentence: str, why: ServerFailedError, then: str = "") -> ServerFailedError:
        return ServerFailedError(sentence.format(name=self.name, why=why) + then, why.said)

    def _opened(self) -> Link:
        """Open the way to it. Raises OSError where its box cannot be had."""
        from tripletick.mcp import link

        link.silent()
        section = self.section
        KNOWN.learn_keys(os.environ.get(name, "") for name in section.env.split())
        if section.url:
            token = next((os.environ.get(name, "") for name in section.env.split()), "")
            self._link = link.Link(link.by_http(section.url, token))
            return self._link
        if self._box is None:
            self._box = self._open_box(self.name, section, self._halt)
        network = Grant(network=section.network and self._box.holds)
        own = boxed.words_of(section.command)
        words = boxed.led(own)
        mode: Mode = "read" if self._box.name in FOR_READING else self._mode
        running = self._box.run(words, mode=mode, timeout=LASTING, env=_environment(section), grant=network)
        self._program = boxed.Program(self._box, self._halt, running, own[0])
        self._link = link.Link(link.by_pipes(self._program))
        return self._link

    def _died(self) -> bool:
        program = self._program
        return bool(self._link is None or self._link.over or (program and program.ended(DYING)))

    def _reason(self, otherwise: ServerFailedError, seconds: float = DYING) -> ServerFailedError:
        """Say why it failed: how its program ended, what it said that was no message, or the error itself."""
        program = self._program
        if program and (ended := program.ended(seconds)):
            return ServerFailedError(ended, program.last_words)
        if program and program.broke:
            return ServerFailedError(program.broke, program.rubbish)
        return otherwise


def _environment(section: ServerSection) -> dict[str, str]:
    names: Sequence[str] = section.env.split()
    names = (*names, *HOMELY) if not section.box else names
    return {name: os.environ[name] for name in names if name in os.environ}

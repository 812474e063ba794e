"""One server in one session: started at first use, restarted once if it ends, then given up.

Whoever calls waits; calls of several threads run side by side.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tripletick.config.schema import ServerSection
from tripletick.errors import TripletickError
from tripletick.mcp import server_process
from tripletick.mcp.values import CallResult, McpServerError, McpTool
from tripletick.sandbox.box import Box, Grant, Mode, RunRequest
from tripletick.system.cancellation import CancelToken
from tripletick.system.redaction import KNOWN

if TYPE_CHECKING:
    from tripletick.mcp.connection import McpConnection
    from tripletick.mcp.event_loop import EventLoopThread
    from tripletick.mcp.server_process import ServerProcess

OpenBox = Callable[[str, ServerSection, CancelToken], Box]
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
UNBOXED = "the editor's tool servers run in a sandbox only, and there is none"
NOT_AGAIN = "; it is not started again in this session"
TWICE = "; it was started again and ended again"
NOT_REPEATED = "; the call was not repeated, since it may have done its work"


class McpServer:
    """One server, its blocks in one mode."""

    def __init__(
        self, name: str, section: ServerSection, mode: Mode, behind: EventLoopThread, open_box: OpenBox
    ) -> None:
        self.name, self.section = name, section
        self._mode, self._behind, self._open_box = mode, behind, open_box
        self._guard = threading.Lock()
        self._halt = CancelToken()
        self._box: Box | None = None
        self._link: McpConnection | None = None
        self._program: ServerProcess | None = None
        self._tools: tuple[McpTool, ...] = ()
        self._failures, self._failed = 0, McpServerError("")

    @property
    def is_confined(self) -> bool:
        """Whether what it does stays in a box without network."""
        return bool(self.section.command) and self.section.box and not self.section.network

    def list_tools(self, halt: CancelToken) -> tuple[McpTool, ...]:
        """Give its tools; it is started where it does not run. Raises McpServerError."""
        with self._guard:
            if self._link is None or self._link.is_closed or (self._program and self._program.over.is_set()):
                self._start_server(halt)
            return self._tools

    def call_tool(self, tool: McpTool, arguments: Mapping[str, Any], halt: CancelToken) -> CallResult:
        """Call a tool; where the server dies of it, once more if that can do no harm. Raises
        McpServerError.
        """
        again = tool.reads_only or tool.repeats or self.is_confined
        for then in (None, TWICE) if again else (NOT_REPEATED,):
            self.list_tools(halt)
            link, seconds = self._link, self.section.timeout
            assert link
            try:
                return self._behind.run_coroutine(link.call_tool(tool.name, arguments), seconds, halt)
            except TimeoutError as error:
                self.stop(patience=0)
                raise McpServerError(MUTE.format(name=self.name, seconds=seconds)) from error
            except McpServerError as failure:
                if not self._has_died():
                    raise self._make_error(FAILED, failure) from failure
                died = self._make_error(DIED, self._find_reason(failure), then or "")
                self.stop(patience=0)
                if then is not None:
                    raise died from failure
        raise AssertionError("the last turn returns or raises")

    def stop(self, patience: float = server_process.GRACE) -> None:
        """End it."""
        link, program, self._link, self._program = self._link, self._program, None, None
        if link:
            self._behind.finish_within(link.close(), patience)
        if program:
            program.close(patience)

    def close(self) -> None:
        """End it and give back its box."""
        self.stop()
        if self._box:
            self._box.close()
            self._box = None

    def _start_server(self, halt: CancelToken) -> None:
        if self._failures >= MOST_FAILURES:
            raise McpServerError(str(self._failed) + NOT_AGAIN, self._failed.said)
        self.stop(patience=0)
        begun = False
        try:
            self._tools = self._behind.run_coroutine(
                self._open_connection().open(), self.section.timeout, halt
            )
            begun = True
        except TimeoutError as error:
            slow = McpServerError(f"no answer within {self.section.timeout:g} s")
            raise self._record_failure(slow, 0) from error
        except (OSError, TripletickError) as error:
            raise self._record_failure(McpServerError(str(error)), DYING) from error
        except McpServerError as error:
            raise self._record_failure(error, DYING) from error
        finally:
            if not begun:
                self.stop(patience=0)
        self._failures = 0

    def _record_failure(self, otherwise: McpServerError, seconds: float) -> McpServerError:
        self._failures += 1
        self._failed = self._make_error(NOT_BEGUN, self._find_reason(otherwise, seconds))
        return self._failed

    def _make_error(self, sentence: str, why: McpServerError, then: str = "") -> McpServerError:
        return McpServerError(sentence.format(name=self.name, why=why) + then, why.said)

    def _open_connection(self) -> McpConnection:
        """Open the way to it. Raises OSError where its box cannot be had."""
        from tripletick.mcp import connection

        connection.silence_logging()
        section = self.section
        passed = section.get_variables()
        KNOWN.learn_keys(passed.values())
        if section.url:
            token = next(iter(passed.values()), "")
            self._link = connection.McpConnection(connection.connect_http(section.url, token))
            return self._link
        if self._box is None:
            self._box = self._open_box(self.name, section, self._halt)
        if section.boxed_only and not self._box.holds:
            raise McpServerError(UNBOXED)
        network = Grant(network=section.network and self._box.holds)
        own = server_process.split_command(section.command)
        words = server_process.wrap_command(own)
        server_process.write_variables(self._box.home, passed)
        mode: Mode = "read" if self._box.name in FOR_READING else self._mode
        homely = {} if section.box else {name: os.environ[name] for name in HOMELY if name in os.environ}
        running = self._box.run(RunRequest(words, mode, LASTING, homely, network))
        self._program = server_process.ServerProcess(self._box, self._halt, running, own[0])
        self._link = connection.McpConnection(connection.connect_pipes(self._program))
        return self._link

    def _has_died(self) -> bool:
        program = self._program
        return bool(self._link is None or self._link.is_closed or (program and program.wait_for_exit(DYING)))

    def _find_reason(self, otherwise: McpServerError, seconds: float = DYING) -> McpServerError:
        """Say why it failed: how its program ended, what it said that was no message, or the error itself."""
        program = self._program
        if program and (ended := program.wait_for_exit(seconds)):
            return McpServerError(ended, program.last_error_line)
        if program and program.broke:
            return McpServerError(program.broke, program.rubbish)
        return otherwise

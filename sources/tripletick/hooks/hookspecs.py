"""The points at which hooks are called, and what each may give back."""

from __future__ import annotations

import pluggy

from tripletick.events import Event
from tripletick.hooks import Confirm, Refuse
from tripletick.messages import Call, Result

_point = pluggy.HookspecMarker("tripletick")


class HookSpecs:
    """A hook has the name of its point, takes any of its arguments, and gives None to leave all as it is."""

    @_point
    def pre_request(self, request: str, agent: str) -> str | None:
        """Before the model gets a request: give the request that it gets instead."""

    @_point
    def pre_tool(self, call: Call, agent: str) -> Call | Refuse | Confirm | None:
        """Before a block is run: give another call, a refusal or a question to the user."""

    @_point
    def post_tool(self, call: Call, result: Result) -> Result | None:
        """After a block was run: give the result that the model and the user get instead."""

    @_point
    def pre_response(self, answer: str) -> str | None:
        """Before an answer is shown: give another one."""

    @_point
    def on_event(self, event: Event) -> None:
        """At everything that happens; what it gives is not looked at."""


POINTS = tuple(name for name in vars(HookSpecs) if not name.startswith("_"))

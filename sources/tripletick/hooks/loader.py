"""Where hooks come from: modules of the user's config folder and entry points of packages.

pluggy registers them: it knows the marks, tells what does not fit a point, and orders by tryfirst and
trylast. A module that cannot be loaded is told, and harms no other.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pluggy

from tripletick.events import Event
from tripletick.hooks import (
    Confirm,
    Hook,
    Refuse,
    call_with_timeout,
    find_error_line,
    format_error,
    format_location,
    shorten_line,
)
from tripletick.messages import Call, Result
from tripletick.system.dirs import abbreviate_home
from tripletick.system.entry_points import EntryPoint

SECONDS = 20.0
"""What a module may take to be loaded."""
NOT_LOADED = "The hooks in {at} are not used: {why}."
SLOW = "loading takes longer than {seconds:g} s"
NO_POINT = "there is no hook {name}; there are: {names}"
WRAPPER = "{name} is a hook wrapper, which is not supported"
Tell = Callable[[str], None]

_point = pluggy.HookspecMarker("tripletick")


def load_hooks(files: list[Path], packages: list[EntryPoint], tell: Tell) -> dict[str, list[Hook]]:
    """Give the hooks of these by their points, in the order in which they are called."""
    manager = pluggy.PluginManager("tripletick")
    manager.add_hookspecs(HookSpecs)
    places: dict[Any, tuple[str, str]] = {}
    for at, file, opens in (*map(_make_file_source, files), *map(_make_package_source, packages)):
        plugin = _open_plugin(at, file, opens, tell)
        if plugin is not None and _register_plugin(manager, plugin, at, tell):
            places[plugin] = (at, file or str(getattr(plugin, "__file__", "")))
    return {name: list(_collect_hooks(manager, name, places)) for name in POINTS}


def _make_file_source(path: Path) -> tuple[str, str, Callable[[], Any]]:
    return abbreviate_home(path), str(path), partial(_load_module, path)


def _make_package_source(one: EntryPoint) -> tuple[str, str, Callable[[], Any]]:
    def opens() -> Any:
        module: Any = importlib.import_module(one.module)
        for name in filter(None, one.attribute.split(".")):
            module = getattr(module, name)
        return module

    return f"package {one.package}", "", opens


def _load_module(path: Path) -> types.ModuleType:
    """Run a file as a module; nothing is written beside it."""
    module = types.ModuleType(f"tripletick_hooks_{path.stem}")
    module.__file__, sys.modules[module.__name__] = str(path), module
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    return module


def _open_plugin(at: str, file: str, opens: Callable[[], Any], tell: Tell) -> Any:
    came = call_with_timeout(SECONDS, opens, {})
    if came is None:
        tell(NOT_LOADED.format(at=at, why=SLOW.format(seconds=SECONDS)))
        return None
    plugin, error = came
    if error is not None:
        line = find_error_line(error, file) if file else 0
        tell(NOT_LOADED.format(at=f"{at}:{line}" if line else at, why=format_error(error)))
    return plugin


def _register_plugin(manager: pluggy.PluginManager, plugin: Any, at: str, tell: Tell) -> bool:
    """Register a module; what does not fit is told, and nothing of it is used then."""
    try:
        manager.register(plugin)
    except (pluggy.PluginValidationError, ValueError) as error:
        problem = str(error)
    else:
        callers = manager.get_hookcallers(plugin) or []
        unknown = [caller.name for caller in callers if caller.name not in POINTS]
        wrappers = [
            caller.name
            for caller in callers
            for one in caller.get_hookimpls()
            if one.plugin is plugin and (one.wrapper or one.hookwrapper)
        ]
        problem = NO_POINT.format(name=unknown[0], names=", ".join(POINTS)) if unknown else ""
        problem = problem or (WRAPPER.format(name=wrappers[0]) if wrappers else "")
    if problem:
        if manager.is_registered(plugin):
            manager.unregister(plugin)
        tell(NOT_LOADED.format(at=at, why=shorten_line(problem).rstrip(".")))
    return not problem


def _collect_hooks(
    manager: pluggy.PluginManager, name: str, places: dict[Any, tuple[str, str]]
) -> Iterator[Hook]:
    # pluggy keeps them in the reverse of the order in which it calls them
    for one in reversed(getattr(manager.hook, name).get_hookimpls()):
        at, file = places[one.plugin]
        yield Hook(name, one.function, tuple(one.argnames), format_location(one.function, at), file)


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

"""Loads a file or a module, describes the functions in it that are tools, or calls one.

Given a folder: `ask.json` in it says what to do, `result.json` is what came of it; what is printed is the
tool's output.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
import json
import sys
import traceback
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import MARK, NAME, tool
from .type_adapters import (
    PLAIN,
    InvalidArgumentError,
    TypeAdapter,
    UnsupportedTypeError,
    adapt_type,
    convert_arguments,
)

LONGEST = 8 << 20
"""Characters of a result."""


class ToolFunction:
    """A marked function with the shapes of its parameters. Raises UnfitError."""

    def __init__(self, name: str, function: Any) -> None:
        self.name, self.writes = (
            _get_tool_name(name, function),
            bool(getattr(function, MARK, {}).get("writes")),
        )
        self.function, self.plain = function, inspect.unwrap(function)
        if not inspect.isfunction(self.plain):
            raise UnsupportedTypeError("it is not a function")
        self.parameters = inspect.signature(self.plain).parameters
        self.shapes = {name: self._adapt_parameter(one) for name, one in self.parameters.items()}
        empty = inspect.Parameter.empty
        self.required = [name for name, one in self.parameters.items() if one.default is empty]

    def _adapt_parameter(self, one: inspect.Parameter) -> TypeAdapter:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            raise UnsupportedTypeError(f"{one} has no name that could be given")
        hints = typing.get_type_hints(self.plain, include_extras=True)
        untold = type(one.default) if type(one.default) in PLAIN else Any
        try:
            return adapt_type(hints.get(one.name, untold))
        except UnsupportedTypeError as error:
            raise UnsupportedTypeError(
                f"the type of {one.name}, {error}, is none that can be written"
            ) from error

    def to_dict(self) -> dict[str, Any]:
        rows = [
            {
                "name": name,
                "schema": shape.schema,
                "required": name in self.required,
                **self._default_entry(name),
            }
            for name, shape in self.shapes.items()
        ]
        doc = inspect.getdoc(self.plain) or ""
        return {"name": self.name, "doc": doc, "writes": self.writes, "parameters": rows, "line": self.line}

    def _default_entry(self, name: str) -> dict[str, Any]:
        try:
            json.dumps(self.parameters[name].default)
        except (TypeError, ValueError, RecursionError):
            return {}
        return {"default": self.parameters[name].default}

    @property
    def line(self) -> int:
        return int(self.plain.__code__.co_firstlineno)

    def call(self, given: dict[str, Any]) -> Any:
        """Call it. Raises WrongError, and whatever it raises itself."""
        values = convert_arguments(self.shapes, self.required, given)
        first = [name for name, one in self.parameters.items() if one.kind is one.POSITIONAL_ONLY]
        placed = [values.pop(name) for name in first if name in values]
        result = self.function(*placed, **values)
        if inspect.isasyncgen(result):
            result = _print_async_yields(result)
        if inspect.iscoroutine(result):
            import asyncio

            result = asyncio.run(result)
        return _print_yields(result) if inspect.isgenerator(result) else result


def _print_yields(pieces: Any) -> Any:
    """Print what a generator yields, a line each; give what it returns."""
    while True:
        try:
            _print_piece(next(pieces))
        except StopIteration as end:
            return end.value


async def _print_async_yields(pieces: Any) -> None:
    async for piece in pieces:
        _print_piece(piece)


def _print_piece(piece: Any) -> None:
    text = str(piece)
    print(text, end="" if text.endswith("\n") else "\n", flush=True)  # noqa: T201 - output is its work


def _get_tool_name(name: str, function: Any) -> str:
    return getattr(function, MARK, {}).get("name") or name


def load_module(ask: dict[str, Any]) -> types.ModuleType:
    """Import a file, or the module of an entry point."""
    sys.path += [entry for entry in ask.get("path", ()) if entry not in sys.path]
    spec = importlib.util.find_spec("tripletick")
    if spec is None or spec.origin is None:
        # in a box: there is only this file, or a folder of that name that holds no code
        package = types.ModuleType("tripletick")
        package.tool = tool  # type: ignore[attr-defined]  # a module made by hand
        sys.modules["tripletick"] = package
    if "module" in ask:
        return importlib.import_module(ask["module"])
    path = Path(ask["file"])
    # behind all others: random.py here must not be the random of everybody
    sys.path.append(str(path.parent))
    module = types.ModuleType(f"own_{path.stem}")
    module.__file__, sys.modules[module.__name__] = str(path), module
    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    return module


def find_functions(ask: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the functions that are tools, by name; an entry point may name one that is not marked."""
    module = load_module(ask)
    if ask.get("attribute"):
        yield ask["attribute"].rpartition(".")[2], _resolve_attribute(module, ask["attribute"])
        return
    for name, value in list(vars(module).items()):
        if MARK in getattr(value, "__dict__", ()):
            yield name, value


def _resolve_attribute(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name)
    return module


def describe_tools(ask: dict[str, Any]) -> dict[str, Any]:
    """Describe each tool, or say why that cannot be."""
    tools, problems = [], []
    for name, function in find_functions(ask):
        try:
            tools.append(ToolFunction(name, function).to_dict())
        except (
            UnsupportedTypeError,
            NameError,
            AttributeError,
            TypeError,
            ValueError,
            RecursionError,
        ) as error:
            line = getattr(getattr(inspect.unwrap(function), "__code__", None), "co_firstlineno", 0)
            problems.append({"name": name, "line": line, "what": str(error)})
    return {"tools": tools, "problems": problems}


def call_tool(ask: dict[str, Any]) -> dict[str, Any]:
    """Call one tool."""
    for name, function in find_functions(ask):
        if _get_tool_name(name, function) == ask["tool"]:
            try:
                values = ToolFunction(name, function).call(ask["arguments"])
            except InvalidArgumentError as wrong:
                return {"wrong": str(wrong)}
            return {"text": to_text(values)}
    return {"wrong": f"{ask['tool']} is not there any more"}


def to_text(value: Any) -> str | None:
    """Write a result for the model; None says nothing."""
    if value is None or isinstance(value, str):
        return value and value[:LONGEST]
    try:
        return json.dumps(value, ensure_ascii=False, default=_to_jsonable)[:LONGEST]
    except (TypeError, ValueError):
        return str(value)[:LONGEST]


def _to_jsonable(value: Any) -> Any:
    record = dataclasses.is_dataclass(value) and not isinstance(value, type)
    return dataclasses.asdict(value) if record else str(value)


def main(folder: Path) -> None:
    """Do what the folder asks."""
    # `from tripletick import tool` gives the mark that is looked for here
    sys.modules[NAME] = sys.modules[__package__ or ""]
    ask = json.loads((folder / "ask.json").read_bytes())

    def tell(result: dict[str, Any]) -> None:
        text = json.dumps(result, default=str)
        (folder / "result.json").write_text(text, encoding="utf-8", errors="replace")

    def fail(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
        lines = [frame.lineno for frame in traceback.extract_tb(trace) if frame.filename == ask.get("file")]
        line = error.lineno if isinstance(error, SyntaxError) and not lines[1:] else (lines or [0])[-1]
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        tell({"error": f"{kind.__name__}: {said}" if said else kind.__name__, "line": line or 0})

    # what a tool raises is told there and nowhere else
    sys.excepthook = fail
    tell({"describe": describe_tools, "call": call_tool}[ask["do"]](ask))

"""What Tab makes of a line: commands and what they take, agents, models, and paths with their cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice

from tripletick.agents.definitions import AUTO
from tripletick.chat.commands import mentions
from tripletick.chat.commands.chat_context import ChatContext, Names, SlashCommand
from tripletick.chat.commands.output import edit_text, toggle_reasoning
from tripletick.paths import PathRefused
from tripletick.session import mentioned_files
from tripletick.system.lazy_regex import lazy_regex
from tripletick.ui.input_line import KeyActions, Suggestion
from tripletick.ui.sanitize import escape_controls

MOST = 200
_WORD = lazy_regex(r'(?<!\S)(?P<sign>@?)(?P<quote>"?)(?P<start>[^\s"@]*)$')


def make_keyboard(desk: ChatContext, commands: Mapping[str, SlashCommand]) -> KeyActions:
    """Give what the keys of a line can reach."""
    return KeyActions(
        lambda so_far: filter(_is_printable, _complete_line(desk, commands, so_far)),
        lambda text: mentions.format_mention_cost(desk, text),
        lambda: toggle_reasoning(desk),
        lambda text: edit_text(desk, text),
    )


def complete_agents(desk: ChatContext, start: str) -> Iterator[Suggestion]:
    """Give the agents whose names begin so."""
    return _match_prefix((*desk.app.prompts.agents, AUTO), start)


def complete_models(desk: ChatContext, start: str) -> Iterator[Suggestion]:
    """Give the models of the server, which is asked once, and of this machine."""
    from tripletick.session import model_list

    desk.models = desk.models or model_list.list_model_names(desk.app.config, desk.app.places.cache)
    return _match_prefix(desk.models, start)


def complete_outputs(desk: ChatContext, start: str) -> Iterator[Suggestion]:
    """Give the numbers of the long outputs."""
    return _match_prefix(map(str, desk.terminal.list_outputs()), start)


def complete_from(*words: str) -> Names:
    """Give what offers these words."""
    return lambda desk, start: _match_prefix(words, start)


def complete_paths(desk: ChatContext, start: str, quote: str = "") -> Iterator[Suggestion]:
    """Give what lies in the workspace and may be shown to the model, files with their tokens."""
    loop = desk.app.loop
    if loop is None:
        return
    folder, slash, name = start.rpartition("/")
    workspace = loop.context.workspace
    with suppress(PathRefused):
        place = workspace.resolve_path(folder or ".").path
        hides, below = workspace.make_hidden_check(), "" if place == "." else f"{place}/"
        fitting = (each for each in workspace.list_kinds(place).items() if each[0].startswith(name))
        for each, kind in islice(fitting, MOST):
            end = {"folder": "/", "file": ""}.get(kind)
            if end is None or hides(f"{below}{each}{end}"):
                continue
            if each.startswith(".") and not name:
                continue
            whole = f"{folder}{slash}{each}{end}"
            whole = f'"{whole}"' if quote or " " in whole else whole
            size = 0 if end else workspace.get_size(below + each)
            shown = f"{each}{end}" if end else f"{each} ({mentioned_files.format_size(loop, size)})"
            yield Suggestion(whole, len(start) + len(quote), shown)


def _complete_line(
    desk: ChatContext, commands: Mapping[str, SlashCommand], so_far: str
) -> Iterator[Suggestion]:
    typed, blank, rest = so_far.partition(" ")
    if so_far.startswith("/") and not blank:
        yield from _match_prefix(
            (f"/{name}{' ' * bool(row.takes)}" for name, row in commands.items()), so_far
        )
    elif so_far.startswith("/"):
        row = commands.get(typed[1:])
        yield from row.names(desk, rest) if row and row.names else ()
    elif (word := _WORD.search(so_far)) and (word["sign"] or so_far.startswith("!")):
        if word.start() == 0 and not word["quote"]:
            yield from (Suggestion(f"{one.text} ", one.back) for one in complete_agents(desk, word["start"]))
        yield from complete_paths(desk, word["start"], word["quote"])


def _is_printable(choice: Suggestion) -> bool:
    """False for a name that would not show as what it is: servers and folders bring any."""
    return escape_controls(choice.text) == choice.text and choice.text.isprintable()


def _match_prefix(words: Iterable[str], start: str) -> Iterator[Suggestion]:
    return (Suggestion(word, len(start)) for word in words if word.startswith(start))

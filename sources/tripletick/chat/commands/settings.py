"""Slash commands on how it works: the context's size, the settings with their origin, the agent's tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace

from tripletick.chat.commands.chat_context import ChatContext
from tripletick.chat.commands.status import current_model_name
from tripletick.config.config import Config, SettingValue, parse_value
from tripletick.system.text import format_size
from tripletick.tools.tool import Tool

NOW = "The context is {window} tokens. To change it: /ctx 16384"
AS_SHIPPED = "All other settings have their defaults. Every setting is described in {path}"
NO_SETTING = "No setting has {word} in its name. All that were changed: /config"
NO_TAGS = "{name} has no tags; it only answers in words."
COSTS = "{summary} ({word}{example})"
AFTER = ", plus {example} after a failure"
ALSO = "Also the languages installed here: {names}"


def set_context(desk: ChatContext, number: str) -> None:
    """Tell the context's size, or ask the engine for another: all is read anew then, and that is said."""
    app = desk.app
    if not number:
        window = (
            app.loop.replies.budget.window
            if app.loop
            else app.config.model.context or ("the default number of")
        )
        desk.screen.say(NOW.format(window=window))
        return
    thousands = re.fullmatch(r"(\d+)k", number, re.IGNORECASE)
    text = str(int(thousands[1]) * 1024) if thousands else number
    context = parse_value(SettingValue("model", "context", text, "/ctx"))
    config, old = app.config, app.loop
    where = {**config.where, "model.context": "/ctx"}
    app.config = replace(config, model=replace(config.model, context=context), where=where)
    desk.run_turn(app.use_model(current_model_name(app) if app.model_info else config.model.name))
    if app.loop is old:
        app.config = config
    elif app.loop:
        desk.screen.say(NOW.format(window=app.loop.replies.budget.window))


def show_config(desk: ChatContext, word: str) -> None:
    """Show the settings that were set, each with where; with a word those whose names hold it."""
    rows = list(_list_settings(desk.app.config, word))
    if rows:
        desk.show_table(rows)
    elif word:
        desk.screen.say(NO_SETTING.format(word=word))
    if not word:
        desk.screen.say(AS_SHIPPED.format(path=desk.app.places.shipped_config))


def show_tools(desk: ChatContext, rest: str) -> None:
    """Show the tags of the agent at work, each with what it does."""
    app = desk.app
    loop, agent = desk.open_loop(), app.find_agent()
    if loop is None:
        return
    own = [tag for tag in agent.tools if tag in loop.tools]
    if not own:
        desk.screen.say(NO_TAGS.format(name=agent.name))
        return
    rate = loop.replies.budget.rate
    desk.show_table([(tag, _describe_tool(loop.tools[tag], rate)) for tag in own])
    also = [
        tag
        for tag in loop.conversation.also
        if tag in agent.list_owned_tags(loop.replies.languages) and tag not in own
    ]
    if also:
        desk.screen.say(ALSO.format(names=" ".join(also)))


def _describe_tool(tool: Tool, rate: float) -> str:
    word, example = tool.format_costs(rate)
    more = AFTER.format(example=example.partition(" ")[0]) if example else ""
    return COSTS.format(summary=tool.summary, word=word, example=more)


def _list_settings(config: Config, word: str) -> Iterator[tuple[str, str]]:
    """Give name and value of each setting that is asked for, with the file and line or flag behind it."""
    for section in config.list_sections():
        values = config.get_section(section)
        for setting in fields(values):
            name, value = f"{section}.{setting.name}", getattr(values, setting.name)
            changed = value != setting.default
            if word in name if word else changed:
                where = config.where.get(name, "chosen in this chat" if changed else "default")
                yield name, f"{_format_value(value, setting.metadata['kind'])}  ({where})"


def _format_value(value: object, kind: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return format_size(value) if kind == "size" and isinstance(value, int) else str(value)

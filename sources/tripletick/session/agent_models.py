"""A model for each agent: `[model.NAME]` of the user's config, else `model =` in the agent's file.

What a flag, a variable or /model says stands above both. Two agents whose models differ in nothing but how
they are sampled share one. Which engine a name means is in model_selection.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from tripletick.agents.definitions import Agent, Prompts
from tripletick.config.config import Config
from tripletick.config.schema import ModelSection
from tripletick.dialects import selection
from tripletick.history.history import Past
from tripletick.models import hosts
from tripletick.models.conversation import TokenBudget
from tripletick.models.model import Model, ModelInfo, Sampling
from tripletick.session import images, model_selection
from tripletick.system.cancellation import CancelToken
from tripletick.system.text import suggest_name
from tripletick.turn.loop import Loop
from tripletick.turn.reply import ReplySource

FAMILY = "model"
CHAT = "/model"
"""Stands where a setting was set for what the user chose in the chat."""
STRONGER = (CHAT, "--", "TRIPLETICK_")
"""How the places begin that win over what an agent has of its own."""
THINK = {"auto": None, "yes": True, "no": False}
ANEW = "Switched to {name}, which has to read the whole conversation again."
OWN = "{agent} uses its own model, {name}, which has to read the whole conversation again."
NEWEST = "the server's newest model"
RELOADS = "Changing models takes time: the server may have to unload one to load the other."
NOBODY = "{where}: no agent is named {name!r}{near}; its model is ignored."


def config_for_agent(config: Config, agent: Agent) -> Config:
    """Give the config as it holds for this agent."""
    section = f"{FAMILY}.{agent.name}"
    own = config.named.get(section)
    keys = (known.name for known in fields(ModelSection))
    given = {key: getattr(own, key) for key in keys if own and f"{section}.{key}" in config.where}
    if agent.model:
        given.setdefault("name", agent.model)
    kept = {key: value for key, value in given.items() if not _is_user_override(config, key)}
    if not kept:
        return config
    places = {f"{FAMILY}.{key}": config.where.get(f"{section}.{key}", agent.name) for key in kept}
    return replace(config, model=replace(config.model, **kept), where={**config.where, **places})


def apply_agent_temperature(config: Config, agent: Agent) -> Agent:
    """Give the agent with the temperature that the user has set for it."""
    if f"{FAMILY}.{agent.name}.temperature" not in config.where:
        return agent
    return replace(agent, temperature=config_for_agent(config, agent).model.temperature)


def set_chosen_model(config: Config, name: str, host: str | None = None) -> Config:
    """Give the config with the model that the user chose for all that follows, and its server's address,
    None for that of before. Nobody has said that another server may have the key.
    """
    model = config.model
    if host is not None and host != model.host:
        model = replace(model, host=host, key_env="" if host else model.key_env)
    return replace(
        config,
        model=replace(model, name=name),
        where={**config.where, f"{FAMILY}.name": CHAT},
    )


def make_sampling(config: Config) -> Sampling:
    """Say how the model is asked."""
    wanted = config.model
    seed = None if wanted.seed < 0 else wanted.seed
    return Sampling(wanted.output, wanted.temperature, seed, THINK[wanted.think], wanted.think_tokens)


def with_sampling(loop: Loop, config: Config) -> Loop:
    """Give the loop with its model asked as the config says."""
    asked = replace(make_sampling(config), tools=loop.replies.sampling.tools)
    return replace(loop, replies=replace(loop.replies, sampling=asked))


def carry_over_conversation(new: Loop, old: Loop) -> Loop:
    """Give the new loop with the conversation of the old one, whose model is closed."""
    conversation = old.conversation
    conversation.adopt_front(new.conversation)
    selection.rewrite_calls(conversation, new.replies.dialect, new.tools)
    old.close()
    context = replace(new.context, ledger=old.context.ledger)
    return replace(
        new, replies=replace(new.replies, conversation=conversation), context=context, gate=old.gate
    )


def carry_over_replies(new: Loop, old: Loop) -> Loop:
    """Give the new loop with the conversation and the model of the old one, which worked elsewhere."""
    conversation, front = old.conversation, new.conversation
    if conversation.system != front.system:
        conversation.adopt_front(front)
    return replace(new, replies=old.replies, context=replace(new.context, ledger=old.context.ledger))


def resume_session(loop: Loop, past: Past, folder: Path, model: str) -> Iterator[str]:
    """Give the loop the conversation of a session that is gone on with; gives lines for the user."""
    replies = loop.replies
    yield from past.take_up(loop.conversation, replies.budget, str(folder), model)
    yield from images.reload_images(loop.conversation, loop.context.workspace)
    selection.rewrite_calls(loop.conversation, replies.dialect, loop.tools)


def describe_switch(config: Config, agent: Agent, *, first: bool) -> Iterator[str]:
    """Say that another model goes on, and the first time what that costs."""
    own = config_for_agent(config, agent).model.name
    words = OWN if own != config.model.name else ANEW
    yield words.format(agent=agent.name, name=own or NEWEST)
    if first:
        yield RELOADS


def list_startup_notices(config: Config, about: ModelInfo, prompts: Prompts) -> Iterator[str]:
    """Say before the first request where it goes, if not to this machine, and what the config has amiss."""
    if about.engine in model_selection.EMPTY:
        yield from hosts.warn_remote(about.where)
    if about.untemplated:
        from tripletick.models import chat_templates

        yield chat_templates.LACKS.format(name=about.name)
    yield from (each.format_line() for each in prompts.broken.values())
    yield from _warn_unknown_agents(config, sorted({*prompts.agents, *prompts.lacking, *prompts.broken}))


def _warn_unknown_agents(config: Config, names: Sequence[str]) -> Iterator[str]:
    """Name the sections that are no agent's, with the nearest one that is."""
    for section in config.named:
        family, _, name = section.partition(".")
        if family == FAMILY and name not in names:
            places = (place for key, place in config.where.items() if key.startswith(f"{section}."))
            yield NOBODY.format(where=next(places, section), name=name, near=suggest_name(name, names))


def _is_user_override(config: Config, key: str) -> bool:
    place = config.where.get(f"{FAMILY}.{key}", "")
    return place == CHAT or place.startswith(STRONGER[1:])


@dataclass(slots=True)
class AgentModels:
    """The models of a plan's tasks; those that are not the session's are opened once and closed with this."""

    config: Config
    agent_config: Config
    """As the session's model was opened."""
    _opened: list[tuple[Config, Model, int]] = field(default_factory=list)
    _beside: dict[tuple[int, int], Model] = field(default_factory=dict)

    def assign_model(self, agent: Agent, replies: ReplySource, number: int, halt: CancelToken) -> ReplySource:
        """Give an agent the model that it works with at a slot. Raises what cannot be opened."""
        config = config_for_agent(self.config, agent)
        asked = replace(make_sampling(config), tools=replies.sampling.tools)
        if not model_selection.needs_reload(self.agent_config, config):
            return replace(replies, sampling=asked)
        at = self._find_or_open(config)
        _, first, window = self._opened[at]
        model = self._beside.get((at, number)) or first.fork(number, halt)
        self._beside[at, number] = model
        budget = TokenBudget(window, replies.budget.full, replies.budget.target)
        return replace(replies, model=model, budget=budget, sampling=asked)

    def close(self) -> None:
        for model in (*self._beside.values(), *(model for _, model, _ in self._opened)):
            model.close()
        self._beside.clear()
        self._opened.clear()

    def _find_or_open(self, config: Config) -> int:
        for at, (other, _, _) in enumerate(self._opened):
            if not model_selection.needs_reload(other, config):
                return at
        model = model_selection.open_configured_model(config, lambda line: None)
        window = model.set_context(model_selection.choose_context(config, model.get_info()))
        self._opened.append((config, model, window))
        return len(self._opened) - 1

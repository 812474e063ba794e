"""The engines of a batch, how many slots each has, and which of them may do a task.

The engines are those of `[model] hosts`, for a task that names its agent those of `[model.NAME]`. Without
any, it is the one that the settings name, on each machine of a cluster its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tripletick.batch.task_queue import BatchSlot, Pool
from tripletick.batch.tasks import BatchTask
from tripletick.config.config import Config
from tripletick.config.schema import ModelSection
from tripletick.models.hosts import parse_address
from tripletick.session.model_selection import check_host

FAMILY = "model."
UNNAMED = "engine {number}"
"""Of a machine of a cluster, which only Ray knows."""


@dataclass(frozen=True, slots=True)
class EngineLayout:
    """The engines by their addresses; "" is the one that the settings name."""

    usual: Pool
    own: Mapping[str, Pool]
    """By agent."""
    each: int = 1
    """Places at an engine."""
    agent: str = ""
    """Of tasks that name none."""

    def choose_pool(self, task: BatchTask) -> Pool:
        return self.own.get(task.agent or self.agent, self.usual)

    def list_slots(self) -> tuple[BatchSlot, ...]:
        """Give them so that each engine has one before any has two."""
        hosts = dict.fromkeys(host for pool in (self.usual, *self.own.values()) for host in pool)
        return tuple(BatchSlot(host, number) for number in range(self.each) for host in hosts)


def build_layout(
    config: Config, *, each: int, parallel: int, agent: str = "", flag: str = ""
) -> EngineLayout:
    """Lay out what the settings name; `flag` is an address that stands above them. Raises UsageError."""
    if flag:
        return EngineLayout((parse_address(flag).url,), {}, max(each, parallel), agent)
    usual = _parse_hosts(config, "model", config.model) or ("",)
    own = {
        name.removeprefix(FAMILY): hosts
        for name, section in config.named.items()
        if name.startswith(FAMILY) and (hosts := _parse_hosts(config, name, section))
    }
    return EngineLayout(usual, own, each if len(usual) > 1 else max(each, parallel), agent)


def spread_over_machines(layout: EngineLayout, machines: int, parallel: int) -> EngineLayout:
    """Give the layout on a cluster: without an address each machine has engines of its own."""
    if layout.usual != ("",):
        return layout
    count = parallel or machines * layout.each
    unnamed = tuple(UNNAMED.format(number=number) for number in range(1, count + 1))
    return EngineLayout(unnamed, layout.own, 1, layout.agent)


def to_address(host: str) -> str:
    """Give the address of an engine, "" where the settings of its machine tell it."""
    return host if "://" in host else ""


def _parse_hosts(config: Config, name: str, section: ModelSection) -> Pool:
    key = "hosts" if section.hosts else "host"
    given = split_words(getattr(section, key))
    return tuple(dict.fromkeys(check_host(config, word, f"{name}.{key}") for word in given))


def split_words(text: str) -> Iterable[str]:
    return text.replace(",", " ").split()

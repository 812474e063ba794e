"""Conversations as token ids, and packs of them.

What all have in front stands once, each sees that and itself. Not covered: which ids a text has (vocabulary).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

LONGEST = 1100
"""Tokens behind the prefix; a longer conversation is left out."""
Said = Sequence[tuple[str, str, bool]]
"""Role, text, whether it is learnt."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """One conversation; `taught` marks the ids that are learnt."""

    ids: tuple[int, ...]
    taught: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class TokenPack:
    """A prefix and conversations: ids, positions, marks, and where each part ends."""

    ids: list[int]
    positions: list[int]
    taught: list[bool]
    ends: list[int]


def tokenize_conversation(made: Any, said: Said) -> Tokens:
    """Write a conversation as the model's template does; a reply is learnt with the sign that ends it."""
    ids: list[int] = []
    taught: list[bool] = []
    for role, text, learnt in said:
        for part, mark in ((f"<|im_start|>{role}\n", False), (f"{text}<|im_end|>", learnt), ("\n", False)):
            found = made.encode(part).ids
            ids += found
            taught += [mark] * len(found)
    return Tokens(tuple(ids), tuple(taught))


def load_conversations(paths: Sequence[Path], made: Any) -> list[Tokens]:
    """Read conversations, as far as anything of them is learnt."""
    lines = (line for path in paths for line in path.read_text("utf-8").splitlines())
    found = (tokenize_conversation(made, json.loads(line)["said"]) for line in lines)
    return [one for one in found if any(one.taught)]


def pack_conversations(talks: Sequence[Tokens], most: int, random: Random) -> Iterator[TokenPack]:
    """Pack conversations, in a random order among those that begin alike. `most` tokens make a pack."""
    groups: dict[tuple[int, ...], list[Tokens]] = {}
    begin = count_common(talks)
    for talk in talks:
        # what follows the part that all share tells agents apart: their line and card
        groups.setdefault(talk.ids[begin : begin + 4], []).append(talk)
    packs = [
        pack for group in groups.values() for pack in _fill_packs(random.sample(group, len(group)), most)
    ]
    random.shuffle(packs)
    yield from packs


def count_common(talks: Sequence[Tokens]) -> int:
    """Count the tokens that all have in front, before the first that is learnt."""
    first, last = min(one.ids for one in talks), max(one.ids for one in talks)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return min(same, *(one.taught.index(True) - 1 for one in talks))


def _fill_packs(talks: Sequence[Tokens], most: int) -> Iterator[TokenPack]:
    prefix = count_common(talks)
    waiting: list[Tokens] = []
    size = prefix
    for talk in talks:
        more = len(talk.ids) - prefix
        if more > LONGEST:
            continue
        if waiting and size + more > most:
            yield _build_pack(waiting, prefix)
            waiting, size = [], prefix
        waiting.append(talk)
        size += more
    if waiting:
        yield _build_pack(waiting, prefix)


def _build_pack(talks: Sequence[Tokens], prefix: int) -> TokenPack:
    ids, taught = list(talks[0].ids[:prefix]), [False] * prefix
    positions, ends = list(range(prefix)), [prefix]
    for talk in talks:
        ids += talk.ids[prefix:]
        taught += talk.taught[prefix:]
        positions += range(prefix, len(talk.ids))
        ends.append(len(ids))
    return TokenPack(ids, positions, taught, ends)

"""Trains the router: router/data/*.txt and router/words.txt in, the package's router/weights.bin out.

Run: python -m tools.train_router [FILE]. bench/router.py says how good it is.

**The split.** Requests are held out by group. The alternatives of a line are one group, and so are two
requests whose sets of 4-grams of characters are SAME alike (Jaccard) or more, and what is like one of them
(union-find): no near-duplicate of a held-out request is trained on. Groups go to the folds by a hash.

**The weights.** Features that fewer than two lines have are left out; of those that fall on one slot the one
that most lines have owns it. Rare features count for more. A line weighs as much as any other, however many
forms it has. Some are fitted once more with politeness or a paste around them: of requests with such around
them 86 % are right then, else 60 %. Forms with typos or without accents gained 0.1 % and are not added.
Temperature and threshold come from the scores of the held-out folds; the file is fitted on everything.

**The same bytes at every run.** liblinear's dual coordinate descent uses neither BLAS nor threads, and random
numbers of its own; features and groups are sorted, folds hashed, and no clock is read.
"""

from __future__ import annotations

import math
import struct
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from scipy.sparse import csr_matrix, diags
from sklearn.svm import LinearSVC
from tools.router.labelled import Request, fingerprint, meanings, requests, wrapped

from tripletick.router.agent_matcher import extract_words, normalize_text
from tripletick.router.classifier import CHECKED, CLASSES, FILE, HEAD, MAGIC, SCALES
from tripletick.router.features import compute_norm, extract_features, hash_word

SLOTS, FOLDS, SAME = 53_993, 5, 0.5
STRENGTH = 0.03
AROUND = 0.5
"""What a request weighs with more around it."""
RIGHT = 0.97
"""Of the guesses that are called sure, so many are right."""
RARE = 4
"""Words of fewer lines are not kept as common ones."""
Array = np.ndarray[Any, Any]
Kinds = tuple[set[int], ...]


@dataclass(frozen=True)
class Fitted:
    """Weights in whole numbers, with a scale and a bias a class, as the file has them."""

    owners: dict[int, int]
    weights: Array
    scales: Array
    bias: Array

    def scores(self, blocks: Sequence[Kinds]) -> Array:
        return np.asarray(matrix(blocks, self.owners) @ (self.weights * self.scales) + self.bias)


@dataclass(frozen=True)
class Material:
    """All requests with their features, those of some with more around them, and groups."""

    rows: list[Request]
    blocks: list[Kinds]
    wraps: dict[int, Kinds]
    groups: Array

    @property
    def labels(self) -> Array:
        return np.array([CLASSES.index(row.label) for row in self.rows])

    @property
    def weights(self) -> Array:
        forms = Counter(row.line for row in self.rows)
        return np.array([1 / forms[row.line] for row in self.rows])

    @property
    def folds(self) -> Array:
        return np.array([crc32(b"%d" % group) % FOLDS for group in self.groups])


def material() -> Material:
    rows, table = requests(), meanings()
    blocks = [extract_features(row.text, table) for row in rows]
    wraps = {at: extract_features(text, table) for at, row in enumerate(rows) if (text := wrapped(row))}
    return Material(rows, blocks, wraps, grouped(rows))


def grouped(rows: Sequence[Request]) -> Array:
    """Give the group of each request: the first request that it is like, by way of others too."""
    grams = [
        {text[at : at + 4] for at in range(max(len(text) - 3, 1))}
        for text in (f" {row.text.lower()} " for row in rows)
    ]
    shared = _counted(grams)
    sizes = np.array([len(one) for one in grams])
    first = list(range(len(rows)))
    lines: dict[int, int] = {}
    for at, row in enumerate(rows):
        first[at] = lines.setdefault(row.line, at)
    for start in range(0, len(rows), 500):
        both = (shared[start : start + 500] @ shared.T).tocoo()
        left = both.row + start
        like = both.data >= SAME / (1 + SAME) * (sizes[left] + sizes[both.col])
        for one, two in zip(left[like], both.col[like], strict=True):
            one, two = _root(first, one), _root(first, two)
            first[max(one, two)] = min(one, two)
    return np.array([_root(first, at) for at in range(len(rows))])


def _counted(grams: Sequence[set[str]]) -> csr_matrix:
    number: dict[str, int] = {}
    cells = [sorted(number.setdefault(gram, len(number)) for gram in one) for one in grams]
    return _sparse(cells, [1] * sum(map(len, cells)), len(number), np.int32)


def _sparse(cells: Sequence[Sequence[int]], values: Sequence[float], width: int, kind: Any) -> csr_matrix:
    ends = np.cumsum([0, *map(len, cells)])
    return csr_matrix((np.array(values, kind), np.concatenate(cells).astype(int), ends), (len(cells), width))


def _root(first: list[int], at: int) -> int:
    while first[at] != at:
        first[at] = at = first[first[at]]
    return at


def owned(blocks: Sequence[tuple[int, Kinds]]) -> tuple[dict[int, int], Array]:
    """Give the features that get a slot, and by slot how rare they are; `blocks` come with their line."""
    lines: Counter[int] = Counter()
    for _, forms in groupby(blocks, itemgetter(0)):
        lines.update({one for _, kinds in forms for kind in kinds for one in kind})
    whole = len({line for line, _ in blocks})
    slots: dict[int, int] = {}
    for one in sorted((one for one, count in lines.items() if count > 1), key=lambda one: (-lines[one], one)):
        slots.setdefault(one % SLOTS, one)
    rarity = np.zeros(SLOTS)
    for slot, one in slots.items():
        rarity[slot] = math.log(whole / lines[one])
    return {one: slot for slot, one in slots.items()}, rarity


def matrix(blocks: Sequence[Kinds], owners: dict[int, int]) -> csr_matrix:
    cells: list[list[int]] = []
    values: list[float] = []
    for kinds in blocks:
        parts = [sorted(map(owners.__getitem__, owners.keys() & hashes)) for hashes in kinds]
        cells.append([slot for part in parts for slot in part])
        for hashes, part in zip(kinds, parts, strict=True):
            values += [1 / compute_norm(hashes)] * len(part)
    return _sparse(cells, values, SLOTS, float)


def fitted(data: Material, chosen: Array) -> Fitted:
    """Fit on the chosen requests."""
    at = np.flatnonzero(chosen)
    more = np.array([one for one in at if one in data.wraps])
    both = np.concatenate([at, more])
    blocks = [*(data.blocks[one] for one in at), *(data.wraps[one] for one in more)]
    weights = data.weights[both] * np.where(np.arange(len(both)) < len(at), 1.0, AROUND)
    owners, rarity = owned([(data.rows[one].line, data.blocks[one]) for one in at])
    machine = LinearSVC(C=STRENGTH, dual=True, random_state=0)
    machine.fit(matrix(blocks, owners) @ diags(rarity), data.labels[both], sample_weight=weights)
    return rounded(owners, (machine.coef_ * rarity).T, machine.intercept_)


def rounded(owners: dict[int, int], weights: Array, bias: Array) -> Fitted:
    scales = np.abs(weights).max(axis=0) / 127
    return Fitted(owners, np.rint(weights / scales), scales, bias)


def held_out(data: Material) -> Array:
    """Give the scores of every request by a fit that its group had no part in."""
    scores = np.zeros((len(data.rows), len(CLASSES)))
    for fold in range(FOLDS):
        out = data.folds == fold
        scores[out] = fitted(data, ~out).scores([data.blocks[at] for at in np.flatnonzero(out)])
    return scores


def probable(data: Material, scores: Array, temperature: float) -> tuple[Array, Array]:
    """Give the probabilities of the agents, and which is right; a hash says who is at work at a follow-up."""
    parts = np.exp(temperature * (scores - scores.max(axis=1, keepdims=True)))
    labels, agents = data.labels, len(CLASSES) - 1
    follows = np.flatnonzero(labels == agents)
    work = np.array([crc32(b"work %d" % data.rows[at].line) % agents for at in follows])
    parts[follows, work] += parts[follows, agents]
    labels[follows] = work
    return parts[:, :agents] / parts[:, :agents].sum(axis=1, keepdims=True), labels


def calibrated(data: Material, scores: Array) -> tuple[float, float]:
    """Give the temperature by which the right agents are likeliest, and from where on RIGHT are right."""

    def loss(temperature: float) -> float:
        chances, right = probable(data, scores, temperature)
        return -float((data.weights * np.log(chances[np.arange(len(right)), right] + 1e-9)).sum())

    temperature = min((step / 20 for step in range(10, 121)), key=loss)
    chances, right = probable(data, scores, temperature)
    sure, hits = chances.max(axis=1), chances.argmax(axis=1) == right
    steps = (step / 100 for step in range(30, 100))
    return temperature, next((step for step in steps if hits[sure >= step].mean() >= RIGHT), 0.99)


def common(rows: Sequence[Request]) -> dict[int, int]:
    """Give the hashes of common words with how many of 1000 requests of a language have them, at most 255."""
    lines = Counter(row.language for row in rows)
    seen = Counter(
        pair
        for row in rows
        for pair in {(row.language, hash_word(one)) for one in extract_words(normalize_text(row.text))}
    )
    rates: dict[int, int] = {}
    for (language, one), count in seen.items():
        if count >= RARE:
            rates[one] = max(rates.get(one, 0), min(255, round(1000 * count / (lines[language] + 200))))
    return rates


def packed(fit: Fitted, temperature: float, threshold: float, tables: Sequence[dict[int, int]]) -> bytes:
    checks = np.zeros(SLOTS, np.uint8)
    for one, slot in fit.owners.items():
        checks[slot] = one >> CHECKED
    parts = [
        HEAD.pack(MAGIC, fingerprint(), *map(len, tables), SLOTS, temperature, threshold),
        SCALES.pack(*fit.scales, *fit.bias),
    ]
    for table in tables:
        keys = sorted(table)
        parts += [struct.pack(f"<{len(keys)}I", *keys), bytes(table[key] for key in keys)]
    return b"".join([*parts, checks.tobytes(), fit.weights.T.astype(np.int8).tobytes()])


def main() -> None:
    data = material()
    temperature, threshold = calibrated(data, held_out(data))
    fit = fitted(data, np.ones(len(data.rows), bool))
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    file.write_bytes(packed(fit, temperature, threshold, (meanings(), common(data.rows))))


if __name__ == "__main__":
    main()

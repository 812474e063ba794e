"""Which files fit a sentence: by the words that their path or content has, the rarer the more.

So no list of words that do not count is needed, in any language. Ignored and hidden files are left out, as
for file_finder; the walk ends after two seconds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_reader import is_binary, split_lines, to_printable
from tripletick.tools.file_walk import FileWalk, WalkEntry
from tripletick.tools.tool import ToolContext

WORD = lazy_regex(r"[^\W_]+")
_CODE = lazy_regex(r"(?=\D*\d)(?!(?:19|20)\d\d\Z)\w{4,}")
"""A number of an order, an invoice, a part: where a file has it, one without it is not meant."""
LARGEST = 1 << 18
"""Bytes of a file that is looked into."""
SHORTEST = 4
"""Letters of a word in a text; a number of any length counts, and in a path a word of three."""
WIDEST = 120
"""Characters shown of a line."""
NEAR = 0.6
"""Of the best file's worth; files below it are not shown."""
IN_PATH = 2.0
"""A word in the path counts so often."""


@dataclass(frozen=True, slots=True)
class FileHit:
    """A file that has words of the sentence: in its path, and in lines, of which each word has the first."""

    path: str
    in_path: set[str]
    lines: Mapping[str, tuple[int, str]]

    @property
    def words(self) -> set[str]:
        return self.in_path.union(self.lines)

    def compute_score(self, rarity: Mapping[str, float]) -> float:
        return sum(rarity[word] * (IN_PATH if word in self.in_path else 1) for word in self.words)

    def format_line(self, rarity: Mapping[str, float]) -> str:
        """Give the path, and the line of the rarest word where the path has none that is as rare."""
        if not self.lines:
            return to_printable(self.path)
        rarest = max(self.words, key=lambda word: (rarity[word], word in self.in_path))
        if rarest in self.in_path:
            return to_printable(self.path)
        number, line = self.lines[rarest]
        return to_printable(f"{self.path}:{number}: {line.strip()[:WIDEST]}")


def search_files(sentence: str, context: ToolContext, most: int) -> list[str]:
    """Give the files that fit best, as `path` or `path:line: text`; none where no word is in only a few."""
    words = {word for word in _split_words(sentence) if len(word) >= SHORTEST - 1 or word.isdigit()}
    walk = FileWalk(context.workspace)
    with suppress(PathRefused):
        hides = walk.workspace.make_hidden_check()
        files = (found for found in walk if found.entry.kind == "file" and not hides(found.path))
        hits = [_match_file(found, words, walk) for found in files]
        codes = set(filter(_CODE.fullmatch, words))
        hits = [hit for hit in hits if hit.words & codes] or hits
        held = Counter(word for hit in hits for word in hit.words)
        rarity = {word: _compute_rarity(count, len(hits)) for word, count in held.items()}
        worth = {hit.path: hit.compute_score(rarity) for hit in hits}
        ranked = sorted(hits, key=lambda hit: (-worth[hit.path], hit.path))
        least = NEAR * max(worth.values(), default=0.0)
        return [hit.format_line(rarity) for hit in ranked if worth[hit.path] >= least > 0][:most]
    return []


def _compute_rarity(count: int, files: int) -> float:
    """Weigh a word by how many files have it; one that more than half of them have tells nothing."""
    return math.log((1 + files) / count) if 2 * count <= 1 + files else 0.0


def _split_words(text: str) -> Iterator[str]:
    return (_strip_plural(word.casefold()) for word in WORD.findall(text))


def _strip_plural(word: str) -> str:
    return word.removesuffix("s") if len(word) > SHORTEST else word


def _match_file(found: WalkEntry, words: set[str], walk: FileWalk) -> FileHit:
    lines: dict[str, tuple[int, str]] = {}
    inside = {word for word in words if len(word) >= SHORTEST or word.isdigit()}
    if not walk.is_exhausted() and walk.workspace.get_size(found.path) <= LARGEST:
        with suppress(PathRefused):
            data = walk.workspace.read_bytes(found.path, LARGEST)
            for number, line in enumerate([] if is_binary(data) else split_lines(data), 1):
                for word in inside.intersection(_split_words(line)).difference(lines):
                    lines[word] = number, line
    return FileHit(found.path, words.intersection(_split_words(found.path)), lines)

"""The set of task ids, eight bytes each: ten million take 134 MB instead of a gigabyte.

A set for adding and asking alone. An id is known by 64 bits of its BLAKE2: among ten million, two of them
are taken for one with a chance of 1 to 370 000.
"""

from __future__ import annotations

from array import array
from hashlib import blake2b

FIRST = 1 << 10
FULL = 0.7
"""How much of the table may be taken before it is doubled."""


class IdSet:
    """A table with open addressing; 0 is a place that is free."""

    def __init__(self) -> None:
        self._table = array("Q", bytes(8 * FIRST))
        self._held = 0

    def __len__(self) -> int:
        return self._held

    def __contains__(self, one: str) -> bool:
        mark = _hash_id(one)
        return self._table[_find_slot(self._table, mark)] == mark

    def add(self, one: str) -> bool:
        """Add an id; gives False where it was there."""
        mark = _hash_id(one)
        place = _find_slot(self._table, mark)
        if self._table[place]:
            return False
        self._table[place] = mark
        self._held += 1
        if self._held > FULL * len(self._table):
            self._grow_table()
        return True

    def _grow_table(self) -> None:
        old, self._table = self._table, array("Q", bytes(16 * len(self._table)))
        for mark in old:
            if mark:
                self._table[_find_slot(self._table, mark)] = mark


def _hash_id(one: str) -> int:
    return int.from_bytes(blake2b(one.encode("utf-8", "surrogatepass"), digest_size=8).digest()) or 1


def _find_slot(table: array[int], mark: int) -> int:
    """Give where a mark stands, else where there is room for it."""
    place = mark % len(table)
    while table[place] not in (0, mark):
        place = (place + 1) % len(table)
    return place

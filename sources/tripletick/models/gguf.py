"""Reads what a GGUF file says of itself: its fields, and whether its tensors lie within it.

The file is a stranger's: every count and length has a limit, nothing is mapped, no tensor is read, and what
is wrong comes back as a value. Contents of arrays are passed over, but for their number. The format:
https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import stat
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

Value = bool | int | float | str

STEP = 1 << 20
HEADER_LIMIT = 128 << 20
"""Bytes before the tensors: the largest vocabulary we know of, 262 144 words, takes 16 MB."""
FIELD_LIMIT = 10_000
TENSOR_LIMIT = 100_000
KEY_LIMIT = 65_535
NAME_LIMIT = 127
TEXT_KEPT = 1 << 20
"""Of a longer text only this much is kept; the longest that is read here is a chat template."""
DIMENSIONS = 4
VERSIONS = (2, 3)
"""What llama.cpp reads."""
ALIGNMENT = 32

SCALARS: Mapping[int, str] = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
TEXT, ARRAY = 8, 9
TENSOR_TYPES: Mapping[int, tuple[int, int]] = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 40),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36),
    41: (128, 18),
}  # fmt: skip
"""ggml's number of a type → weights a block and bytes a block (GGML_QUANT_SIZES of PyPI's gguf 0.19)."""


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """Why a file cannot be used, one clause without a full stop."""

    why: str


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a file says of itself. `arrays` holds the number of entries of each, `size` the file's bytes."""

    size: int
    fields: Mapping[str, Value]
    arrays: Mapping[str, int]
    weights: int

    @property
    def architecture(self) -> str:
        return self.get_text("general.architecture")

    @property
    def context(self) -> int:
        return self.get_architecture_number("context_length")

    @property
    def parameters(self) -> int:
        return self.get_number("general.parameter_count") or self.weights

    def get_text(self, key: str) -> str:
        value = self.fields.get(key)
        return value if isinstance(value, str) else ""

    def get_number(self, key: str) -> int:
        """Give a count, 0 where it is absent or none."""
        value = self.fields.get(key)
        return value if isinstance(value, int) and 0 < value < 1 << 48 else 0

    def get_architecture_number(self, key: str) -> int:
        """Give a count that is named after the architecture: `llama.context_length`."""
        return self.get_number(f"{self.architecture}.{key}")


class _InvalidFileError(Exception):
    """What is wrong with the file; never leaves this module."""


def read_header(path: Path) -> GgufHeader | UnreadableFile:
    """Read a file's header and check that every tensor lies within the file."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return UnreadableFile(
                "it is a folder" if stat.S_ISDIR(status.st_mode) else "it is not a regular file"
            )
        with path.open("rb") as file:
            return _parse_header(_HeaderBuffer(file, status.st_size))
    except OSError as error:
        return UnreadableFile((error.strerror or "it cannot be opened").lower())
    except ValueError:
        # a NUL in the name
        return UnreadableFile("its name is not valid")
    except _InvalidFileError as error:
        return UnreadableFile(str(error))


class _HeaderBuffer:
    """The front of a file, read as far as it is asked for."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self.size = file, size
        self._data = b""
        self.at = 0

    def read_number(self, form: str) -> int:
        return int(self.read_scalar(form))

    def read_scalar(self, form: str) -> Value:
        length = struct.calcsize(form)
        self._ensure_available(length)
        value: Value = struct.unpack_from(form, self._data, self.at)[0]
        self.at += length
        return value

    def read_bytes(self, length: int) -> bytes:
        self._ensure_available(length)
        self.at += length
        return self._data[self.at - length : self.at]

    def read_text(self, limit: int | None = None) -> str:
        length = self.read_number("<Q")
        if limit is not None and length > limit:
            raise _InvalidFileError(f"it contains a name of {length} bytes")
        return self.read_bytes(length)[:TEXT_KEPT].decode("utf-8", "replace")

    def skip_bytes(self, length: int) -> None:
        self._ensure_available(length)
        self.at += length

    def skip_texts(self, count: int) -> None:
        # half a million of these in a large vocabulary: no call for each
        unpack, at = struct.Struct("<Q").unpack_from, self.at
        for _ in range(count):
            if at + 8 > len(self._data):
                self.at = at
                self._ensure_available(8)
            at += 8 + unpack(self._data, at)[0]
        self.at = min(at, self.size + 1)
        self._ensure_available(0)

    def _ensure_available(self, more: int) -> None:
        end = self.at + more
        if end > self.size:
            raise _InvalidFileError(f"it ends after {self.size} bytes, in the middle of its header")
        if end > HEADER_LIMIT:
            raise _InvalidFileError(f"its header is larger than {HEADER_LIMIT >> 20} MiB")
        if end > len(self._data):
            wanted = min(max(end, 2 * len(self._data), STEP), self.size)
            self._data += self._file.read(wanted - len(self._data))
            if end > len(self._data):
                raise _InvalidFileError("it shrank while it was being read")


def _parse_header(source: _HeaderBuffer) -> GgufHeader:
    if source.size < 24 or source.read_bytes(4) != b"GGUF":
        raise _InvalidFileError("it is not a GGUF file")
    version = source.read_number("<I")
    if version not in VERSIONS:
        swapped = int.from_bytes(version.to_bytes(4, "little"), "big") in VERSIONS
        raise _InvalidFileError(
            "it was made for big-endian machines" if swapped else f"its format is GGUF version {version}"
        )
    tensors, count = source.read_number("<Q"), source.read_number("<Q")
    if tensors > TENSOR_LIMIT or count > FIELD_LIMIT:
        raise _InvalidFileError(f"it claims {count} fields and {tensors} tensors")
    fields: dict[str, Value] = {}
    arrays: dict[str, int] = {}
    for _ in range(count):
        _parse_field(source, fields, arrays)
    weights = _check_tensors(source, tensors, _check_alignment(fields))
    return GgufHeader(source.size, fields, arrays, weights)


def _parse_field(source: _HeaderBuffer, fields: dict[str, Value], arrays: dict[str, int]) -> None:
    key, kind = source.read_text(KEY_LIMIT), source.read_number("<I")
    if kind == ARRAY:
        arrays[key] = _parse_array(source, key)
    elif kind == TEXT:
        fields[key] = source.read_text()
    elif kind in SCALARS:
        fields[key] = source.read_scalar(SCALARS[kind])
    else:
        raise _InvalidFileError(f"its field {key[:NAME_LIMIT]!r} is of an unknown type, {kind}")


def _parse_array(source: _HeaderBuffer, key: str) -> int:
    kind, count = source.read_number("<I"), source.read_number("<Q")
    if kind != TEXT and kind not in SCALARS:
        raise _InvalidFileError(f"its list {key[:NAME_LIMIT]!r} is of an unknown type, {kind}")
    if kind == TEXT:
        source.skip_texts(count)
    else:
        source.skip_bytes(count * struct.calcsize(SCALARS[kind]))
    return count


def _check_alignment(fields: Mapping[str, Value]) -> int:
    value = fields.get("general.alignment", ALIGNMENT)
    if not isinstance(value, int) or not 0 < value <= 1 << 20 or value & (value - 1):
        raise _InvalidFileError(f"its alignment is {value}")
    return value


def _check_tensors(source: _HeaderBuffer, count: int, alignment: int) -> int:
    """Check every tensor's place and give the number of all weights."""
    placed = [_parse_tensor(source, alignment) for _ in range(count)]
    data = -(-source.at // alignment) * alignment
    for name, _, offset, length in placed:
        if data + offset + length > source.size:
            raise _InvalidFileError(
                f"it is truncated: {name} ends at byte {data + offset + length}, the file at {source.size}"
            )
    return sum(weights for _, weights, _, _ in placed)


def _parse_tensor(source: _HeaderBuffer, alignment: int) -> tuple[str, int, int, int]:
    """Read one tensor's name, weights, offset and bytes; bytes of an unknown type count as none."""
    name, dimensions = source.read_text(NAME_LIMIT), source.read_number("<I")
    if dimensions > DIMENSIONS:
        raise _InvalidFileError(f"its tensor {name!r} has {dimensions} dimensions")
    sizes = [source.read_number("<Q") for _ in range(dimensions)]
    kind, offset = source.read_number("<I"), source.read_number("<Q")
    block, length = TENSOR_TYPES.get(kind, (1, 0))
    weights = 1
    for size in sizes:
        weights *= size
    if weights >= 1 << 62 or (sizes and sizes[0] % block) or offset % alignment:
        raise _InvalidFileError(f"its tensor {name!r} cannot be of {sizes} weights at {offset}")
    return name, weights, offset, weights // block * length

"""SmolLM2-135M out of its GGUF, frozen, with low-rank updates that are trained.

The weights keep llama.cpp's layout (neighbouring pairs are rotated together), so that an adapter fits the
file as it is. A pack is one prefix and conversations behind it, each of which sees the prefix and itself
alone. Not covered: other architectures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from gguf import GGUFReader
from gguf.quants import dequantize
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS, KEYS, HEAD, LAYERS = 576, 9, 3, 64, 30
WORDS = "token_embd.weight"
EPSILON, ROTATION, LONGEST = 1e-5, 100_000.0, 8192
GROUPS = {
    "qkv": {"q": "attn_q", "k": "attn_k", "v": "attn_v"},
    "out": {"o": "attn_output"},
    "wide": {"gate": "ffn_gate", "up": "ffn_up"},
    "narrow": {"down": "ffn_down"},
}
"""Matrices that read the same input are one product."""
TENSORS = {short: name for group in GROUPS.values() for short, name in group.items()}


@dataclass(frozen=True, slots=True)
class Shape:
    """The update: its rank, what it is multiplied with, the first layer that has one."""

    rank: int = 16
    alpha: int = 32
    first: int = 10


@dataclass(frozen=True, slots=True)
class Pack:
    """Token ids, their positions, and where the prefix and each conversation behind it end."""

    ids: Tensor
    positions: Tensor
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a pack that sees so much of the prefix, and itself."""

    prefix: int
    start: int
    end: int
    mask: Tensor


class Linear(nn.Module):
    """Frozen matrices side by side; each may have a trained update of low rank."""

    def __init__(self, weights: dict[str, Tensor], shape: Shape | None) -> None:
        super().__init__()
        self.register_buffer("weight", torch.cat(list(weights.values())).contiguous(), persistent=False)
        self.sizes = [weight.shape[0] for weight in weights.values()]
        self.scale = shape.alpha / shape.rank if shape else 0.0
        self.a, self.b = nn.ParameterDict(), nn.ParameterDict()
        for name, weight in weights.items() if shape else ():
            rows, columns = weight.shape
            self.a[name] = nn.Parameter(torch.randn(shape.rank, columns) / math.sqrt(columns))
            self.b[name] = nn.Parameter(torch.zeros(rows, shape.rank))

    def forward(self, x: Tensor) -> Tensor:
        """Give the product in the weights' kind of numbers."""
        kind = self.weight.dtype
        x = x.to(kind)
        y = functional.linear(x, self.weight)
        if not self.a:
            return y
        down, up = torch.cat(list(self.a.values())), torch.block_diag(*self.b.values())
        return y + functional.linear(functional.linear(x, down.to(kind)), (up * self.scale).to(kind))


class Block(nn.Module):
    """One layer."""

    def __init__(self, weights: dict[str, Tensor], layer: int, shape: Shape | None) -> None:
        super().__init__()
        at = f"blk.{layer}."
        self.register_buffer("before", weights[f"{at}attn_norm.weight"], persistent=False)
        self.register_buffer("between", weights[f"{at}ffn_norm.weight"], persistent=False)
        for group, names in GROUPS.items():
            own = {short: weights[f"{at}{name}.weight"] for short, name in names.items()}
            self.add_module(group, Linear(own, shape))

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor], parts: Sequence[Part]) -> Tensor:
        q, k, v = self.qkv(normed(x, self.before)).split([HEADS * HEAD, KEYS * HEAD, KEYS * HEAD], dim=-1)
        q, k = (rotated(part.unflatten(-1, (-1, HEAD)), turn) for part in (q, k))
        q, k, v = q.to(v.dtype), k.to(v.dtype), v.unflatten(-1, (-1, HEAD))
        x = x + self.out(attended(q, k, v, parts))
        gate, up = self.wide(normed(x, self.between)).chunk(2, dim=-1)
        return x + self.narrow(functional.silu(gate) * up)


def normed(x: Tensor, weight: Tensor) -> Tensor:
    return functional.rms_norm(x, (WIDTH,), weight, EPSILON)


def rotated(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Turn neighbouring pairs by their positions."""
    cosine, sine = turn
    one, other = x[..., 0::2], x[..., 1::2]
    return torch.stack((one * cosine - other * sine, one * sine + other * cosine), -1).flatten(-2)


def attended(q: Tensor, k: Tensor, v: Tensor, parts: Sequence[Part]) -> Tensor:
    """Let each conversation see the prefix and itself; three heads share a key.

    Plain products: on the cores torch's own attention takes three times as long, most of it going back.
    """
    shared = HEADS // KEYS
    q, k, v = (q * HEAD**-0.5).unflatten(1, (KEYS, shared)), k.permute(1, 2, 0), v.transpose(0, 1)
    outs = []
    for part in parts:
        own = slice(part.start, part.end)
        keys = torch.cat((k[..., : part.prefix], k[..., own]), 2)
        values = torch.cat((v[:, : part.prefix], v[:, own]), 1)
        asked = q[own].permute(1, 2, 0, 3).flatten(1, 2)
        scores = torch.bmm(asked, keys).unflatten(1, (shared, -1)) + part.mask
        out = torch.bmm(scores.softmax(-1).flatten(1, 2), values)
        outs.append(out.unflatten(1, (shared, -1)).permute(2, 0, 1, 3).flatten(1))
    return torch.cat(outs)


def parted(pack: Pack, kind: torch.dtype) -> list[Part]:
    """Give what each part of a pack sees: once for all layers."""
    prefix, starts = pack.ends[0], (0, *pack.ends)
    parts = []
    for start, end in pairwise(starts):
        before = prefix if start else 0
        mask = torch.full((end - start, before + end - start), -torch.inf, device=pack.ids.device, dtype=kind)
        parts.append(Part(before, start, end, mask.triu_(before + 1)))
    return parts


class Model(nn.Module):
    """The whole of it; only the updates are parameters."""

    def __init__(self, weights: dict[str, Tensor], shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.register_buffer("words", weights[WORDS], persistent=False)
        self.register_buffer("scores", self.words.to(weights["blk.0.attn_q.weight"].dtype), persistent=False)
        self.register_buffer("last", weights["output_norm.weight"], persistent=False)
        self.blocks = nn.ModuleList(
            Block(weights, layer, shape if layer >= shape.first else None) for layer in range(LAYERS)
        )
        speeds = ROTATION ** (-torch.arange(0, HEAD, 2).float() / HEAD)
        angles = torch.arange(LONGEST).float()[:, None] * speeds
        self.register_buffer("cosine", angles.cos()[:, None], persistent=False)
        self.register_buffer("sine", angles.sin()[:, None], persistent=False)

    def forward(self, pack: Pack, wanted: Tensor) -> Tensor:
        """Give the scores of all words behind the tokens `wanted`."""
        x, turn = self.words[pack.ids], (self.cosine[pack.positions], self.sine[pack.positions])
        parts = parted(pack, self.blocks[0].qkv.weight.dtype)
        for block in self.blocks:
            x = block(x, turn, parts)
        seen = normed(x[wanted], self.last).to(self.scores.dtype)
        return functional.linear(seen, self.scores).float()

    def updates(self, kind: str) -> dict[tuple[int, str], nn.Parameter]:
        """Give the trained matrices, `a` or `b`, by layer and name."""
        return {
            (layer, name): matrix
            for layer, block in enumerate(self.blocks)
            for group in GROUPS
            for name, matrix in getattr(getattr(block, group), kind).items()
        }


def weights(base: Path, kind: torch.dtype) -> dict[str, Tensor]:
    """Read a GGUF into plain numbers, the layers' matrices into such of a kind."""
    plain = {one.name: _plain(one) for one in GGUFReader(base).tensors}
    return {name: one.to(kind) if one.ndim > 1 and name != WORDS else one for name, one in plain.items()}


def _plain(one: object) -> Tensor:
    data = dequantize(one.data, one.tensor_type)  # type: ignore[attr-defined]
    return torch.from_numpy(np.array(data, dtype=np.float32))


def begin_from(model: Model, adapter: Path) -> None:
    """Take over the updates of an adapter, as far as both have the layer; more rank begins at nothing."""
    held = {one.name: one.data for one in GGUFReader(adapter).tensors}
    with torch.no_grad():
        for kind in ("a", "b"):
            for (layer, name), matrix in model.updates(kind).items():
                found = held.get(f"blk.{layer}.{TENSORS[name]}.weight.lora_{kind}")
                if found is not None:
                    old = torch.from_numpy(np.array(found, dtype=np.float32))
                    matrix[: old.shape[0], : old.shape[1]] = old

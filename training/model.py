"""A base model out of its GGUF, frozen, with low-rank updates that are trained.

The weights keep llama.cpp's layout, so that an adapter fits the file as it is. A pack is one prefix and
conversations behind it, each of which sees the prefix and itself alone. Covered: the architectures llama and
qwen2, with all of their sizes read from the file. Not covered: scaled rotation, mixtures of experts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from gguf import GGUFReader, ReaderTensor
from gguf.quants import dequantize
from torch import Tensor, nn
from torch.nn import functional

from training.architecture import Architecture, read_architecture

WORDS, SCORES = "token_embd.weight", "output.weight"
LONGEST = 8192
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
    first: int = 0


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
    """Frozen matrices side by side, and what is added; each may have a trained update of low rank."""

    def __init__(self, weights: dict[str, Tensor], added: list[Tensor], shape: Shape | None) -> None:
        super().__init__()
        self.register_buffer("weight", torch.cat(list(weights.values())).contiguous(), persistent=False)
        bias = torch.cat(added).to(self.weight.dtype) if added else None
        self.register_buffer("bias", bias, persistent=False)
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
        y = functional.linear(x, self.weight, self.bias)
        if not self.a:
            return y
        down, up = torch.cat(list(self.a.values())), torch.block_diag(*self.b.values())
        return y + functional.linear(functional.linear(x, down.to(kind)), (up * self.scale).to(kind))


class Block(nn.Module):
    """One layer."""

    def __init__(
        self, weights: dict[str, Tensor], layer: int, made: Architecture, shape: Shape | None
    ) -> None:
        super().__init__()
        self.made = made
        at = f"blk.{layer}."
        self.register_buffer("before", weights[f"{at}attn_norm.weight"], persistent=False)
        self.register_buffer("between", weights[f"{at}ffn_norm.weight"], persistent=False)
        for group, names in GROUPS.items():
            own = {short: weights[f"{at}{name}.weight"] for short, name in names.items()}
            biases = [f"{at}{name}.bias" for name in names.values()]
            added = [weights[name] for name in biases if name in weights]
            self.add_module(group, Linear(own, added, shape))

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor], parts: Sequence[Part]) -> Tensor:
        made = self.made
        q, k, v = self.qkv(self._normalize(x, self.before)).split(self.qkv.sizes, dim=-1)
        q, k = (rotate_pairs(part.unflatten(-1, (-1, made.head)), turn, made.halves) for part in (q, k))
        q, k, v = q.to(v.dtype), k.to(v.dtype), v.unflatten(-1, (-1, made.head))
        x = x + self.out(compute_attention(q, k, v, parts))
        gate, up = self.wide(self._normalize(x, self.between)).chunk(2, dim=-1)
        return x + self.narrow(functional.silu(gate) * up)

    def _normalize(self, x: Tensor, weight: Tensor) -> Tensor:
        return functional.rms_norm(x, (self.made.width,), weight, self.made.epsilon)


def rotate_pairs(x: Tensor, turn: tuple[Tensor, Tensor], halves: bool) -> Tensor:
    """Turn pairs by their positions: those of the two halves, or neighbours."""
    cosine, sine = turn
    one, other = x.chunk(2, -1) if halves else (x[..., 0::2], x[..., 1::2])
    both = (one * cosine - other * sine, one * sine + other * cosine)
    return torch.cat(both, -1) if halves else torch.stack(both, -1).flatten(-2)


def compute_attention(q: Tensor, k: Tensor, v: Tensor, parts: Sequence[Part]) -> Tensor:
    """Let each conversation see the prefix and itself; several heads share a key.

    Plain products: on the cores torch's own attention takes three times as long, most of it going back.
    """
    (_, heads, head), keys = q.shape, k.shape[1]
    shared = heads // keys
    q, k, v = (q * head**-0.5).unflatten(1, (keys, shared)), k.permute(1, 2, 0), v.transpose(0, 1)
    outs = []
    for part in parts:
        own = slice(part.start, part.end)
        before = torch.cat((k[..., : part.prefix], k[..., own]), 2)
        values = torch.cat((v[:, : part.prefix], v[:, own]), 1)
        asked = q[own].permute(1, 2, 0, 3).flatten(1, 2)
        scores = torch.bmm(asked, before).unflatten(1, (shared, -1)) + part.mask
        out = torch.bmm(scores.softmax(-1).flatten(1, 2), values)
        outs.append(out.unflatten(1, (shared, -1)).permute(2, 0, 1, 3).flatten(1))
    return torch.cat(outs)


def split_pack(pack: Pack, kind: torch.dtype) -> list[Part]:
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

    def __init__(self, made: Architecture, weights: dict[str, Tensor], shape: Shape) -> None:
        super().__init__()
        self.made, self.shape = made, shape
        self.register_buffer("words", weights[WORDS], persistent=False)
        self.register_buffer("scores", weights.get(SCORES, self.words), persistent=False)
        self.register_buffer("last", weights["output_norm.weight"], persistent=False)
        self.blocks = nn.ModuleList(
            Block(weights, layer, made, shape if layer >= shape.first else None)
            for layer in range(made.layers)
        )
        speeds = made.rotation ** (-torch.arange(0, made.head, 2).float() / made.head)
        angles = torch.arange(LONGEST).float()[:, None] * speeds
        self.register_buffer("cosine", angles.cos()[:, None], persistent=False)
        self.register_buffer("sine", angles.sin()[:, None], persistent=False)

    def forward(self, pack: Pack, wanted: Tensor) -> Tensor:
        """Give the scores of all words behind the tokens `wanted`."""
        x, turn = self.words[pack.ids].float(), (self.cosine[pack.positions], self.sine[pack.positions])
        parts = split_pack(pack, self.words.dtype)
        for block in self.blocks:
            x = block(x, turn, parts)
        seen = functional.rms_norm(x[wanted], (self.made.width,), self.last, self.made.epsilon)
        return functional.linear(seen.to(self.scores.dtype), self.scores).float()

    def get_updates(self, kind: str) -> dict[tuple[int, str], nn.Parameter]:
        """Give the trained matrices, `a` or `b`, by layer and name."""
        return {
            (layer, name): matrix
            for layer, block in enumerate(self.blocks)
            for group in GROUPS
            for name, matrix in getattr(getattr(block, group), kind).items()
        }


def load_model(base: Path, shape: Shape, kind: torch.dtype) -> Model:
    """Read a GGUF into plain numbers, its matrices into such of a kind."""
    file = GGUFReader(base)
    own = {key: field for key, field in file.fields.items() if not key.startswith("tokenizer.")}
    made = read_architecture({key: field.contents() for key, field in own.items()})
    return Model(made, {one.name: _dequantize_tensor(one, kind) for one in file.tensors}, shape)


def _dequantize_tensor(one: ReaderTensor, kind: torch.dtype) -> Tensor:
    plain = torch.from_numpy(np.array(dequantize(one.data, one.tensor_type), dtype=np.float32))
    return plain.to(kind) if plain.ndim > 1 else plain


def begin_from(model: Model, adapter: Path) -> None:
    """Take over the updates of an adapter, as strong as it was exported, as far as both have the layer; more
    rank begins at nothing.
    """
    file = GGUFReader(adapter)
    held = {one.name: one.data for one in file.tensors}
    alpha = float(file.fields["adapter.lora.alpha"].contents())
    with torch.no_grad():
        for kind in ("a", "b"):
            for (layer, name), matrix in model.get_updates(kind).items():
                found = held.get(f"blk.{layer}.{TENSORS[name]}.weight.lora_{kind}")
                if found is not None:
                    old = torch.from_numpy(np.array(found, dtype=np.float32))
                    if kind == "b":  # of these the columns are the rank
                        old = old * (alpha / old.shape[1] / (model.shape.alpha / model.shape.rank))
                    matrix[: old.shape[0], : old.shape[1]] = old

"""Trains the adapter.

`python -m training.train BASE.gguf OUT.pt talks.jsonl … --minutes 100 --from old.gguf`. One pack a step, on
a GPU where torch has one, else on the cores. It ends when its minutes are over; started
again with the same OUT.pt it goes on where it stood. Loss is on what the model says, and no more.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from training import tokens, vocabulary
from training.model import Model, Pack, Shape, begin_from, load_model
from training.tokens import TokenPack, Tokens

WARM_UP = 20
"""Steps until the rate is whole."""
LEAST = 0.03
"""The share of the rate at the end."""
TWICE = 2.0
"""How much faster the second matrix of an update learns (LoRA+, arXiv 2402.12354)."""
CLIP = 1.0
TOLD, KEPT = 60.0, 300.0
"""Seconds between two lines of the log, between two checkpoints: steps of large bases take half a minute."""
HELD = 8
"""Packs that are never trained on, whose loss tells how it goes."""
SECOND = 60.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How it is trained."""

    minutes: float = 100.0
    seed: int = 1
    pack: int = 2000
    rate: float = 7e-4
    at_once: int = 1
    """Packs a step; more on a GPU."""
    threads: int = 0


@dataclass(slots=True)
class Progress:
    """How far it is."""

    steps: int = 0
    seconds: float = 0.0
    read: int = 0
    learnt: int = 0
    losses: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)


class Trainer:
    """A model, its optimizer and where they stand."""

    def __init__(self, model: Model, plan: Plan, out: Path, base: str) -> None:
        self.model, self.plan, self.out, self.base, self.course = model, plan, out, base, Progress()
        self.device = next(model.parameters()).device
        rates = {"a": plan.rate, "b": TWICE * plan.rate}
        groups = [
            {"params": list(model.get_updates(kind).values()), "lr": rate, "whole": rate}
            for kind, rate in rates.items()
        ]
        self.optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.0)
        if out.exists():
            self._resume()

    def run(self, talks: list[Tokens]) -> None:
        """Train until the time is over."""
        packs = self._draw_packs(talks)
        held = [next(packs) for _ in range(min(HELD, len(talks) // 40))]
        self._tell(f"held-out loss {self.measure_loss(held):.4f} at the start")
        spare = {tuple(pack.ids) for pack in held}
        packs = (pack for pack in packs if tuple(pack.ids) not in spare)
        for _ in range(self.course.steps * self.plan.at_once):
            next(packs)
        told = kept = self.course.seconds
        while self.course.seconds < self.plan.minutes * SECOND:
            begun = time.monotonic()
            self.run_step([next(packs) for _ in range(self.plan.at_once)])
            self.course.seconds += time.monotonic() - begun
            if self.course.seconds >= told + TOLD:
                told = self.course.seconds
                self._tell_course()
            if self.course.seconds >= kept + KEPT:
                kept = self.course.seconds
                self.save()
        self.save()
        self._tell(f"held-out loss {self.measure_loss(held):.4f} at the end, after {self.course.steps} steps")

    def run_step(self, packs: list[TokenPack]) -> None:
        """Learn from some packs."""
        done = self.course.seconds / (self.plan.minutes * SECOND)
        share = min(1, (self.course.steps + 1) / WARM_UP) * (LEAST + (1 - LEAST) * _compute_cosine(done))
        for group in self.optimizer.param_groups:
            group["lr"] = group["whole"] * share
        for pack in packs:
            loss, right = self._compute_loss(pack)
            (loss / len(packs)).backward()  # type: ignore[no-untyped-call]
            self.course.losses.append(loss.item())
            self.course.right.append(right)
            self.course.read += len(pack.ids)
            self.course.learnt += sum(pack.taught)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.course.steps += 1

    @torch.no_grad()
    def measure_loss(self, packs: list[TokenPack]) -> float:
        """Give the mean loss of packs."""
        return sum(self._compute_loss(pack)[0].item() for pack in packs) / max(1, len(packs))

    def save(self) -> None:
        """Keep everything that going on needs."""
        state = {
            "base": self.base,
            "architecture": self.model.made.name,
            "shape": asdict(self.model.shape),
            "course": asdict(self.course),
            "plan": asdict(self.plan),
            "model": {name: one.detach().cpu() for name, one in self.model.named_parameters()},
            "optimizer": self.optimizer.state_dict(),
        }
        part = self.out.with_suffix(".part")
        torch.save(state, part)
        part.replace(self.out)

    def _resume(self) -> None:
        state = torch.load(self.out, map_location=self.device, weights_only=True)
        if (state["base"], state["shape"]) != (self.base, asdict(self.model.shape)):
            raise SystemExit(f"{self.out} is of {state['base']} with {state['shape']}: use another file")
        self.model.load_state_dict(state["model"], strict=False)
        self.optimizer.load_state_dict(state["optimizer"])
        self.course = Progress(**state["course"])

    def _compute_loss(self, pack: TokenPack) -> tuple[Tensor, float]:
        ids = torch.tensor(pack.ids, device=self.device)
        wanted = torch.tensor([at for at, learnt in enumerate(pack.taught) if learnt], device=self.device)
        positions = torch.tensor(pack.positions, device=self.device)
        scores = self.model(Pack(ids, positions, tuple(pack.ends)), wanted - 1)
        right = (scores.argmax(-1) == ids[wanted]).float().mean().item()
        return functional.cross_entropy(scores, ids[wanted]), right

    def _draw_packs(self, talks: list[Tokens]) -> Iterator[TokenPack]:
        for epoch in count():
            yield from tokens.pack_conversations(talks, self.plan.pack, Random(f"{self.plan.seed}/{epoch}"))

    def _tell_course(self) -> None:
        course, losses, right = self.course, self.course.losses, self.course.right
        told = {
            "step": course.steps,
            "minutes": round(course.seconds / SECOND, 1),
            "loss": round(sum(losses) / len(losses), 4),
            "right": round(sum(right) / len(right), 4),
            "read": course.read,
            "learnt": course.learnt,
            "per_second": round(course.read / course.seconds),
        }
        losses.clear()
        right.clear()
        self._tell(json.dumps(told))

    def _tell(self, line: str) -> None:
        sys.stderr.write(f"{line}\n")
        with self.out.with_suffix(".log").open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")


def _compute_cosine(done: float) -> float:
    return 0.5 + 0.5 * math.cos(math.pi * min(1.0, done))


def build_model(base: Path, begin: Path | None, shape: Shape, seed: int) -> Model:
    """Build the model, on the best device there is."""
    torch.manual_seed(seed)
    torch.set_float32_matmul_precision("high")  # a GPU's tensor cores; on the cores it changes nothing
    model = load_model(base, shape, choose_dtype())
    if begin:
        begin_from(model, begin)
    return model.to("cuda" if torch.cuda.is_available() else "cpu")


def choose_dtype() -> torch.dtype:
    """Give the kind of the frozen numbers, half as long where these cores multiply such faster.

    On a Zen 4 that is 1.5 times as many tokens a second; the loss is the same to the third digit.
    """
    if torch.cuda.is_available():
        quick = torch.cuda.is_bf16_supported()
    else:
        cores = Path("/proc/cpuinfo")
        quick = cores.exists() and bool({"avx512_bf16", "amx_bf16"} & set(cores.read_text("utf-8").split()))
    return torch.bfloat16 if quick else torch.float32


def parse_arguments() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("talks", type=Path, nargs="+")
    parser.add_argument("--from", dest="begin", type=Path, help="an adapter to go on from")
    for name, default in asdict(Plan()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    for name, default in asdict(Shape()).items():
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


def main() -> None:
    asked = parse_arguments()
    plan = Plan(**{name: getattr(asked, name) for name in asdict(Plan())})
    shape = Shape(**{name: getattr(asked, name) for name in asdict(Shape())})
    if plan.threads:
        torch.set_num_threads(plan.threads)
    talks = tokens.load_conversations(asked.talks, vocabulary.build_tokenizer(asked.base))
    model = build_model(asked.base, asked.begin, shape, plan.seed)
    Trainer(model, plan, asked.out, asked.base.name).run(talks)


if __name__ == "__main__":
    main()

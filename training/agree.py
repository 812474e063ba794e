"""Compares the base as it is trained here with the base as llama.cpp runs it: tokens, and the likeliest next.

`python -m training.agree BASE.gguf talks.jsonl --server http://127.0.0.1:8095`, where llama-server has that
file (and with `--state OUT.pt` the exported adapter, by `--lora`). To be run once for a base that is new; an
adapter trained on numbers that llama.cpp does not have is worth nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from random import Random
from typing import Any
from urllib.request import Request, urlopen

import torch

from training import vocabulary
from training.model import Model, Pack, Shape, load_model

LEAST = 0.95
"""The share of positions at which both must find the same token likeliest."""
TEXTS, POSITIONS = 50, 200
ODD = (
    "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n",
    "def f(x):\n\n\n    return x  # 12345 3.14\n",
    "I'll, they'RE, it's; don't",
    "tabs\tand  two blanks   three\r\n\r\n end ",
    "naïve café — “quoted” 你好 мир 🙂 e\u0301",
    "```python: a_b-c.py\nprint('x' * 10**3)\n```<|im_end|>",
)


def ask_server(server: str, path: str, **fields: Any) -> Any:
    """Give what the server answers."""
    request = Request(f"{server}{path}", json.dumps(fields).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=600) as answer:
        return json.load(answer)


def collect_texts(talks: Path) -> list[str]:
    """Give messages of conversations, of all lengths, and texts that are hard to cut."""
    lines = talks.read_text("utf-8").splitlines()
    said = sorted({text for line in lines for _, text, _ in json.loads(line)["said"]})
    return [*ODD, *Random(1).sample(said, min(len(said), TEXTS - len(ODD)))]


def count_same_tokens(base: Path, server: str, found: list[str]) -> int:
    """Count the texts that both cut alike; tell of the others."""
    made, same = vocabulary.build_tokenizer(base), 0
    for text in found:
        ours = made.encode(text).ids
        theirs = ask_server(server, "/tokenize", content=text, parse_special=True)["tokens"]
        same += ours == theirs
        if ours != theirs:
            sys.stdout.write(f"cut otherwise: {text!r}\n  {ours}\n  {theirs}\n")
    return same


@torch.no_grad()
def count_same_choices(model: Model, server: str, ids: list[int]) -> tuple[int, float]:
    """Count the positions at which both find the same token likeliest; how far its logarithms differ."""
    whole = torch.arange(len(ids))
    scores = model(Pack(torch.tensor(ids), whole, (len(ids) // 2, len(ids))), whole).log_softmax(-1)
    same, apart = 0, 0.0
    for at in range(1, len(ids)):
        told = ask_server(
            server, "/completion", prompt=ids[: at + 1], n_predict=1, n_probs=1, temperature=0.0
        )
        first = told["completion_probabilities"][0]
        best = first["top_logprobs"][0] if first.get("top_logprobs") else first
        same += int(scores[at].argmax()) == best["id"]
        apart += abs(float(scores[at, best["id"]]) - best["logprob"])
    return same, apart / (len(ids) - 1)


def load_trained(base: Path, state: Path | None) -> Model:
    """Read the base, and what was trained on it."""
    if not state:
        return load_model(base, Shape(), torch.float32)
    kept = torch.load(state, map_location="cpu", weights_only=True)
    model = load_model(base, Shape(**kept["shape"]), torch.float32)
    model.load_state_dict(kept["model"], strict=False)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("talks", type=Path)
    parser.add_argument("--server", default="http://127.0.0.1:8095")
    parser.add_argument("--state", type=Path, help="what was trained, which the server has as an adapter")
    chosen = parser.parse_args()
    found = collect_texts(chosen.talks)
    cut = count_same_tokens(chosen.base, chosen.server, found)
    sys.stdout.write(f"{cut} of {len(found)} texts are cut alike\n")
    first = json.loads(chosen.talks.read_text("utf-8").splitlines()[0])["said"]
    said = "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text, _ in first)
    ids = vocabulary.build_tokenizer(chosen.base).encode(said).ids[-POSITIONS - 1 :]
    same, apart = count_same_choices(load_trained(chosen.base, chosen.state), chosen.server, ids)
    sys.stdout.write(f"{same} of {len(ids) - 1} next tokens alike, logarithms {apart:.3f} apart\n")
    if cut < len(found) or same < LEAST * (len(ids) - 1):
        raise SystemExit(1)


if __name__ == "__main__":
    main()

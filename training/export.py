"""Writes what was trained as an adapter over the base.

`python -m training.export OUT.pt adapter.gguf --wording HASH [--scale 0.5]`. 16-bit numbers, no merge:
rounding a merged file to Q4_1 throws the training away. llama.cpp and Ollama apply it as they load the base.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch

from training.model import TENSORS

NAME, LICENSE = "tripletick offline agent", "apache-2.0"
MOST = 25_000_000
"""Bytes that ship with the package, or are downloaded with its base."""


def export_adapter(state: dict[str, Any], out: Path, about: dict[str, str], scale: float = 1.0) -> int:
    """Write the adapter, which adds `scale` of what was learnt to the base; gives its bytes."""
    writer = gguf.GGUFWriter(out, state["architecture"])
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(state["shape"]["alpha"]) * scale)
    writer.add_name(NAME)
    writer.add_license(LICENSE)
    for key, value in about.items():
        writer.add_string(f"tripletick.{key}", value)
    for name, matrix in state["model"].items():
        layer, kind, short = _split_name(name)
        data = matrix.float().numpy().astype(np.float16)
        writer.add_tensor(f"blk.{layer}.{TENSORS[short]}.weight.lora_{kind}", data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return out.stat().st_size


def _split_name(name: str) -> tuple[str, str, str]:
    """Read `blocks.12.qkv.a.q`: the layer, which of the two matrices, of what."""
    _, layer, _, kind, short = name.split(".")
    return layer, kind, short


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("state", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--wording", required=True, help="python -m training.wording")
    parser.add_argument("--scale", type=float, default=1.0, help="how much of it is added to the base")
    asked = parser.parse_args()
    state = torch.load(asked.state, map_location="cpu", weights_only=True)
    plan, course = state["plan"], state["course"]
    about = {
        "wording": asked.wording,
        "base": state["base"],
        "seed": str(plan["seed"]),
        "tokens": str(course["read"]),
        "learnt": str(course["learnt"]),
        "scale": f"{asked.scale:g}",
    }
    size = export_adapter(state, asked.out, about, asked.scale)
    sys.stderr.write(f"{asked.out}: {size} bytes, {course['steps']} steps, {course['read']} tokens\n")
    if size > MOST:
        raise SystemExit(f"The adapter has {size} bytes, more than {MOST}: train it with less --rank.")


if __name__ == "__main__":
    main()

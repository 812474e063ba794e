"""Training on other bases than the offline model's: what their files say, and that they are computed so.

Torch lies in an environment of its own; what needs it is skipped where that was not made.
"""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from training.architecture import read_architecture

from tripletick.models import gguf

ROOT = Path(__file__).parents[2]
TORCH = ROOT / ".venv-training" / "bin" / "python"
QWEN = {
    "general.architecture": "qwen2",
    "qwen2.embedding_length": 896,
    "qwen2.block_count": 24,
    "qwen2.attention.head_count": 14,
    "qwen2.attention.head_count_kv": 2,
    "qwen2.attention.layer_norm_rms_epsilon": 0.5,
    "qwen2.rope.freq_base": 1e6,
}


def field(key, value):
    """Write one field as GGUF has it."""
    kind, data = {
        str: lambda: (8, struct.pack("<Q", len(value)) + str(value).encode()),
        int: lambda: (4, struct.pack("<I", value)),
        float: lambda: (6, struct.pack("<f", value)),
    }[type(value)]()
    return struct.pack("<Q", len(key)) + key.encode() + struct.pack("<I", kind) + data


def test_the_sizes_of_a_base_are_those_that_its_file_says(tmp_path):
    path = tmp_path / "base.gguf"
    path.write_bytes(
        b"GGUF" + struct.pack("<IQQ", 3, 0, len(QWEN)) + b"".join(map(field, QWEN, QWEN.values()))
    )
    header = gguf.read_header(path)
    assert isinstance(header, gguf.GgufHeader)
    made = read_architecture(header.fields)
    assert (made.width, made.layers, made.heads, made.keys, made.head) == (896, 24, 14, 2, 64)
    assert (made.epsilon, made.rotation, made.halves) == (0.5, 1e6, True)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({**QWEN, "general.architecture": "mamba"}, "architecture mamba"),
        ({**QWEN, "qwen2.rope.scaling.type": "yarn"}, "scaled: yarn"),
        ({name: value for name, value in QWEN.items() if "head_count" not in name}, "head_count"),
    ],
)
def test_a_base_that_would_be_computed_wrongly_is_refused(fields, why):
    with pytest.raises(ValueError, match=why):
        read_architecture(fields)


TINY = """
import sys, numpy as np, torch
from pathlib import Path
from gguf import GGUFReader, GGUFWriter
from training.export import export_adapter
from training.model import GROUPS, Pack, Shape, begin_from, load_model
torch.manual_seed(1)
top = Path(sys.argv[1])
for name in ("llama", "qwen2"):
    width, heads, keys, head, ffn, words = 32, 4, 2, 8, 48, 40
    w = GGUFWriter(top / "base.gguf", name)
    w.add_embedding_length(width); w.add_block_count(2); w.add_head_count(heads); w.add_head_count_kv(keys)
    w.add_layer_norm_rms_eps(1e-6); w.add_rope_freq_base(1e4)
    def put(key, *size): w.add_tensor(key, torch.randn(*size).numpy().astype(np.float32))
    put("token_embd.weight", words, width); put("output_norm.weight", width)
    sizes = {"attn_q": (32, width), "attn_k": (16, width), "attn_v": (16, width), "attn_output": (width, 32),
             "ffn_gate": (ffn, width), "ffn_up": (ffn, width), "ffn_down": (width, ffn)}
    for layer in range(2):
        for key, size in sizes.items(): put(f"blk.{layer}.{key}.weight", *size)
        for key in ("attn_norm", "ffn_norm"): put(f"blk.{layer}.{key}.weight", width)
        if name == "qwen2":
            for key in ("attn_q", "attn_k", "attn_v"): put(f"blk.{layer}.{key}.bias", sizes[key][0])
    w.write_header_to_file(); w.write_kv_data_to_file(); w.write_tensors_to_file(); w.close()
    model = load_model(top / "base.gguf", Shape(rank=2), torch.float32)
    ids, at = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6]), torch.arange(8)
    whole = model(Pack(ids, at, (1, 8)), at)
    with torch.no_grad():
        for one in model.parameters(): one.normal_()
        changed = model(Pack(ids, at, (1, 8)), at)
        # a second conversation behind the same beginning sees that and itself alone
        both = model(Pack(torch.cat((ids, ids[3:])), torch.cat((at, at[3:])), (3, 8, 13)), torch.arange(13))
    assert not torch.allclose(whole, changed)
    assert torch.allclose(both[:8], changed, atol=1e-4) and torch.allclose(both[8:], changed[3:], atol=1e-4)
    state = {"architecture": name, "shape": {"alpha": 32}, "model": dict(model.named_parameters())}
    state["model"] = {key: one.detach() for key, one in state["model"].items()}
    export_adapter(state, top / "adapter.gguf", {"base": "base.gguf"})
    kept = GGUFReader(top / "adapter.gguf")
    assert kept.fields["general.architecture"].contents() == name
    assert len(kept.tensors) == 2 * 2 * 7
    other = load_model(top / "base.gguf", Shape(rank=2, alpha=8), torch.float32)
    begin_from(other, top / "adapter.gguf")
    with torch.no_grad():
        assert torch.allclose(other(Pack(ids, at, (1, 8)), at), changed, rtol=0.05, atol=0.5)
    print(name)
"""


@pytest.mark.skipif(not TORCH.exists(), reason="make .venv-training/.installed")
def test_a_base_is_read_packed_trained_and_exported(tmp_path):
    done = subprocess.run([TORCH, "-c", TINY, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["llama", "qwen2"], done.stderr

"""A real model of 70 kB for llama.cpp, made of random numbers: it writes letters and never ends by itself."""

from __future__ import annotations

import random
import struct
from pathlib import Path

from tests.test_gguf import text, typed

WIDTH, HIDDEN, HEADS, CONTEXT = 32, 64, 2, 4096
TOKENS = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
UNKNOWN, CONTROL, BYTE = 2, 3, 6
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"
FIELDS = {
    "general.architecture": "llama",
    "llama.context_length": CONTEXT,
    "llama.block_count": 1,
    "llama.embedding_length": WIDTH,
    "llama.feed_forward_length": HIDDEN,
    "llama.attention.head_count": HEADS,
    "llama.attention.head_count_kv": HEADS,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "llama.rope.dimension_count": WIDTH // HEADS,
    "llama.vocab_size": len(TOKENS),
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.tokens": TOKENS,
    "tokenizer.ggml.scores": [0.0] * len(TOKENS),
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.eos_token_id": 2,
    "tokenizer.chat_template": TEMPLATE,
}
KINDS = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256]
SIZES = {
    "token_embd.weight": (WIDTH, len(TOKENS)),
    "output_norm.weight": (WIDTH,),
    "output.weight": (WIDTH, len(TOKENS)),
    "blk.0.attn_norm.weight": (WIDTH,),
    "blk.0.attn_q.weight": (WIDTH, WIDTH),
    "blk.0.attn_k.weight": (WIDTH, WIDTH),
    "blk.0.attn_v.weight": (WIDTH, WIDTH),
    "blk.0.attn_output.weight": (WIDTH, WIDTH),
    "blk.0.ffn_norm.weight": (WIDTH,),
    "blk.0.ffn_gate.weight": (WIDTH, HIDDEN),
    "blk.0.ffn_up.weight": (WIDTH, HIDDEN),
    "blk.0.ffn_down.weight": (HIDDEN, WIDTH),
}


def write_model(path: Path, seed: int = 1) -> Path:
    """Write it; another seed makes another model."""
    chance = random.Random(seed)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(SIZES), len(FIELDS) + 1)
    head += b"".join(text(key) + typed(value) for key, value in FIELDS.items())
    # llama.cpp insists on signed numbers here
    head += text("tokenizer.ggml.token_type") + struct.pack(f"<IIQ{len(KINDS)}i", 9, 5, len(KINDS), *KINDS)
    data = b""
    for name, sizes in SIZES.items():
        head += text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, 0, len(data))
        numbers = weights(name, sizes, chance)
        data += struct.pack(f"<{len(numbers)}f", *numbers)
        data += bytes(-len(data) % 32)
    path.write_bytes(head + bytes(-len(head) % 32) + data)
    return path


def weights(name: str, sizes: tuple[int, ...], chance: random.Random) -> list[float]:
    if "norm" in name:
        return [1.0] * sizes[0]
    rows = [[chance.gauss(0, 0.5) for _ in range(sizes[0])] for _ in range(sizes[1])]
    if name == "output.weight":
        # what is no small letter is never the most likely
        letters = {TOKENS.index(f"<0x{byte:02X}>") for byte in b"abcdefghijklmnopqrstuvwxyz"}
        rows = [row if at in letters else [0.0] * len(row) for at, row in enumerate(rows)]
    return [number for row in rows for number in row]

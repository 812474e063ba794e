import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tripletick.errors import ModelError
from tripletick.models import fitness
from tripletick.models.gguf import GgufHeader, UnreadableFile, read_header

FIELDS = {
    "general.architecture": "llama",
    "llama.context_length": 2048,
    "llama.block_count": 6,
    "llama.embedding_length": 192,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "tokenizer.ggml.tokens": ["a", "b", "ü"],
    "tokenizer.ggml.scores": [0.5, 1.5],
    "tokenizer.chat_template": "{{ messages }}",
    "general.finetuned": True,
    "general.rate": 0.5,
}
Q4_1 = 3
TENSORS = [("blk.0", [64, 2], 0, 0), ("blk.1", [32, 3], Q4_1, 512)]
END = 512 + 3 * 20


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def typed(value):
    """A value with the number of its type before it."""
    if isinstance(value, list):
        entries = [typed(entry) for entry in value]
        return (
            struct.pack("<I", 9)
            + entries[0][:4]
            + struct.pack("<Q", len(value))
            + b"".join(e[4:] for e in entries)
        )
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    kind, form = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}[type(value)]
    return struct.pack(f"<I{form}", kind, value)


def gguf(fields=None, tensors=TENSORS, data=END, *, version=3, counts=None):
    """A whole file; a field given as None is left out."""
    kept = {key: value for key, value in {**FIELDS, **(fields or {})}.items() if value is not None}
    made = b"GGUF" + struct.pack("<IQQ", version, *(counts or (len(tensors), len(kept))))
    made += b"".join(text(key) + typed(value) for key, value in kept.items())
    for name, sizes, kind, offset in tensors:
        made += text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, offset)
    return made + bytes(-len(made) % 32) + bytes(data)


@pytest.fixture
def file(tmp_path):
    def write(data):
        path = tmp_path / "model.gguf"
        path.write_bytes(data)
        return path

    return write


def header(path):
    found = read_header(path)
    assert isinstance(found, GgufHeader)
    return found


def flaw(path):
    found = read_header(path)
    assert isinstance(found, UnreadableFile)
    return found.why


def test_a_header_is_read_with_its_fields_lists_and_weights(file):
    found = header(file(gguf()))
    assert (found.architecture, found.context, found.weights) == ("llama", 2048, 64 * 2 + 32 * 3)
    assert found.parameters == found.weights
    assert found.arrays == {"tokenizer.ggml.tokens": 3, "tokenizer.ggml.scores": 2}
    assert (found.fields["general.finetuned"], found.fields["general.rate"]) == (True, 0.5)


def test_a_told_number_of_parameters_goes_before_the_sum(file):
    assert header(file(gguf({"general.parameter_count": 7_000_000}))).parameters == 7_000_000


def test_an_older_version_of_the_format_is_read(file):
    assert header(file(gguf(version=2))).context == 2048


@pytest.mark.parametrize("missing", [1, 60, END - 1])
def test_a_file_whose_tensors_are_cut_off_is_unreadable(file, missing):
    assert "ends at byte" in flaw(file(gguf()[:-missing]))


def test_every_file_that_breaks_off_is_unreadable(file):
    whole = gguf(data=0, tensors=[])
    for length in range(len(whole) - 32):
        assert isinstance(read_header(file(whole[:length])), UnreadableFile)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not a GGUF file"),
        (b"<html>not found</html>" * 9, "not a GGUF file"),
        (gguf(version=1), "GGUF version 1"),
        (gguf(version=3 << 24), "big-endian"),
        (gguf(counts=(2, 1 << 40)), "claims"),
        (gguf(counts=(1 << 40, 2)), "claims"),
        (gguf({"general.alignment": 0}), "alignment is 0"),
        (gguf({"general.alignment": 48}), "alignment is 48"),
        (gguf(tensors=[("t", [1 << 62, 1 << 62], 0, 0)]), "cannot be of"),
        (gguf(tensors=[("t", [64], 0, 1)]), "cannot be of"),
        (gguf(tensors=[("t", [33], Q4_1, 0)]), "cannot be of"),
        (gguf(tensors=[("t", [1, 1, 1, 1, 1], 0, 0)]), "5 dimensions"),
        (gguf(tensors=[("t" * 500, [1], 0, 0)]), "a name of 500 bytes"),
        (gguf(tensors=[("t", [8], 0, 1 << 60)]), "truncated"),
        (gguf(tensors=[("t", [8], 999, 1 << 60)]), "truncated"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(file, data, why):
    assert why in flaw(file(data))


def test_a_list_of_texts_that_lies_about_its_length_ends_with_the_file(file):
    entry = typed(["a", "b", "ü"])
    lying = gguf().replace(entry, entry[:8] + struct.pack("<Q", 1 << 60) + entry[16:])
    assert "it ends after" in flaw(file(lying))


def test_what_is_no_file_is_unreadable(tmp_path):
    assert flaw(tmp_path) == "it is a folder"
    assert flaw(tmp_path / "absent.gguf") == "no such file or directory"
    assert "name" in flaw(tmp_path / "a\0b")


@settings(
    max_examples=300,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(at=st.integers(0, 700), new=st.binary(min_size=1, max_size=9))
def test_no_damage_to_a_header_raises(file, at, new):
    whole = gguf(data=0)
    assert isinstance(
        read_header(file(whole[:at] + new + whole[at + len(new) :])), GgufHeader | UnreadableFile
    )


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"general.type": "adapter"}, "is an adapter"),
        ({"general.architecture": "clip"}, "vision part"),
        ({"split.count": 3}, "split into several"),
        ({"llama.pooling_type": 1}, "embedding model"),
        ({"llama.attention.causal": False}, "embedding model"),
        ({"tokenizer.ggml.tokens": None}, "not a language model"),
        ({"llama.context_length": None}, "not a language model"),
        ({"tokenizer.chat_template": None}, "no chat template"),
        ({"llama.block_count": 1_000_000}, "impossible numbers"),
        ({"llama.block_count": 0}, "impossible numbers"),
        ({"llama.context_length": 0xFFFFFFFF}, "impossible numbers"),
        ({"llama.attention.layer_norm_rms_epsilon": -1.0}, "impossible numbers"),
        ({"llama.rope.freq_base": float("nan")}, "impossible numbers"),
    ],
)
def test_a_file_that_is_no_model_to_talk_to_is_refused(file, fields, why):
    with pytest.raises(ModelError, match=why) as caught:
        fitness.inspect_model(file(gguf(fields)))
    assert caught.value.remedy


def test_a_model_to_talk_to_is_fit(file):
    assert fitness.inspect_model(file(gguf({"split.count": 1, "general.type": "model"}))).context == 2048


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"general.type": "model"}, "not an adapter"),
        ({"general.architecture": "qwen2"}, "made for qwen2 models"),
    ],
)
def test_an_adapter_that_does_not_fit_is_refused(file, fields, why):
    model = GgufHeader(1, {"general.architecture": "llama"}, {}, 1)
    with pytest.raises(ModelError, match=why):
        fitness.inspect_adapter(file(gguf({"general.type": "adapter", **fields})), model)


def test_memory_is_the_file_and_the_cache_of_every_layer(file):
    found = header(file(gguf()))
    assert fitness.estimate_memory(found, 1000) == found.size + 1000 * 6 * 2 * (48 + 48) * 2


def test_a_need_far_above_what_is_free_is_refused_with_both(file):
    path = file(gguf())
    found = header(path)
    needed = fitness.estimate_memory(found, 2048)
    fitness.check_memory(path, found, 2048, 0)
    fitness.check_memory(path, found, 2048, needed)
    with pytest.raises(ModelError, match=r"needs about .* GiB with 2048 tokens .*\n.*--ctx"):
        fitness.check_memory(path, found, 2048, needed // 2)

import json
import os
from pathlib import Path

import pytest

from tripletick.errors import ModelError
from tripletick.models import ollama_store

LAYER = "application/vnd.ollama.image."
DIGEST = "sha256:" + "ab" * 32
ADAPTER = "sha256:" + "cd" * 32


def parsed(text):
    name = ollama_store.parse_name(text)
    assert name
    return name


def put(root, name, layers, sizes=None):
    """Write a manifest and its blobs, as Ollama does."""
    manifest = root / "manifests" / Path(*parsed(name).parts)
    manifest.parent.mkdir(parents=True, exist_ok=True)
    listed = [
        {"mediaType": LAYER + kind, "digest": digest, "size": (sizes or {}).get(digest, 4)}
        for kind, digest in layers
    ]
    manifest.write_text(json.dumps({"schemaVersion": 2, "layers": listed}))
    (root / "blobs").mkdir(exist_ok=True)
    for _, digest in layers:
        (root / "blobs" / digest.replace(":", "-")).write_bytes(b"GGUF")
    return manifest


def refused(name, *stores):
    with pytest.raises(ModelError) as caught:
        ollama_store.find_model(name, stores)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("qwen", ("registry.ollama.ai", "library", "qwen", "latest")),
        ("qwen2.5-coder:7b", ("registry.ollama.ai", "library", "qwen2.5-coder", "7b")),
        ("me/qwen:1", ("registry.ollama.ai", "me", "qwen", "1")),
        ("hf.co/me/qwen-GGUF:Q4_K_M", ("hf.co", "me", "qwen-GGUF", "Q4_K_M")),
        ("localhost:5000/me/qwen", ("localhost:5000", "me", "qwen", "latest")),
    ],
)
def test_a_name_is_read_as_ollama_reads_it(text, parts):
    assert parsed(text).parts == parts


@pytest.mark.parametrize(
    "text", ["", "..", "../../etc/passwd", "a/../b", "a//b", "a/b/c/d", "a b", "x:../y", "a\0b"]
)
def test_what_could_lead_out_of_the_store_is_no_name(text, tmp_path):
    assert ollama_store.parse_name(text) is None
    assert "neither a file nor a valid Ollama model name" in refused(text, tmp_path)


@pytest.mark.parametrize("text", ["qwen:7b", "me/qwen:7b", "hf.co/me/qwen:Q4", "hf.co/library/qwen:Q4"])
def test_a_name_is_shown_as_it_was_given(text):
    assert parsed(text).short_name == text


def test_a_pulled_model_is_found_with_its_adapter(tmp_path):
    put(tmp_path, "smol", [("template", DIGEST), ("model", DIGEST), ("adapter", ADAPTER)])
    found = ollama_store.find_model("smol:latest", [tmp_path])
    assert found.model == tmp_path / "blobs" / DIGEST.replace(":", "-")
    assert found.adapters == (tmp_path / "blobs" / ADAPTER.replace(":", "-"),)


def test_digests_with_a_dash_are_read_too(tmp_path):
    put(tmp_path, "smol", [("model", DIGEST.replace(":", "-"))])
    assert ollama_store.find_model("smol", [tmp_path]).model.name == DIGEST.replace(":", "-")


def test_capital_letters_make_no_difference(tmp_path):
    put(tmp_path, "hf.co/Me/Smol-GGUF:Q4_K_M", [("model", DIGEST)])
    assert ollama_store.find_model("hf.co/me/smol-gguf:q4_k_m", [tmp_path]).model.exists()


def test_stores_are_looked_through_in_their_order(tmp_path):
    put(tmp_path / "second", "smol", [("model", DIGEST)])
    put(tmp_path / "third", "smol", [("model", ADAPTER)])
    stores = [tmp_path / name for name in ("first", "second", "third")]
    assert ollama_store.find_model("smol", stores).model.is_relative_to(tmp_path / "second")


def test_a_model_that_is_not_there_names_the_closest(tmp_path):
    put(tmp_path, "qwen2.5-coder:3b", [("model", DIGEST)])
    put(tmp_path, "me/llama", [("model", DIGEST)])
    assert "Closest: qwen2.5-coder:3b." in refused("qwen2.5-coder:7b", tmp_path)
    assert "ollama pull zzz" in refused("zzz", tmp_path)
    assert set(ollama_store.list_names([tmp_path])) == {"qwen2.5-coder:3b", "me/llama:latest"}


def test_without_a_store_it_is_said_where_was_looked(tmp_path):
    assert f"No Ollama model store found: {tmp_path / 'absent'}" in refused("smol", tmp_path / "absent")


def test_a_model_pulled_in_part_is_refused(tmp_path):
    put(tmp_path, "smol", [("model", DIGEST)], sizes={DIGEST: 9})
    assert "only 4 of 9 bytes are there" in refused("smol", tmp_path)
    (tmp_path / "blobs" / DIGEST.replace(":", "-")).unlink()
    assert "pulled only in part" in refused("smol", tmp_path)


def test_a_model_of_the_cloud_holds_no_file(tmp_path):
    put(tmp_path, "big:cloud", [("params", DIGEST)])
    assert "-m ollama:big:cloud" in refused("big:cloud", tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"layers": 5}', "[" * 50_000, "\xff\xfe"])
def test_a_damaged_manifest_is_said(tmp_path, text):
    put(tmp_path, "smol", []).write_text(text, encoding="latin-1")
    assert "it is not a manifest" in refused("smol", tmp_path)


@pytest.mark.parametrize("digest", ["../../etc/passwd", "sha256:xyz", "", 5, None])
def test_a_layer_cannot_name_a_file_outside_the_store(tmp_path, digest):
    listed = {"layers": [{"mediaType": LAYER + "model", "digest": digest}, "no layer"]}
    put(tmp_path, "smol", []).write_text(json.dumps(listed))
    assert "names no file" in refused("smol", tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_store_that_may_not_be_read_points_to_the_server(tmp_path):
    put(tmp_path, "smol", [("model", DIGEST)])
    (tmp_path / "manifests").chmod(0)
    told = refused("smol", tmp_path)
    (tmp_path / "manifests").chmod(0o700)
    assert "permission denied" in told and "-m ollama:smol" in told


def test_the_chosen_folder_goes_before_the_persons_and_the_systems(tmp_path):
    home = tmp_path / "home"
    assert ollama_store.list_stores({"OLLAMA_MODELS": "'/data/models'"}, home)[0] == Path("/data/models")
    assert ollama_store.list_stores({}, home) == (home / ".ollama/models", ollama_store.SYSTEM_STORE)

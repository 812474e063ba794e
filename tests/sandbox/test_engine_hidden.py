"""The engine of a local model is not a block's to talk to, in either tier, and its token not to read."""

import shutil
import socket

import pytest

CONNECT = """
import socket, sys
for path in sys.argv[1:]:
    try:
        print("reached", socket.socket(socket.AF_UNIX).connect(path) or path)
    except OSError as error:
        print("refused")
"""


@pytest.fixture
def engines(top):
    """A socket that listens where an engine's does, as open to all as files can be."""
    folder = top / "state" / "engines"
    folder.mkdir(parents=True)
    for each in (top / "state", folder):
        each.chmod(0o777)
    (folder / "0123456789abcdef.lock").write_text('{"token": "CANARY"}')
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "0123456789abcdef.sock"))
        (folder / "0123456789abcdef.sock").chmod(0o777)
        server.listen()
        yield folder


@pytest.mark.parametrize("tier", ["bubblewrap", "landlock"])
@pytest.mark.parametrize("mode", ["work", "read"])
def test_a_block_reaches_no_engine_and_reads_no_token(make, engines, tier, mode):
    if tier == "bubblewrap" and not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    place = make(tier)
    if not place.box.holds:
        pytest.skip(place.box.sentence)
    path = str(engines / "0123456789abcdef.sock")
    found, _ = place.run(["/usr/bin/python3", "-c", CONNECT, path, f"/proc/1/root{path}"], mode=mode)
    # where blocks may open no socket at all, the program ends with that
    assert "reached" not in found
    text, _ = place.bash(f"cat {engines}/*; ls {engines}; echo looked", mode=mode)
    assert "CANARY" not in text
    assert text.endswith("looked\n")

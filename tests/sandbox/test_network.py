"""A block with network, from end to end: what it reaches over our proxy, and what stays out of its reach."""

import os
import shutil
import socket
import subprocess
import sys
import threading

import pytest
from tests.sandbox.serving import BIG, own_address, site

from tripletick.sandbox.box import Grant

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed")

NETWORK = Grant(network=True)
FETCH = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=20).read().decode())"
CLIENTS = {
    "curl": ["curl", "-sS", "--max-time", "20"],
    "wget": ["wget", "-qO-", "--tries=1", "--timeout=20"],
    "python": ["/usr/bin/python3", "-c", FETCH],
}
AROUND = """import socket
for family, address in ((socket.AF_INET, ("{own}", {port})), (socket.AF_INET, ("127.0.0.1", {here}))):
    s = socket.socket(family)
    s.settimeout(5)
    print(s.connect_ex(address) == 0)
try:
    print(bool(socket.getaddrinfo("example.com", 80)))
except OSError:
    print(False)
"""


@pytest.fixture
def web():
    with site(own_address()) as server:
        yield server


@pytest.fixture
def url(web, monkeypatch):
    """The address of a site that is a registry of the person's settings."""
    address = f"http://{web.server_address[0]}:{web.server_port}"
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", address)
    return address


@pytest.mark.parametrize("client", CLIENTS)
def test_a_block_with_network_fetches_over_the_proxy(place, url, client):
    if not shutil.which(CLIENTS[client][0]):
        pytest.skip(f"{client} is not installed")
    text, finished = place.run([*CLIENTS[client], f"{url}/"], grant=NETWORK)
    assert (text.strip(), finished.status, finished.leftover) == ("hello", 0, 0)


@pytest.mark.parametrize("client", ["curl -sSL", "curl -sSL --noproxy ''"])
@pytest.mark.parametrize("way", ["http://127.0.0.1:{port}/", "http://localhost:{port}/", "{url}/away"])
def test_the_localhost_of_the_computer_is_out_of_reach(place, url, client, way):
    with site("127.0.0.1") as secret:
        place.bash(f"{client} {way.format(port=secret.server_port, url=url)}", grant=NETWORK)
    assert secret.heads == []


def test_nothing_is_reached_around_the_proxy(place, web, url):
    with socket.create_server(("127.0.0.1", 0)) as here:
        code = AROUND.format(own=web.server_address[0], port=web.server_port, here=here.getsockname()[1])
        text, _ = place.python(code, grant=NETWORK)
    assert text.split() == ["False"] * 3


def test_the_network_namespace_stays_private(place):
    text, _ = place.bash("tail -n +3 /proc/net/dev | cut -d: -f1; readlink /proc/self/ns/net", grant=NETWORK)
    devices, space = text.split()
    assert devices == "lo"
    assert (
        space
        != subprocess.run(
            ["readlink", "/proc/self/ns/net"], check=True, capture_output=True, text=True
        ).stdout.strip()
    )


def test_the_block_s_own_servers_are_reached_without_the_proxy(place):
    code = (
        "import threading, http.server, urllib.request as r\n"
        "s = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n"
        "threading.Thread(target=s.serve_forever, daemon=True).start()\n"
        "print(r.urlopen(f'http://localhost:{s.server_port}/').status)\n"
    )
    text, _ = place.python(code, grant=NETWORK)
    assert text.endswith("200\n")


def test_without_the_grant_there_is_no_way_to_the_proxy(place):
    place.bash("true", grant=NETWORK)
    text, _ = place.bash("env | grep -i proxy; ls /run; ls /proc | grep -c '^[0-9]'")
    assert "proxy" not in text.lower()
    assert "sock" not in text


def test_a_block_with_network_ends_like_one_without(place):
    statuses = [
        place.bash(code, grant=NETWORK)[1].status
        for code in ("exit 7", "kill -9 $$", "kill -15 $$", "nonono")
    ]
    assert statuses == [7, 137, 143, 127]


def test_the_forwarder_is_no_background_process_and_a_real_one_is_counted(place):
    _, finished = place.bash("sleep 60 & exit 0", grant=NETWORK)
    assert (finished.status, finished.leftover) == (0, 1)


def test_the_limit_of_time_ends_a_block_with_open_connections(place, url):
    ask = f"CONNECT {url[7:]} HTTP/1.1\\r\\n\\r\\n"
    code = f"exec 3<>/dev/tcp/127.0.0.1/${{http_proxy##*:}}; printf '{ask}' >&3; sleep 60"
    _, finished = place.bash(code, grant=NETWORK, timeout=1)
    assert finished.struck == "timeout"


def test_a_big_answer_and_many_at_once_arrive(place, url):
    code = f"for i in $(seq 20); do curl -sS {url}/big | wc -c & done; wait"
    text, _ = place.bash(code, grant=NETWORK)
    assert text.split() == [str(BIG)] * 20


def test_the_person_is_told_of_each_host_and_the_proxy_goes_with_the_box(make, url):
    told: list[str] = []
    place = make(notice=told.append)
    place.bash(f"curl -sS {url}/; curl -sS {url}/; curl -sS http://10.0.0.1/", grant=NETWORK)
    assert len(told) == 2
    assert url[7:] in told[0]
    assert "10.0.0.1 is refused" in told[1]
    place.box.close()
    assert "proxy" not in [thread.name for thread in threading.enumerate()]


def test_a_package_is_fetched_by_pip_over_the_proxy(place):
    pip = ["-m", "pip", "download", "--no-deps", "--no-cache-dir", "--quiet", "--dest"]
    python = sys.executable if os.geteuid() != 0 else "/usr/bin/python3"
    text, finished = place.run([python, *pip, ".", "six"], grant=NETWORK)
    if "No module named pip" in text:
        pytest.skip("there is no pip that the block can start")
    outside = [sys.executable, *pip, str(place.top), "six"]
    if finished.status and subprocess.run(outside, check=False, capture_output=True).returncode:
        pytest.skip("no package index is reached from here")
    assert finished.status == 0, text
    assert list(place.workspace.glob("six*"))

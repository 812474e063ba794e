"""What the proxy of `net` lets through, and what it answers else; real sockets on an own address."""

import contextlib
import os
import select
import socket
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.sandbox.serving import (
    BIG,
    Names,
    ask,
    echo,
    knock,
    own_address,
    read_head,
    site,
    tcp_server,
    tunnel,
)

from tripletick.config.config import load_config
from tripletick.errors import ConfigError
from tripletick.sandbox.net.proxy import Proxy
from tripletick.sandbox.net.registries import place
from tripletick.sandbox.net.upstream import MOST_TOLD, ProxyTerms
from tripletick.session import builder
from tripletick.system import dirs


@pytest.fixture
def told():
    return []


@pytest.fixture
def open_proxy(tmp_path, told):
    """Open proxies that are closed at the end; `near` are the person's registries, `names` answers."""
    opened = []

    def open_one(environ=None, *, near=(), names=None, folder=tmp_path, **changes):
        resolve = {"resolve": names if isinstance(names, Names) else Names(names)} if names else {}
        settings = {"HOME": str(tmp_path), "PIP_EXTRA_INDEX_URL": " ".join(f"http://{each}" for each in near)}
        terms = ProxyTerms(**{"linger": 5.0, **resolve, **changes})
        opened.append(Proxy(folder, told.append, {**settings, **(environ or {})}, terms=terms))
        return opened[-1]

    yield open_one
    for proxy in opened:
        proxy.close()
    assert not [thread.name for thread in threading.enumerate() if thread.name == "proxy"]


@pytest.fixture
def own():
    return own_address()


@pytest.fixture
def web(own):
    with site(own) as server:
        yield server


@pytest.fixture
def near(web):
    """The web site as a registry of the person's settings."""
    return place(*web.server_address[:2])


FORBIDDEN = (
    *(
        "127.0.0.1",
        "127.9.9.9",
        "127.1",
        "0x7f.1",
        "0177.0.0.1",
        "2130706433",
        "0",
        "0.0.0.0",
    ),
    *(
        "localhost",
        "LOCALHOST",
        "localhost.",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
    ),
    *(
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::1]",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00:ec2::254]",
    ),
    *(
        "100.100.100.200",
        "224.0.0.1",
        "255.255.255.255",
        "10.0.0.1",
        "172.16.5.4",
        "192.168.1.1",
    ),
    *(
        "100.64.0.1",
        "[fc00::1]",
        "[::ffff:10.0.0.1]",
    ),
)


@pytest.mark.parametrize("host", FORBIDDEN)
@pytest.mark.parametrize("line", ["CONNECT {}:{} HTTP/1.1", "GET http://{}:{}/ HTTP/1.1"])
def test_no_spelling_of_an_address_leads_to_this_computer_or_its_network(open_proxy, host, line):
    hits: list[socket.socket] = []
    with tcp_server(hits.append, "127.0.0.1") as port:
        status, text = ask(open_proxy(), f"{line.format(host, port)}\r\n\r\n".encode())
    assert (status, hits) == (403, [])
    assert text.count("\n") == 1


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["8.8.8.8", "127.0.0.1"],
        ["10.1.1.1", "8.8.8.8"],
        ["::ffff:169.254.169.254"],
        ["fd00::1"],
    ],
)
def test_a_name_that_leads_to_any_closed_address_is_refused(open_proxy, addresses):
    proxy = open_proxy(names={"evil.example": [addresses]})
    status, text = ask(proxy, b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n")
    assert status == 403
    assert text.startswith("evil.example is refused: it leads to ")


def test_a_name_is_looked_up_once_for_a_connection_and_judged_again_at_the_next(open_proxy, own):
    names = Names({"evil.example": [[own], ["127.0.0.1"]]})
    with tcp_server(echo, own) as port:
        proxy = open_proxy(near=[f"evil.example:{port}"], names=names)
        first, connection = tunnel(proxy, f"evil.example:{port}")
        connection.close()
        second, connection = tunnel(proxy, f"evil.example:{port}")
        connection.close()
    assert (first, second) == (200, 403)
    assert names.asked == ["evil.example"] * 2


def test_the_own_address_of_this_computer_is_no_way_in(open_proxy, web, own):
    status, text = ask(open_proxy(), f"GET http://{own}:{web.server_port}/ HTTP/1.1\r\n\r\n".encode())
    assert status == 403
    assert "this computer" in text or "private" in text
    assert web.heads == []


def test_a_registry_of_the_person_s_settings_is_reached_and_its_neighbour_port_is_not(open_proxy, web, own):
    with site(own) as other:
        proxy = open_proxy(near=[f"{own}:{web.server_port}"])
        found = [
            ask(proxy, f"GET http://{own}:{port}/ HTTP/1.1\r\n\r\n".encode())
            for port in (web.server_port, other.server_port)
        ]
    assert found[0] == (200, "hello")
    assert found[1][0] == 403


def test_a_registry_without_a_port_is_reached_at_the_usual_ones_alone(open_proxy, web, own):
    proxy = open_proxy(near=[own])
    asked = [f"CONNECT {own}:{port} HTTP/1.1\r\n\r\n".encode() for port in (443, web.server_port)]
    assert [ask(proxy, each)[0] for each in asked] == [502, 403]


def test_no_setting_makes_localhost_a_registry(open_proxy):
    with site("127.0.0.1") as web:
        proxy = open_proxy(near=[f"localhost:{web.server_port}", f"127.0.0.1:{web.server_port}"])
        status, _ = ask(proxy, f"GET http://localhost:{web.server_port}/ HTTP/1.1\r\n\r\n".encode())
    assert (status, web.heads) == (403, [])


def test_a_registry_in_ipv6_is_reached(open_proxy):
    own = own_address(socket.AF_INET6)
    with tcp_server(echo, own) as port:
        status, connection = tunnel(open_proxy(near=[f"[{own}]:{port}"]), f"[{own}]:{port}")
        connection.close()
    assert status == 200


def test_a_plain_request_goes_on_without_what_was_meant_for_the_proxy(open_proxy, web, near):
    request = (
        f"POST http://user:pw@{near}/a?b=c#d HTTP/1.1\r\nHost: evil\r\nProxy-Authorization: Basic x\r\n"
        "Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nX-Kept: 2\r\nContent-Length: 3\r\n\r\nabc"
    )
    assert ask(open_proxy(near=[near]), request.encode()) == (200, "3")
    line, *fields = web.heads[0].strip().split("\n")
    assert line == "POST /a?b=c HTTP/1.1"
    assert fields == [f"Host: {near}", "X-Kept: 2", "Content-Length: 3", "Connection: close"]


def test_a_redirect_is_handed_back_and_leads_no_further_than_any_request(open_proxy, near):
    proxy = open_proxy(near=[near])
    with knock(proxy, f"GET http://{near}/away HTTP/1.1\r\n\r\n".encode()) as connection:
        head = read_head(connection).decode()
    url = head.partition("Location: ")[2].split()[0]
    assert " 302 " in head
    assert ask(proxy, f"GET {url} HTTP/1.1\r\n\r\n".encode())[0] == 403


def test_a_big_answer_arrives_whole(open_proxy, near):
    status, body = ask(open_proxy(near=[near]), f"GET http://{near}/big HTTP/1.1\r\n\r\n".encode())
    assert (status, len(body)) == (200, BIG)


def count_left(connection):
    return sum(iter(lambda: len(connection.recv(1 << 16)), 0))


def test_a_tunnel_carries_much_in_both_directions_and_each_end_by_itself(open_proxy, own):
    with tcp_server(echo, own) as port:
        _, connection = tunnel(open_proxy(near=[f"{own}:{port}"]), f"{own}:{port}")
        sender = threading.Thread(target=connection.sendall, args=(b"x" * BIG,))
        sender.start()
        got = sum(len(connection.recv(1 << 16)) for _ in iter(sender.is_alive, False))
        connection.shutdown(socket.SHUT_WR)
        got += count_left(connection)
        connection.close()
    assert got == BIG + len(b"end")


def test_the_end_of_an_answer_waits_for_a_slow_reader(open_proxy, own):
    sizes = [each << 14 for each in range(8, 28)]
    waiting = iter(sizes)
    with tcp_server(lambda connection: connection.sendall(b"x" * next(waiting)), own) as port:
        proxy = open_proxy(near=[f"{own}:{port}"])
        connections = []
        for _ in sizes:
            _, connection = tunnel(proxy, f"{own}:{port}")
            connection.shutdown(socket.SHUT_WR)
            connections.append(connection)
        for connection in connections:
            hung_up = select.poll()
            hung_up.register(connection, 0)
            hung_up.poll(50)
        got = [count_left(connection) for connection in connections]
    for connection in connections:
        connection.close()
    assert sorted(got) == sizes


def test_what_a_client_sends_with_its_head_is_not_lost(open_proxy, own):
    with tcp_server(echo, own) as port:
        sent = f"CONNECT {own}:{port} HTTP/1.1\r\n\r\nearly".encode()
        with knock(open_proxy(near=[f"{own}:{port}"]), sent) as connection:
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(100), b""))
    assert answer.endswith(b"\r\n\r\nearlyend")


def test_more_clients_than_places_are_all_served_in_turn(open_proxy, near):
    proxy = open_proxy(near=[near], connections=4)
    request = f"GET http://{near}/ HTTP/1.1\r\n\r\n".encode()
    with ThreadPoolExecutor(60) as pool:
        assert set(pool.map(lambda _: ask(proxy, request), range(60))) == {(200, "hello")}


def test_clients_that_are_gone_leave_their_places_at_a_server_that_never_ends(open_proxy, own):
    over = threading.Event()

    def never_end(connection):
        over.wait(40)

    with tcp_server(never_end, own) as port:
        proxy = open_proxy(near=[f"{own}:{port}"], connections=1, linger=100)
        for _ in range(3):
            status, connection = tunnel(proxy, f"{own}:{port}")
            connection.close()
            assert status == 200
        over.set()


def test_a_head_that_comes_byte_by_byte_is_read(open_proxy, near):
    with knock(open_proxy(near=[near])) as connection:
        for byte in f"GET http://{near}/ HTTP/1.1\r\n\r\n".encode():
            connection.sendall(bytes([byte]))
        assert b" 200 " in read_head(connection)


def test_a_head_that_does_not_end_is_not_waited_for(open_proxy):
    assert ask(open_proxy(head=0.1), b"GET http://example.com/ HTTP/1.1\r\nX: ")[0] == 408


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x05\x01\x00",
        b"get http://example.com/ HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
        b"GET http://example.com/ HTTP/2.0\r\n\r\n",
        b"GET ftp://example.com/ HTTP/1.1\r\n\r\n",
        b"GET https://example.com/ HTTP/1.1\r\n\r\n",
        b"GET http:///path HTTP/1.1\r\n\r\n",
        b"GET http://exa mple.com/ HTTP/1.1\r\n\r\n",
        b"GET http://example.com\\@localhost/ HTTP/1.1\r\n\r\n",
        b"GET http://example.com:0/ HTTP/1.1\r\n\r\n",
        b"GET http://example.com:99999/ HTTP/1.1\r\n\r\n",
        b"GET http://example.com/ HTTP/1.1\r\n folded: x\r\n\r\n",
        b"GET http://example.com/ HTTP/1.1\r\nno field\r\n\r\n",
        b"CONNECT example.com HTTP/1.1\r\n\r\n",
        b"CONNECT http://example.com:443 HTTP/1.1\r\n\r\n",
        b"CONNECT a%00b:443 HTTP/1.1\r\n\r\n",
        b"CONNECT [fe80::1%25eth0]:443 HTTP/1.1\r\n\r\n",
        b"GET http://example.com/ HTTP/1.1\r\nX: " + b"x" * (1 << 17) + b"\r\n\r\n",
        b"GET http://example.com/ HTTP/1.1\r\n" + b"X: x\r\n" * (1 << 14) + b"\r\n",
    ],
)
def test_what_is_no_request_to_a_proxy_is_told_so(open_proxy, told, sent):
    status, text = ask(open_proxy(names={"example.com": [["127.0.0.1"]]}), sent)
    assert status == 400
    assert text
    assert told == []


@pytest.mark.parametrize("port", [25, 465, 587])
def test_a_block_sends_no_mail(open_proxy, port):
    status, text = ask(open_proxy(), f"CONNECT 8.8.8.8:{port} HTTP/1.1\r\n\r\n".encode())
    assert (status, "mail" in text) == (403, True)


@pytest.mark.parametrize("sent", ["CONNECT {}:{}", "GET http://{}:{}/"])
@pytest.mark.parametrize("port", [22, 81, 5432, 6379, 8080, 65535])
@pytest.mark.parametrize("host", ["far.example", "six.example"])
def test_of_public_hosts_the_ports_of_http_are_open_and_those_that_the_settings_name(
    open_proxy, told, sent, port, host
):
    table = {"far.example": [["8.8.8.8"]], "six.example": [["2001:4860:4860::8888"]]}
    asked = f"{sent.format(host, port)} HTTP/1.1\r\n\r\n".encode()
    status, text = ask(open_proxy(names=table), asked)
    assert (status, "[sandbox] ports" in text, len(told)) == (403, True, 1)


@pytest.mark.parametrize("ports", ["22 5432", "80", "", " 8080 "])
def test_further_ports_are_read_from_the_settings(open_proxy, tmp_path, ports):
    file = tmp_path / "config.ini"
    file.write_text(f"[sandbox]\nports = {ports}\n")
    config = load_config([file], {}, {})
    ground = builder.make_sandbox_spec(config, dirs.find_dirs(), tmp_path)
    for port in (22, 5432, 8080):
        status, connection = tunnel(open_proxy(ports=ground.ports, connect=0.2), f"8.8.8.8:{port}")
        connection.close()
        assert (status == 403) is (str(port) not in ports.split())


@pytest.mark.parametrize("ports", ["http", "0", "65536", "-1", "80,443"])
def test_what_is_no_port_is_refused_as_a_setting(tmp_path, ports):
    file = tmp_path / "config.ini"
    file.write_text(f"[sandbox]\nports = {ports}\n")
    with pytest.raises(ConfigError, match="port numbers"):
        load_config([file], {}, {})


@pytest.mark.parametrize("host", ["unknown.example", "a..b", "x" * 200, "-"])
def test_a_name_without_an_address_is_told_so(open_proxy, host):
    status, text = ask(open_proxy(), f"CONNECT {host}:443 HTTP/1.1\r\n\r\n".encode())
    assert (status, "no address" in text) == (502, True)


def test_a_look_up_that_hangs_ends_for_the_client_and_for_the_proxy(open_proxy):
    over = threading.Event()
    proxy = open_proxy(resolve=lambda host, port: over.wait(30) or [], look_up=0.1)
    assert ask(proxy, b"CONNECT slow.example:443 HTTP/1.1\r\n\r\n")[0] == 502
    proxy.close()
    over.set()


def test_a_port_where_nobody_listens_is_told_so(open_proxy, own):
    with socket.create_server((own, 0)) as server:
        port = server.getsockname()[1]
    status, text = ask(open_proxy(near=[f"{own}:{port}"]), f"CONNECT {own}:{port} HTTP/1.1\r\n\r\n".encode())
    assert status == 502
    assert "refused" in text


def test_the_second_address_is_tried_where_the_first_does_not_answer(open_proxy, own):
    with tcp_server(echo, own) as port:
        proxy = open_proxy(
            near=[f"two.example:{port}"], names={"two.example": [["fd00:dead::9", own]]}, connect=2
        )
        status, connection = tunnel(proxy, f"two.example:{port}")
        connection.close()
    assert status == 200


def test_the_person_is_told_of_each_host_once_and_not_without_end(open_proxy, told, near):
    proxy = open_proxy(near=[near])
    for _ in range(3):
        ask(proxy, f"GET http://{near}/ HTTP/1.1\r\n\r\n".encode())
    assert told == [f"network: the block contacts {near}"]
    for number in range(MOST_TOLD + 5):
        ask(proxy, f"CONNECT 10.0.0.{number}:443 HTTP/1.1\r\n\r\n".encode())
    assert len(told) == MOST_TOLD + 1
    assert "not listed" in told[-1]


def test_the_reason_of_a_refusal_stands_in_its_first_line_too(open_proxy):
    with knock(open_proxy(), b"CONNECT 10.0.0.1:443 HTTP/1.1\r\n\r\n") as connection:
        first = read_head(connection).split(b"\r\n")[0]
    assert first.startswith(b"HTTP/1.1 403 ")
    assert b"private network" in first


def test_a_refused_sender_reads_why_before_the_connection_ends(open_proxy):
    sent = f"POST http://10.0.0.1/ HTTP/1.1\r\nContent-Length: {BIG}\r\n\r\n".encode() + b"x" * BIG
    assert ask(open_proxy(), sent)[0] == 403


def test_only_the_owner_reaches_the_socket_and_it_goes_with_the_proxy(open_proxy):
    proxy = open_proxy()
    assert stat.S_IMODE(proxy.socket.lstat().st_mode) == 0o600
    proxy.close()
    assert not proxy.socket.exists()


def test_a_folder_whose_name_is_longer_than_a_socket_s_may_be_will_do(open_proxy, tmp_path):
    folder = tmp_path / ("x" * 100) / ("y" * 100)
    folder.mkdir(parents=True)
    proxy = open_proxy(folder=folder)
    short = Path(f"/tmp/tripletick-short-{os.getpid()}")
    short.symlink_to(folder)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(f"{short}/{proxy.socket.name}")
    finally:
        short.unlink()


def test_a_closed_proxy_ends_the_connections_that_were_open(open_proxy, own):
    with tcp_server(echo, own) as port:
        proxy = open_proxy(near=[f"{own}:{port}"])
        _, connection = tunnel(proxy, f"{own}:{port}")
        idle = knock(proxy, b"CONNECT")
        proxy.close()
        with connection, idle, contextlib.suppress(ConnectionResetError):
            assert connection.recv(1) == b""
            assert idle.recv(1) == b""


def test_the_environment_leads_to_the_proxy_and_holds_no_password(open_proxy):
    env = open_proxy({"PIP_INDEX_URL": "https://me:secret@a.corp/simple", "ALL_PROXY": "socks5://x"}).env()
    assert env["HTTPS_PROXY"] == env["https_proxy"] == env["HTTP_PROXY"] == env["http_proxy"]
    assert env["https_proxy"].rpartition(":")[2] in env["MAVEN_OPTS"]
    assert env["no_proxy"] == "localhost,127.0.0.1,::1"
    assert env["PIP_INDEX_URL"] == "https://a.corp/simple"
    assert "ALL_PROXY" not in env

"""Our proxy behind another one, which the person's environment names."""

import contextlib
import ssl
import subprocess
from base64 import b64encode

import pytest
from tests.sandbox.serving import (
    Names,
    Upstream,
    ask,
    echo,
    knock,
    own_address,
    read_head,
    tcp_server,
    tunnel,
)

from tripletick.sandbox.net.proxy import Proxy
from tripletick.sandbox.net.upstream import ProxyTerms

NAMES = {
    "localhost": [["127.0.0.1"]],
    "127.0.0.1": [["127.0.0.1"]],
    "open.example": [["8.8.8.8"]],
    "evil.example": [["127.0.0.1"]],
    "10.0.0.1": [["10.0.0.1"]],
}


@pytest.fixture
def told():
    return []


@pytest.fixture
def behind(tmp_path, told):
    """Open a proxy with these variables of the environment."""
    with contextlib.ExitStack() as stack:

        def open_one(**environ):
            terms = ProxyTerms(resolve=Names({**NAMES, "near.example": [[own_address()]]}), linger=5)
            proxy = Proxy(tmp_path, told.append, {"HOME": str(tmp_path), **environ}, terms=terms)
            stack.callback(proxy.close)
            return proxy

        yield open_one


@pytest.fixture
def upstream():
    return Upstream()


@pytest.fixture
def port(upstream):
    with tcp_server(upstream, "127.0.0.1") as number:
        yield number


@pytest.mark.parametrize("host", ["open.example", "unknown.example"])
@pytest.mark.parametrize("name", ["https_proxy", "HTTPS_PROXY", "ALL_PROXY"])
def test_a_tunnel_goes_through_the_further_proxy_by_its_name(behind, upstream, port, host, name):
    status, connection = tunnel(behind(**{name: f"http://me:p%40ss@localhost:{port}"}), f"{host}:443")
    with connection:
        connection.sendall(b"hello")
        assert connection.recv(5) == b"hello"
    assert status == 200
    assert upstream.heads[0].startswith(f"CONNECT {host}:443 HTTP/1.1\r\n")
    assert f"Proxy-Authorization: Basic {b64encode(b'me:p@ss').decode()}" in upstream.heads[0]


def test_a_plain_request_goes_through_the_further_proxy_with_its_whole_address(behind, upstream, port):
    request = b"GET http://open.example/a HTTP/1.1\r\nProxy-Authorization: Basic x\r\nA: b\r\n\r\n"
    with knock(behind(http_proxy=f"localhost:{port}"), request) as connection:
        assert b" 200 " in read_head(connection)
    line, *fields = upstream.heads[0].strip().split("\r\n")
    assert line == "GET http://open.example/a HTTP/1.1"
    assert fields == ["Host: open.example", "A: b", "Connection: close"]


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost", "10.0.0.1", "nas", "printer.local", "db.internal"]
)
def test_what_leads_to_this_computer_or_its_network_is_refused_there_too(behind, upstream, port, host):
    status, text = ask(
        behind(https_proxy=f"http://localhost:{port}"), f"CONNECT {host}:443 HTTP/1.1\r\n\r\n".encode()
    )
    assert (status, upstream.heads) == (403, [])
    assert f"{host} is refused" in text


@pytest.mark.parametrize("exceptions", ["near.example", ".example", "*", "a.org, example", "near.example:{}"])
def test_hosts_of_no_proxy_are_reached_without_it(behind, upstream, port, exceptions):
    with tcp_server(echo, own_address()) as near:
        place = f"near.example:{near}"
        environ = {"https_proxy": f"http://localhost:{port}", "PIP_INDEX_URL": f"http://{place}"}
        status, connection = tunnel(behind(no_proxy=exceptions.format(near), **environ), place)
        connection.close()
    assert (status, upstream.heads) == (200, [])


@pytest.mark.parametrize("exceptions", ["example.org", "pen.example", "open.example:80", ""])
def test_other_hosts_are_not(behind, upstream, port, exceptions):
    proxy = behind(https_proxy=f"http://localhost:{port}", no_proxy=exceptions)
    tunnel(proxy, "open.example:443")[1].close()
    assert len(upstream.heads) == 1


@pytest.mark.parametrize("answer", [407, 403, 502])
def test_a_further_proxy_that_refuses_is_named_without_its_password(behind, upstream, port, told, answer):
    upstream.status = answer
    proxy = behind(https_proxy=f"http://me:secret@localhost:{port}")
    status, text = ask(proxy, b"CONNECT open.example:443 HTTP/1.1\r\n\r\n")
    assert status == 502
    assert str(answer) in text
    assert "secret" not in text + str(told)


@pytest.mark.parametrize("url", ["socks5://localhost:1080", "ftp://x", "http://[broken", "http://x:99999999"])
def test_a_further_proxy_of_a_kind_that_we_cannot_use_is_no_reason_to_go_around_it(behind, url):
    status, text = ask(behind(https_proxy=url), b"CONNECT open.example:443 HTTP/1.1\r\n\r\n")
    assert status == 502
    assert "proxy" in text


@pytest.mark.parametrize("rubbish", [b"", b"SSH-2.0\r\n\r\n", b"x" * (1 << 18)])
def test_a_further_proxy_that_answers_rubbish_is_told_of(behind, rubbish):
    with tcp_server(lambda connection: connection.sendall(rubbish), "127.0.0.1") as port:
        proxy = behind(https_proxy=f"http://localhost:{port}")
        assert ask(proxy, b"CONNECT open.example:443 HTTP/1.1\r\n\r\n")[0] == 502


def test_a_further_proxy_behind_tls_is_used_when_its_certificate_is_trusted(
    behind, upstream, tmp_path, monkeypatch
):
    key, cert = str(tmp_path / "key"), str(tmp_path / "cert")
    words = f"req -x509 -newkey rsa:2048 -nodes -keyout {key} -out {cert} -subj /CN=x -days 2 -addext"
    command = ["openssl", *words.split(), "subjectAltName=DNS:localhost"]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)

    def act(plain):
        with context.wrap_socket(plain, server_side=True) as connection:
            upstream(connection)

    with tcp_server(act, "127.0.0.1") as port:
        proxy = behind(https_proxy=f"https://localhost:{port}")
        assert ask(proxy, b"CONNECT open.example:443 HTTP/1.1\r\n\r\n")[0] == 502
        monkeypatch.setenv("SSL_CERT_FILE", cert)
        status, connection = tunnel(proxy, "open.example:443")
        with connection:
            connection.sendall(b"hello")
            assert connection.recv(5) == b"hello"
    assert status == 200

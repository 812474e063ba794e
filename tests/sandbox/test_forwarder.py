"""The forwarder as it is run: the command is its own, connections lead to the socket, and nothing stays."""

import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing, suppress

import pytest
from tests.sandbox.serving import echo

from tripletick.sandbox.net.forwarder import MOST
from tripletick.sandbox.net.proxy import FORWARDER

TALK = """import socket, sys
c = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
c.sendall(b"x" * 300000); c.shutdown(socket.SHUT_WR)
print(sum(iter(lambda: len(c.recv(99999)), 0)))
"""
MANY = """import os, socket, sys
port, number = map(int, sys.argv[1:])
all = [socket.create_connection(("127.0.0.1", port)) for _ in range(number)]
all[0].sendall(b"a"); all[0].recv(1)
print(len(os.listdir(f"/proc/{os.getppid()}/fd")))
for c in all: c.settimeout(30)
for c in all: c.sendall(b"a"); c.shutdown(socket.SHUT_WR); print(c.recv(1).decode(), end=""); c.close()
"""


@pytest.fixture
def door(tmp_path):
    """A socket file behind which everything is echoed."""
    path, over = tmp_path / "door", threading.Event()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(300)

    def serve(connection):
        with connection, suppress(OSError):
            echo(connection)

    def accept():
        with suppress(OSError):
            while not over.is_set():
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    yield path
    over.set()
    listener.shutdown(socket.SHUT_RDWR)
    accepting.join()
    listener.close()


@pytest.fixture
def port():
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return server.getsockname()[1]


@pytest.fixture
def forward(door, port):
    def run(*command, **options):
        words = [sys.executable, "-I", "-S", str(FORWARDER), str(door), str(port), "--", *command]
        options = {"capture_output": True, "text": True, "timeout": 40, **options}
        return subprocess.run(words, check=False, **options)

    return run


@pytest.mark.parametrize("status", [0, 1, 7, 126, 127, 255])
def test_the_status_of_the_command_is_given_back(forward, status):
    assert forward("sh", "-c", f"exit {status}").returncode == status


@pytest.mark.parametrize("name", ["TERM", "KILL", "INT", "HUP", "PIPE", "SEGV", "ABRT", "USR1", "XFSZ"])
def test_the_forwarder_dies_of_the_signal_of_which_the_command_died(forward, name):
    command = f"ulimit -c 0; kill -{name} $$"
    assert forward("sh", "-c", command).returncode == -signal.Signals[f"SIG{name}"]


@pytest.mark.parametrize(("command", "status"), [("no-such-program", 127), ("/etc/passwd", 126)])
def test_a_program_that_cannot_be_started_is_told_like_a_shell_does(forward, command, status):
    done = forward(command)
    assert done.returncode == status
    assert done.stderr.startswith(f"{command}: ")


def test_arguments_input_and_both_outputs_are_the_command_s(forward):
    done = forward("sh", "-c", 'cat; echo "$1"; echo err >&2', "sh", "a  b\n--", input="in\n")
    assert (done.stdout, done.stderr) == ("in\na  b\n--\n", "err\n")


def test_the_command_gets_the_signals_as_they_were(forward):
    code = "import signal; print(*(int(signal.getsignal(n) is signal.SIG_IGN) for n in (1, 2, 15, 10, 25)))"
    # Python itself ignores SIGXFSZ.
    plain = [sys.executable, "-c", code]
    assert forward(*plain).stdout == "0 0 0 0 1\n"
    ignoring = forward(*plain, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert ignoring.stdout == "1 0 0 0 1\n"


def test_a_command_that_signals_its_whole_group_and_goes_on_does_so(forward):
    done = forward("sh", "-c", "trap '' TERM; kill 0; echo after; exit 3", start_new_session=True)
    assert (done.returncode, done.stdout) == (3, "after\n")


def test_connections_lead_to_the_socket_and_each_direction_ends_by_itself(forward, port):
    assert forward(sys.executable, "-c", TALK, str(port)).stdout == "300003\n"


def test_more_connections_than_it_takes_at_once_are_served_in_turn(forward, port):
    opened, text = forward(sys.executable, "-c", MANY, str(port), "300").stdout.split()
    assert text == "a" * 300
    assert int(opened) < 2 * MOST + 10


@pytest.mark.parametrize("most", [60, 61])
def test_connections_wait_where_descriptors_are_few(forward, port, most):
    few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))}
    assert forward(sys.executable, "-c", MANY, str(port), "45", **few).stdout.split()[1] == "a" * 45


def test_without_a_proxy_a_connection_ends_at_once(forward, door, port):
    door.rename(door.with_name("gone"))
    code = TALK.replace(
        "c.sendall", "assert c.recv(1) == b''; c.close(); print('ended'); sys.exit(); c.sendall"
    )
    assert forward(sys.executable, "-c", code, str(port)).stdout == "ended\n"


def test_it_ends_with_the_command_whatever_is_left_in_the_background(forward, port):
    done = forward("sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!")
    assert done.returncode == 0
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
    os.kill(int(done.stdout), signal.SIGKILL)


def test_it_is_one_process_with_one_thread(forward):
    done = forward(
        "sh", "-c", "grep Threads /proc/$PPID/status; cat /proc/$PPID/task/$PPID/children; echo $$"
    )
    threads, child = done.stdout.split("\n")[:2]
    assert threads.split() == ["Threads:", "1"]
    assert len(set(child.split())) == 1

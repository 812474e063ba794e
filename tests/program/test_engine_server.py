"""The engine's side of the socket, with a scripted engine: whose turn it is, and who is turned away."""

import os
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tripletick.errors import ModelError
from tripletick.models.llamacpp import LoadPlan
from tripletick.models.shared_engine.client import ClientOptions, EngineClient
from tripletick.models.shared_engine.protocol import OPENING_LIMIT, LineSocket
from tripletick.models.shared_engine.server import EngineServer, ReplyQueue
from tripletick.sandbox.user import remove

TOKEN = "t0ken"
ASKED = {"op": "reply", "id": 1, "context": 100, "slots": 1}
CONNECT = """
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
try:
    s.sendall(b'{"op": "status", "token": "t0ken"}' + bytes([10]))
    print(s.recv(100))
except ConnectionError:
    print(b"")
"""
ATTACH = """
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b'{"op": "attach", "token": "t0ken", "keep": 0}' + bytes([10]))
s.recv(1)
"""


class ScriptedEngine:
    """Writes what a request names, as soon as the test lets it; keeps who asked."""

    def __init__(self, plan):
        self.plan = plan
        self.load_seconds = 0.0
        self.asked = []
        self.saved = []
        self.may_write = threading.Event()
        self.closed = False

    def load(self):
        """There is nothing to load."""

    def stream_reply(self, request, slot=0, halt=None):
        self.asked.append(request["name"])
        with halt.on_cancel(self.may_write.set):
            self.may_write.wait()
            yield from request.get("pieces", ["{}"])

    def save_prefix(self, request, halt):
        self.saved.append(request["name"])
        with halt.on_cancel(self.may_write.set):
            self.may_write.wait()
        halt.raise_if_cancelled()
        self.saved.append("saved")

    def close(self):
        self.closed = True


def test_replies_that_find_no_engine_at_the_same_time_load_one_together(tmp_path):
    told, may_load = threading.Semaphore(0), threading.Event()
    loaded = []

    def load(plan):
        may_load.wait()
        loaded.append(ScriptedEngine(plan))
        loaded[-1].may_write.set()
        return loaded[-1]

    (tmp_path / "file").touch()
    terms = ClientOptions(tmp_path / "file" / "engines", "tiny", 0.0, lambda _: told.release())
    client = EngineClient(LoadPlan("tiny.gguf", (), 100, 2), terms, load)
    replies = [
        threading.Thread(target=lambda slot=slot: list(client.stream_reply({"name": slot}, slot)))
        for slot in range(2)
    ]
    for reply in replies:
        reply.start()
    for _ in replies:
        told.acquire()
    may_load.set()
    for reply in replies:
        reply.join()
    (engine,) = loaded
    assert sorted(engine.asked) == [0, 1]
    client.close()


@pytest.fixture
def folder():
    made = Path(tempfile.mkdtemp(prefix="server-"))
    made.chmod(0o755)
    yield made
    remove(made)


@pytest.fixture
def engine(folder):
    """A server that listens; gives the engines that it has opened."""
    opened: list[ScriptedEngine] = []

    def open_engine(plan):
        if plan.context > 1000:
            raise ModelError("It does not fit.", "Why not.", "Less.")
        opened.append(ScriptedEngine(plan))
        return opened[-1]

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "sock"))
    listener.listen()
    (folder / "sock").chmod(0o777)
    queue = ReplyQueue(LoadPlan("tiny", (), 100), open_engine)
    server = EngineServer(listener, folder / "sock", TOKEN, queue, stalled=0.2)
    serving = threading.Thread(target=server.serve)
    serving.start()
    yield opened
    for one in opened:
        one.may_write.set()
    # nobody finds it any more
    (folder / "sock").unlink()
    serving.join()


def connected(folder):
    wire = socket.socket(socket.AF_UNIX)
    wire.connect(str(folder / "sock"))
    return LineSocket(wire)


@pytest.fixture
def client(folder, engine):
    """Attach as a program does."""
    wires = []

    def attach():
        wires.append(connected(folder))
        wires[-1].write({"op": "attach", "token": TOKEN, "keep": 0})
        return wires[-1]

    yield attach
    for wire in wires:
        wire.close()


def status(folder):
    with closing(connected(folder)) as wire:
        wire.write({"op": "status", "token": TOKEN})
        return wire.read()


def ask(wire, name, **more):
    wire.write({**ASKED, **more, "request": {"name": name, "pieces": more.get("pieces", ["{}"])}})
    assert wire.read() == {"begun": 1}


def wait_for(folder, **counts):
    """Look until the server tells these; the test's time limit ends it."""
    while {name: status(folder)[name] for name in counts} != counts:
        pass


def read_to_end(wire):
    frames = []
    while (frame := wire.read()) is not None:
        frames.append(frame)
        if frame.keys() & {"end", "error", "thrown"}:
            break
    return frames


def test_requests_are_answered_in_the_order_in_which_they_came(folder, engine, client):
    wires = [client() for _ in range(4)]
    for number, wire in enumerate(wires):
        ask(wire, number)
        wait_for(folder, working=1, waiting=number)
    engine[0].may_write.set()
    for wire in wires:
        assert read_to_end(wire)[-1] == {"end": True}
    assert engine[0].asked == [0, 1, 2, 3]


def test_who_goes_while_waiting_is_passed_over(folder, engine, client):
    wires = [client() for _ in range(3)]
    for number, wire in enumerate(wires):
        ask(wire, number)
        wait_for(folder, working=1, waiting=number)
    wires[1].close()
    wait_for(folder, waiting=1)
    engine[0].may_write.set()
    assert read_to_end(wires[2])[-1] == {"end": True}
    assert engine[0].asked == [0, 2]


def test_who_goes_while_it_is_answered_makes_room_for_the_next(folder, engine, client):
    first, second = client(), client()
    ask(first, "first")
    wait_for(folder, working=1)
    ask(second, "second")
    wait_for(folder, waiting=1)
    first.close()
    assert read_to_end(second)[-1] == {"end": True}


def save_at_the_end(folder, wire, engine):
    """Have one reply written, then the beginning saved, and leave."""
    ask(wire, "a")
    wait_for(folder, working=1)
    engine[0].may_write.set()
    read_to_end(wire)
    engine[0].may_write.clear()
    wire.write({"op": "prefix", "request": {"name": "beginning"}})
    wire.close()


def test_the_beginning_is_saved_although_who_wants_that_has_gone(folder, engine, client):
    save_at_the_end(folder, client(), engine)
    while not engine[0].saved:
        pass
    engine[0].may_write.set()
    while not engine[0].closed:
        # nobody is there any more; the test's time limit ends it
        pass
    assert engine[0].saved == ["beginning", "saved"]


def test_who_comes_meanwhile_need_not_wait_for_that(folder, engine, client):
    save_at_the_end(folder, client(), engine)
    while not engine[0].saved:
        pass
    ask(other := client(), "b")
    read_to_end(other)
    assert engine[0].saved == ["beginning"]


def test_a_further_connection_of_the_same_program_is_nobody_else(folder, engine, client):
    client()
    save_at_the_end(folder, client(), engine)
    while not engine[0].saved:
        pass


def test_nothing_is_saved_while_another_program_is_there(folder, engine, client):
    command = [sys.executable, "-c", ATTACH, str(folder / "sock")]
    with subprocess.Popen(command) as other:
        wait_for(folder, clients=[other.pid])
        save_at_the_end(folder, client(), engine)
        wait_for(folder, working=0, clients=[other.pid])
        assert engine[0].saved == []
        other.kill()


def test_who_takes_nothing_any_more_does_not_block_the_others(folder, engine, client):
    stopped, other = client(), client()
    ask(stopped, "stopped", pieces=["x" * 100_000] * 50)
    wait_for(folder, working=1)
    ask(other, "other")
    engine[0].may_write.set()
    assert read_to_end(other)[-1] == {"end": True}


def test_what_is_asked_for_and_cannot_be_had_is_an_error_of_that_client_alone(folder, engine, client):
    first, greedy = client(), client()
    ask(first, "first")
    wait_for(folder, working=1)
    engine_before = engine[0]
    engine_before.may_write.set()
    assert read_to_end(first)[-1] == {"end": True}
    ask(greedy, "greedy", context=2000)
    assert read_to_end(greedy) == [{"error": ["ModelError", "It does not fit.", "Why not.", "Less."]}]
    ask(first, "first")
    wait_for(folder, working=1)
    engine[1].may_write.set()
    assert read_to_end(first)[-1] == {"end": True}
    assert (engine_before.closed, engine[1].plan.context) == (True, 100)


def test_more_slots_are_opened_once_nothing_is_written(folder, engine, client):
    first, second, third = client(), client(), client()
    ask(first, "first")
    wait_for(folder, working=1)
    ask(second, "second", slots=2)
    wait_for(folder, waiting=1)
    engine[0].may_write.set()
    assert read_to_end(first)[-1] == {"end": True}
    ask(third, "third")
    wait_for(folder, working=2, slots=2)
    assert (engine[0].closed, engine[1].plan.slots) == (True, 2)


@pytest.mark.parametrize(
    "opening",
    [
        b'{"op": "status", "token": "wrong"}\n',
        b'{"op": "status"}\n',
        b'["op"]\n',
        b"\xff\n",
        b"x" * (OPENING_LIMIT + 100_000),
        b"",
    ],
)
def test_who_does_not_show_the_token_is_turned_away(folder, engine, opening):
    with closing(socket.socket(socket.AF_UNIX)) as stranger, suppress(ConnectionError):
        stranger.connect(str(folder / "sock"))
        stranger.sendall(opening)
        stranger.shutdown(socket.SHUT_WR)
        assert stranger.recv(100) == b""
    assert status(folder)["clients"] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_is_turned_away_even_with_the_token(folder, engine):
    command = ["/usr/bin/python3", "-I", "-c", CONNECT, folder / "sock"]
    done = subprocess.run(command, user=64321, capture_output=True, timeout=100, check=True)
    assert done.stdout == b"b''\n"
    assert subprocess.run(command, capture_output=True, timeout=100, check=True).stdout.startswith(b"b'{")

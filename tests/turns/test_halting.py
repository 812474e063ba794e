"""Another thread ends what one waits for: the wait raises `Halted` at once, and nothing is left of it."""

import os
import queue
import threading
from contextlib import ExitStack, closing

import pytest
from tests.bad_server import HANG, BadServer, line, stream

from tripletick.messages import Message
from tripletick.models import EngineSettings
from tripletick.models.model import Sampling
from tripletick.models.ollama import Ollama
from tripletick.models.scripted import ScriptedModel, ScriptedReply
from tripletick.planner.locks import PathLocks
from tripletick.sandbox import open_box
from tripletick.sandbox.box import RunRequest, SandboxSpec
from tripletick.system import platforms
from tripletick.system.cancellation import Cancelled, CancelToken

HEAD = stream(end=False)


def said(model):
    with closing(model.stream([Message("user", "hi")], Sampling(output=9))) as chunks:
        return "".join(chunk.text for chunk in chunks)


def halted(halt, work, ready):
    """Begin to work in a thread, halt it once it is ready; give what it raises."""
    raised: queue.SimpleQueue[Cancelled] = queue.SimpleQueue()

    def working():
        try:
            work()
        except Cancelled as error:
            raised.put(error)

    threading.Thread(target=working, daemon=True).start()
    ready()
    halt.cancel()
    return raised.get(timeout=60)


@pytest.mark.parametrize("act", [[HANG], [*HEAD, HANG], [*stream(line("a"), end=False), HANG]])
def test_a_reply_of_a_server_ends_before_its_head_before_its_first_line_and_in_its_middle(act):
    halt = CancelToken()
    with (
        BadServer({"/api/chat": [act]}) as server,
        closing(Ollama("m", EngineSettings(host=server.url, halt=halt))) as model,
    ):
        error = halted(halt, lambda: said(model), lambda: server.wait_for("/api/chat"))
        assert isinstance(error, Cancelled)
        assert server.hung_up.wait(60)


def test_the_wait_for_a_server_that_is_busy_ends():
    halt, told = CancelToken(), threading.Event()
    busy = [b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"]
    with BadServer({"/api/chat": [busy]}) as server:
        settings = EngineSettings(
            host=server.url, halt=halt, busy_waits=(600.0,), notice=lambda line: told.set()
        )
        with closing(Ollama("m", settings)) as model:
            assert isinstance(halted(halt, lambda: said(model), lambda: told.wait(60)), Cancelled)


def test_a_halted_model_answers_the_next_time():
    halt = CancelToken()
    model = ScriptedModel(ScriptedReply("late", seconds=600), "soon").fork(1, halt)
    assert isinstance(halted(halt, lambda: said(model), lambda: None), Cancelled)
    assert said(model) == "soon"


def test_one_of_two_models_side_by_side_is_halted_and_the_other_goes_on():
    with BadServer({"/api/chat": [[HANG], stream(line("b"), line(done=True, done_reason="stop"))]}) as server:
        first, halt = Ollama("m", EngineSettings(host=server.url)), CancelToken()
        second = first.fork(1, halt)
        with closing(first), closing(second):
            error = halted(halt, lambda: said(second), lambda: server.wait_for("/api/chat"))
            assert (type(error), said(first)) == (Cancelled, "b")


@pytest.fixture(params=["auto", "landlock", "none"])
def box(request, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    ground = SandboxSpec(folder, tmp_path / "state")
    made = open_box(ground, request.param)
    yield ground, made
    made.close()


def test_a_running_program_ends_with_all_that_it_has_started(box, tmp_path):
    ground, made = box
    begun = threading.Event()

    def work():
        for _ in made.run(RunRequest(["sh", "-c", "sleep 4321 & echo begun; sleep 4321"])):
            begun.set()

    assert isinstance(halted(ground.halt, work, lambda: begun.wait(60)), Cancelled)
    assert platforms.list_descendants(os.getpid()) == []
    assert list(made.run(RunRequest(["sh", "-c", "echo again"], mode="read"))) == ["again\n"]


def test_what_is_halted_before_it_waits_does_not_begin(box):
    ground, made = box
    ground.halt.cancel()
    with pytest.raises(Cancelled):
        list(made.run(RunRequest(["touch", "made"])))
    assert not (ground.workspace / "made").exists()


def test_a_halt_is_raised_once_and_what_tidies_up_runs():
    halt = CancelToken()
    halt.cancel()
    with pytest.raises(Cancelled):
        halt.wait(600)
    with halt.on_cancel(lambda: None):
        halt.wait(0)
    assert not halt.due


def test_a_wait_that_failed_because_it_was_halted_is_told_as_halted():
    halt = CancelToken()
    with pytest.raises(Cancelled), halt.on_cancel(lambda: None):
        halt.cancel()
        raise OSError("the connection was shut down")


def test_of_several_that_are_halted_none_gets_the_lock_that_another_one_held():
    locks, first, second, held = PathLocks(), CancelToken(), CancelToken(), ExitStack()
    got: queue.SimpleQueue[object] = queue.SimpleQueue()
    held.enter_context(locks.hold(".", first))

    def wait():
        try:
            with locks.hold(".", second):
                got.put("the lock")
        except Cancelled as error:
            got.put(error)

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()

    def release():
        held.close()
        waiting.join(60)

    with first.call_on_cancel(release):
        CancelToken.cancel_all([first, second])
    assert isinstance(got.get(timeout=60), Cancelled)

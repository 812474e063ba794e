"""Programs share the engine of a model: real processes, real sockets, and a tiny real model."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.fetched import put
from tests.tiny_model import write_model

from tripletick.errors import ContextFullError, ModelError, StreamCutError
from tripletick.messages import Message
from tripletick.models import EngineSettings, catalog
from tripletick.models.embedded import EmbeddedModel
from tripletick.models.model import Sampling
from tripletick.models.ollama_store import ModelFiles
from tripletick.models.shared_engine import process, status
from tripletick.system.cancellation import Cancelled, CancelToken

pytest.importorskip("xllamacpp")

SHORT, LONG = Sampling(output=8), Sampling(output=3000)
PROGRAM = """
import sys
from pathlib import Path
from tripletick.messages import Message
from tripletick.models import EngineSettings
from tripletick.models.embedded import EmbeddedModel, ModelFiles
from tripletick.models.model import Sampling
model = EmbeddedModel(ModelFiles("tiny", Path(sys.argv[1])), Path(sys.argv[2]), EngineSettings(keep="1h"))
pieces = model.stream([Message("user", "hi")], Sampling(output=int(sys.argv[3])))
print(next(piece.text for piece in pieces if not piece.progress), flush=True)
sys.stdin.read()
print("".join(piece.text for piece in pieces))
"""


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


@pytest.fixture
def engines(tmp_path):
    folder = tmp_path / "state" / "engines"
    yield folder
    for one in status.list_running(folder):
        assert one.end_process()


@pytest.fixture
def program(tiny, engines):
    """Open the model as a program of its own would; it is closed after the test."""
    opened = []

    def open_model(path=tiny, context=1024, **settings):
        made = EmbeddedModel(ModelFiles("tiny", path), engines, EngineSettings(**{"keep": "1h", **settings}))
        made.set_context(context)
        opened.append(made)
        return made

    yield open_model
    for one in opened:
        one.close()


@pytest.fixture
def other(tiny, engines):
    """Start another process that has begun a reply when it is asked for."""
    started = []

    def start(output=8):
        command = [sys.executable, "-c", PROGRAM, str(tiny), str(engines), str(output)]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for one in started:
        one.kill()
        one.communicate()


def reply(model, said="hi", sampling=SHORT):
    chunks = list(model.stream([Message("user", said)], sampling))
    return "".join(chunk.text for chunk in chunks), chunks[-1]


def begin(pieces):
    """Take what comes before the first word, and that."""
    return next(piece for piece in pieces if not piece.progress)


def is_running(pid):
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def only(engines):
    (one,) = status.list_running(engines)
    return one


def wait_for(engines, holds):
    """Look until the engine is so; the test's time limit ends it."""
    while not holds(one := only(engines)):
        pass
    return one


def test_programs_that_start_at_once_load_the_model_once_and_get_the_same_answer(other, engines):
    programs = [other() for _ in range(3)]
    texts = [one.communicate("")[0] for one in programs]
    assert len(set(texts)) == 1 and len(texts[0]) > 4
    assert len(status.list_running(engines)) == 1
    assert len(list(engines.glob("*.lock"))) == 2


def test_a_second_program_uses_what_the_first_has_loaded(other, program, engines):
    first = other()
    first.stdout.readline()
    assert reply(program())[1].counts.load_seconds == 0
    assert {first.pid, os.getpid()} == set(only(engines).clients)


def test_an_engine_that_was_killed_is_started_again_by_the_next_request(program, engines):
    model = program()
    before, _ = reply(model)
    killed = only(engines).pid
    os.kill(killed, signal.SIGKILL)
    assert reply(model)[0] == before
    assert only(engines).pid != killed


def test_an_engine_that_is_killed_in_the_middle_cuts_the_reply_and_the_next_one_is_whole(program, engines):
    model = program()
    pieces = model.stream([Message("user", "hi")], LONG)
    begin(pieces)
    os.kill(only(engines).pid, signal.SIGKILL)
    with pytest.raises(StreamCutError, match="was killed or crashed"):
        list(pieces)
    assert reply(model)[1].finish == "length"


def test_a_reply_that_is_closed_frees_the_engine_and_the_program_stays_its_client(program, engines):
    model = program()
    with closing(model.stream([Message("user", "hi")], LONG)) as pieces:
        begin(pieces)
        wait_for(engines, lambda one: one.working)
    assert reply(program())[1].finish
    assert wait_for(engines, lambda one: not one.working).clients == (os.getpid(),)


def test_a_program_that_is_killed_in_the_middle_frees_the_engine(other, program, engines):
    gone = other(3000)
    gone.stdout.readline()
    gone.kill()
    assert reply(program())[1].finish
    assert wait_for(engines, lambda one: not one.working).clients == (os.getpid(),)


def test_a_halt_ends_the_wait_for_another_programs_reply(other, program, engines):
    first, halt, raised = other(3000), CancelToken(), []
    first.stdout.readline()

    def ask():
        with suppress(Cancelled):
            reply(program(halt=halt))
            return
        raised.append(True)

    asking = threading.Thread(target=ask)
    asking.start()
    wait_for(engines, lambda one: one.waiting)
    halt.cancel()
    asking.join()
    assert raised
    assert not wait_for(engines, lambda one: not one.waiting).waiting


def test_each_program_keeps_its_own_prefix(program):
    talks = [f"{name} asks. " * 30 for name in ("anna", "berta")]
    models = [program() for _ in talks]
    for cached in (0, 300):
        counts = [reply(model, talk)[1].counts for model, talk in zip(models, talks, strict=True)]
        assert all(one.cached >= cached and one.prompt > 300 for one in counts)


def test_more_context_loads_the_model_again_for_all_and_is_said(program, engines):
    first, notices = program(), list[str]()
    reply(first)
    second = program(context=2048, notice=notices.append)
    assert reply(second)[1].counts.load_seconds > 0
    assert notices == ["Reloaded the model with 2 048 tokens of context instead of 1 024."]
    assert (only(engines).context, reply(first)[1].counts.load_seconds) == (2048, 0)


def test_a_context_that_cannot_be_had_leaves_the_others_theirs(program, engines):
    first, huge = program(), program()
    reply(first)
    huge._context = 1 << 40
    with pytest.raises(ModelError, match="does not fit into memory"):
        reply(huge)
    assert reply(first)[1].finish
    assert only(engines).context == 1024


def test_what_is_wrong_with_a_request_or_a_model_is_told_as_without_an_engine(program, tiny, tmp_path):
    with pytest.raises(ContextFullError) as caught:
        reply(program(), "word " * 2000)
    assert (caught.value.available, caught.value.needed > 2000) == (1024, True)
    odd = tmp_path / "odd.gguf"
    odd.write_bytes(tiny.read_bytes().replace(b"blk.0.ffn_up", b"blk.0.ffn_ux"))
    with pytest.raises(ModelError, match="not found"):
        reply(program(odd))


def test_sampling_holds_through_the_socket(program, tiny):
    model, alone = program(), EmbeddedModel(ModelFiles("tiny", tiny))
    schema = Sampling(output=40, schema={"enum": ["yes", "no"]})
    seeded = [Sampling(output=20, temperature=1.5, seed=seed) for seed in (1, 1, 2)]
    try:
        assert reply(model, sampling=schema)[0] in ('"yes"', '"no"')
        reply(model)
        once, again, another = (reply(model, sampling=one)[0] for one in seeded)
        assert once == again != another
        assert reply(model)[0] == reply(alone)[0]
    finally:
        alone.close()


def test_an_engine_ends_after_its_last_program(program, engines):
    model = program(keep="0s")
    reply(model)
    running = only(engines)
    model.close()
    assert running.files.wait_until_ended(20)
    assert not running.files.socket.exists()


def test_an_engine_whose_folder_was_deleted_ends(program, engines):
    model = program()
    reply(model)
    pid = only(engines).pid
    for path in engines.iterdir():
        path.unlink()
    model.close()
    while is_running(pid):
        # the test's time limit ends it
        pass


def test_a_preloaded_model_is_loaded_before_the_first_request(program, engines):
    model = program()
    model.preload()
    while not status.list_running(engines):
        # the test's time limit ends it
        pass
    wait_for(engines, lambda one: one.done)
    assert reply(model)[1].counts.load_seconds == 0
    assert only(engines).clients == (os.getpid(),)


BEGINNING = [Message("system", "Be brief. " * 40)]


def test_the_first_request_need_not_read_what_was_read_ahead(program, engines):
    model = program()
    model.preload()
    model.read_ahead(BEGINNING, LONG)
    while not status.list_running(engines):
        # the test's time limit ends it
        pass
    wait_for(engines, lambda one: one.done == 2)
    counts = list(model.stream([*BEGINNING, Message("user", "hi")], SHORT))[-1].counts
    assert counts.cached > 400 > counts.prompt - counts.cached


def test_nothing_is_read_ahead_once_a_request_was_made(program, engines):
    model = program()
    reply(model)
    threads = threading.active_count()
    model.read_ahead(BEGINNING, LONG)
    while threading.active_count() > threads:
        # the test's time limit ends it
        pass
    assert only(engines).done == 1


def test_a_program_that_ends_while_it_reads_ahead_leaves_the_engine(program, engines):
    model = program(keep="0s")
    model.preload()
    model.read_ahead(BEGINNING, LONG)
    model.close()
    while status.list_running(engines):
        # the test's time limit ends it
        pass


def test_an_engine_that_starts_need_not_read_what_the_one_before_has_read(program, engines):
    model = program(keep="0s")
    reply(model, "what is written here stays in memory")
    model.save_prefix(BEGINNING, SHORT)
    model.close()
    while status.list_running(engines):
        # the test's time limit ends it
        pass
    (saved,) = engines.glob("*.prefix")
    assert saved.stat().st_mode & 0o077 == 0
    again = program(keep="0s")
    counts = list(again.stream([*BEGINNING, Message("user", "hi")], SHORT))[-1].counts
    assert counts.cached > 400 > counts.prompt - counts.cached
    again.close()
    while status.list_running(engines):
        pass
    saved.write_bytes(b"torn")
    assert reply(program())[1].counts.cached == 0
    assert not saved.exists()


def test_of_what_was_saved_the_three_used_last_stay(program, engines):
    for number in range(5):
        model = program()
        reply(model)
        model.save_prefix([Message("system", f"Rule {number}.")], SHORT)
        model.close()
        wait_for(engines, lambda one: not one.clients)
    assert len(list(engines.glob("*.prefix"))) == 3


def test_idle_engines_make_room_where_that_is_enough(program, engines):
    model = program()
    reply(model)
    used = wait_for(engines, lambda one: one.clients)
    model.close()
    idle = wait_for(engines, lambda one: not one.clients)
    assert used.is_in_use and not idle.is_in_use
    # the mapped file of the model counts as free already (MemAvailable)
    assert idle.own_memory > 0 and (idle.own_memory < idle.memory or sys.platform != "linux")
    process.end_idle_engines(idle.own_memory + 2 + (1 << 20), 1, [idle])
    assert only(engines).pid == idle.pid
    process.end_idle_engines(idle.own_memory, 1, [idle])
    assert status.list_running(engines) == []


def test_what_engines_have_left_goes_when_another_one_starts(program, engines, tmp_path):
    reply(program())
    old = only(engines)
    assert old.end_process()
    reply(program(write_model(tmp_path / "another.gguf", seed=2)))
    assert only(engines).files.key != old.files.key
    assert list(engines.glob(f"{old.files.key}*")) == []


def test_a_folder_that_others_may_enter_is_not_used(program, engines):
    engines.mkdir(parents=True)
    engines.chmod(0o755)
    notices: list[str] = []
    assert reply(program(notice=notices.append))[1].finish
    assert notices == [
        f"Loading the model in this process, because it cannot be shared: {engines} is open to other users."
    ]
    assert list(engines.iterdir()) == []


def test_a_folder_that_is_a_link_is_not_used(program, engines, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    engines.parent.mkdir(mode=0o700)
    engines.symlink_to(tmp_path / "elsewhere")
    notices: list[str] = []
    assert reply(program(notice=notices.append))[1].finish
    assert "cannot be opened" in notices[0]


def test_nobody_else_can_enter_what_an_engine_needs(program, engines):
    reply(program())
    assert {path.name.partition(".")[2]: path.stat().st_mode & 0o077 for path in engines.iterdir()} == {
        "llama.sock": 0,
        "lock": 0,
        "log": 0,
        "sock": 0,
    }
    assert engines.stat().st_mode & 0o777 == 0o700


def test_a_long_path_is_no_hindrance(tiny, tmp_path):
    folder = tmp_path / ("long" * 40) / "engines"
    model = EmbeddedModel(ModelFiles("tiny", tiny), folder, EngineSettings(keep="0s", notice=pytest.fail))
    with closing(model):
        assert reply(model)[1].finish
        assert only(folder).clients == (os.getpid(),)


def test_secrets_of_the_program_do_not_stay_with_the_engine(program, engines, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-CANARY")
    reply(program())
    environment = Path(f"/proc/{only(engines).pid}/environ")
    if environment.exists():
        assert b"CANARY" not in environment.read_bytes()
        assert b"PATH=" in environment.read_bytes()


def test_a_model_whose_engine_runs_is_the_best_of_those_that_were_fetched(tiny, engines, tmp_path):
    for entry in catalog.load_entries():
        put(entry, tmp_path)
    with closing(EmbeddedModel(ModelFiles("offline", tiny), engines, EngineSettings(keep="1h"))) as model:
        model.set_context(1024)
        list(model.stream([Message("user", "hi")], SHORT))
        best = catalog.choose_best_fetched(tmp_path, engines)
    assert best and best.name == "offline"

"""`tripletick models`: what a server has, a pull with its breaks, and the choice that is kept."""

import json
import signal
import subprocess
import sys

import pytest
from tests.bad_server import HANG, RESET, BadServer, answer, stream
from tests.fetched import cache_of, put
from tests.program.test_cli import environment, run
from tests.program.test_firstrun import ABOUT, MODELS, VERSION, settings
from tests.terminal import opened
from tests.test_openai import CHAT, HELLO
from tests.test_openai import models as openai_models

from tripletick.models import bench_scores, catalog

LAYERS = [("a", 3_000_000_000), ("b", 1_000_000_000)]
USE = ("-c", "import sys; from tripletick.cli import main; sys.exit(main())")


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def rows(*layers, last="success"):
    for digest, total in layers:
        for part in range(5):
            yield {
                "status": f"pulling {digest}",
                "digest": digest,
                "total": total,
                "completed": total * part // 4,
            }
    yield {"status": "verifying sha256 digest"}
    yield {"status": last}


def pulled(*told, end=True):
    return stream(*(json.dumps(row).encode() + b"\n" for row in told), end=end)


def served(*pulls, models=MODELS, shown=ABOUT):
    tags = answer(200, json.dumps({"models": models}))
    acts = {"/api/tags": [tags], "/api/version": [VERSION], "/api/show": [shown], "/api/pull": list(pulls)}
    return BadServer(acts)


def test_the_list_tells_size_weights_context_and_whether_it_fits(home):
    with served() as server:
        done = run(home, "--host", server.url, "models")
    first, second = done.stdout.splitlines()
    assert first.split() == ["alpha:7b", "470", "MB", "Q4_K_M", "context", "8k", "fits"]
    assert (second.split()[:3], done.returncode) == (["beta:1b", "130", "MB"], 0)


def test_the_list_of_a_server_without_models_names_one_to_pull(home):
    with served(models=[]) as server:
        done = run(home, "--host", server.url, "models", "list")
    assert (done.returncode, done.stdout) == (0, "")
    assert "tripletick models pull qwen2.5-coder" in done.stderr


def test_without_a_server_the_offline_model_is_listed_or_the_way_out_is_told(home):
    assert run(home, "--host", "http://127.0.0.1:9", "models").returncode == 4
    put(catalog.get_entry("offline"), cache_of(home))
    done = run(home, "--host", "http://127.0.0.1:9", "models")
    assert (done.returncode, done.stdout.split()[0]) == (0, "embedded:offline")


def rows_of(text):
    """The lines of the list by the model's name, which begins each."""
    return {line.split()[0]: " ".join(line.split()) for line in text.splitlines() if line.strip()}


def test_the_list_has_the_models_of_the_server_and_of_this_machine_with_what_they_did_in_the_bench(home):
    for name in ("qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"):
        put(catalog.get_entry(name), cache_of(home))
    (cache_of(home) / bench_scores.FILE).parent.mkdir()
    (cache_of(home) / bench_scores.FILE).write_text(
        '{"ollama:alpha:7b": {"core": [61, 90], "quick": [1, 10]}}'
    )
    with served() as server:
        listed = rows_of(run(home, "models", OLLAMA_HOST=server.url).stdout)
        with opened(home, "-m", "beta:1b", size=(140, 30), OLLAMA_HOST=server.url) as terminal:
            terminal.wait("coder>").send("/model").wait("Current model: ollama:beta:1b").wait_line("coder>")
            shown = rows_of(terminal.text())
    assert listed["alpha:7b"] == "alpha:7b 470 MB Q4_K_M context 8k fits core 61 of 90"
    assert "short programs" in listed["embedded:qwen2.5-coder-0.5b"]
    assert "core 53 of 90 programs of a page" in listed["embedded:qwen2.5-coder-1.5b"]
    assert {name: shown[name] for name in listed} == listed


def test_without_a_server_the_chat_lists_the_models_of_this_machine(home):
    put(catalog.get_entry("offline"), cache_of(home))
    (home / "script.md").write_text("Hi.")
    words = ("-m", f"scripted:{home / 'script.md'}")
    with opened(home, *words, OLLAMA_HOST="127.0.0.1:9") as terminal:
        terminal.wait("coder>").send("/model").wait("embedded:offline", "Current model: ")
        terminal.wait_line("coder>").type("/model emb\t").wait("> /model embedded:offline")
        assert "No model server" not in terminal.text()


def test_without_any_model_the_chat_says_what_to_do_about_it(home):
    (home / "script.md").write_text("Hi.")
    words = ("-m", f"scripted:{home / 'script.md'}")
    with opened(home, *words, OLLAMA_HOST="127.0.0.1:9") as terminal:
        terminal.wait("coder>").send("/model").wait("No model server at", "ollama serve", "Current model: ")


def test_without_a_server_what_ollama_has_pulled_is_listed_as_it_runs_here(home):
    store = home / ".ollama" / "models"
    manifest = store / "manifests" / "registry.ollama.ai" / "library" / "tiny" / "1b"
    digest = f"sha256:{'a' * 64}"
    manifest.parent.mkdir(parents=True)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": digest, "size": 2_000_000}
    manifest.write_text(json.dumps({"layers": [layer]}))
    (store / "blobs").mkdir()
    (store / "blobs" / digest.replace(":", "-")).write_bytes(b"x" * 2_000_000)
    listed = rows_of(run(home, "models", OLLAMA_HOST="127.0.0.1:9").stdout)
    assert listed["embedded:tiny:1b"] == "embedded:tiny:1b 2 MB fits in Ollama's store"


def test_a_pull_adds_up_its_layers_and_tells_tenths_where_no_line_is_redrawn(home):
    with served(pulled(*rows(*LAYERS))) as server:
        done = run(home, "--host", server.url, "models", "pull", "m:7b")
        assert [asked.body for asked in server.asked] == [{"model": "m:7b", "stream": True}]
    assert "50 %  1.5 GB of 3.0 GB" in done.stderr
    assert "75 %  3.0 GB of 4.0 GB" in done.stderr
    assert (done.returncode, "Downloaded m:7b: 4.0 GB in" in done.stderr) == (0, True)


@pytest.mark.parametrize("break_", [[RESET], [], [b"0\r\n\r\n"]])
def test_a_pull_that_breaks_off_says_how_to_go_on(home, break_):
    act = [*pulled(*list(rows(*LAYERS))[:3], end=False), *break_]
    with served(act) as server:
        done = run(home, "--host", server.url, "models", "pull", "m")
    assert done.returncode == 7
    assert "keeps what it has downloaded" in done.stderr
    assert "To resume: tripletick models pull m" in done.stderr


def test_the_next_pull_measures_from_what_is_there(home):
    going_on = {"status": "pulling a", "digest": "a", "total": 4_000_000_000, "completed": 3_000_000_000}
    with served(pulled(going_on, {"status": "success"})) as server:
        done = run(home, "--host", server.url, "models", "pull", "m")
    assert "75 %  3.0 GB of 4.0 GB\n" in done.stderr


@pytest.mark.parametrize(
    "act",
    [
        answer(500, '{"error": "pull model manifest: file does not exist"}'),
        pulled({"status": "pulling manifest"}, {"error": "pull model manifest: file does not exist"}),
    ],
)
def test_a_name_that_there_is_not_is_exit_5_with_a_name_that_there_is(home, act):
    with served(act) as server:
        done = run(home, "--host", server.url, "models", "pull", "nosuch")
    assert (done.returncode, "'nosuch' cannot be pulled" in done.stderr) == (5, True)
    assert "tripletick models pull qwen2.5-coder:7b" in done.stderr


def test_a_server_without_a_way_to_its_library_says_so(home):
    told = {"error": 'pull model manifest: Get "https://registry": dial tcp: lookup registry: no such host'}
    with served(pulled({"status": "pulling manifest"}, told)) as server:
        done = run(home, "--host", server.url, "models", "pull", "m")
    assert (done.returncode, "cannot reach its library" in done.stderr) == (7, True)


def test_an_interrupt_stops_the_servers_pull_and_says_how_to_go_on(home):
    act = [*pulled(*list(rows(*LAYERS))[:2], end=False), HANG]
    with served(act) as server:
        words = [sys.executable, *USE, "--host", server.url, "models", "pull", "m"]
        program = subprocess.Popen(
            words, cwd=home / "project", env=environment(home), stderr=subprocess.PIPE, text=True
        )
        assert program.stderr
        assert "25 %" in program.stderr.readline()
        program.send_signal(signal.SIGINT)
        _, told = program.communicate(timeout=150)
        assert server.hung_up.wait(60)
    assert (program.returncode, "To resume: tripletick models pull m" in told) == (130, True)


def test_a_model_that_is_there_is_used_from_then_on(home):
    with served() as server:
        done = run(home, "--host", server.url, "models", "use", "beta:1b")
    assert (done.returncode, settings(home)) == (0, "[model]\nname = beta:1b\n")


@pytest.fixture
def saved(home):
    """Two servers, of which that of OpenAI's kind is saved, with its model."""
    listed = openai_models({"id": "foo"})
    with served() as ollama, BadServer({"/v1/models": [listed], CHAT: [stream(*HELLO)]}) as other:
        env = {"OLLAMA_HOST": ollama.url}
        assert run(home, "--host", other.url, "models", "use", "openai:foo", **env).returncode == 0
        assert settings(home) == f"[model]\nname = openai:foo\nhost = {other.url}/v1\n"
        yield other, env


def test_a_saved_server_leaves_the_models_of_others_in_reach(home, saved):
    _, env = saved
    listed = rows_of(run(home, "models", **env).stdout)
    assert f"at {env['OLLAMA_HOST']}" in listed["alpha:7b"]
    assert "alpha:7b" in run(home, "completion", "models", **env).stdout.split()
    assert run(home, "models", "use", "beta:1b", **env).returncode == 0
    assert settings(home) == "[model]\nname = beta:1b\nhost =\n"


def test_the_chat_and_a_task_reach_the_models_of_another_server_than_the_saved_one(home, saved):
    other, env = saved
    done = run(home, "-C", ".", "-m", "alpha:7b", "say hello", **env)
    assert f"Model alpha:7b at {env['OLLAMA_HOST']} (--host URL chooses another)." in done.stderr
    with opened(home, **env) as terminal:
        terminal.wait("coder>").send("/model alpha:7b").wait("Switched to alpha:7b").wait_line("coder>")
    told = run(home, "--host", other.url, "models", **env).stdout
    assert "alpha:7b" not in told


def test_a_model_that_is_not_there_is_not_saved(home):
    gone = answer(404, '{"error": "model not found"}')
    with served(shown=gone) as server:
        done = run(home, "--host", server.url, "models", "use", "alpha:8b")
    assert (done.returncode, settings(home)) == (5, "")
    assert "Closest: alpha:7b." in done.stderr
    assert "tripletick models pull alpha:8b" in done.stderr


def test_a_model_that_cannot_chat_is_not_saved(home):
    embeds = answer(200, json.dumps({"capabilities": ["embedding"]}))
    with served(shown=embeds) as server:
        done = run(home, "--host", server.url, "models", "use", "alpha:7b")
    assert (done.returncode, settings(home)) == (2, "")


def test_show_tells_what_a_model_is_and_can(home):
    with served() as server:
        done = run(home, "--host", server.url, "models", "show", "alpha:7b")
    told = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert told["parameters"] == "7.6 billion"
    assert (told["context"], told["supports"], told["size"]) == ("8 192 tokens", "completion", "470 MB")


@pytest.mark.parametrize(
    "words",
    [
        ["create", "a", "b"],
        ["pull", "a", "--ollama"],
        ["template"],
        ["pull"],
        ["pull", "a", "b"],
        ["nosuch"],
        ["list", "x"],
        ["pull", "embedded:x"],
    ],
)
def test_what_models_does_not_understand_is_wrong_usage(home, words):
    assert run(home, "models", *words).returncode == 2

"""`tripletick acp`: the program in an editor, spoken to by the SDK's own client."""

import asyncio
import base64
import json
import shutil
import signal
import subprocess
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("acp")
from acp import embedded_text_resource, image_block, resource_block, resource_link_block, schema
from tests.asleep import is_running, make_sleep
from tests.editor import Editor, RawEditor, opened
from tests.planners import made, plan, slow

from tripletick.acp.updates import EventUpdates
from tripletick.events import Called
from tripletick.messages import Call

READS = "I look.\n```read\nnotes.txt\n```"
WRITES = "```write:hello.txt\nhello\n```"
SLEEP = make_sleep(4711)
SLEEPS = f"```bash\n{SLEEP}\n```"
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(20)).decode()


@pytest.fixture
def project(home):
    folder = home / "project"
    (folder / "notes.txt").write_text("milk\n")
    return folder


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """One program for an editor, which has a session for each test."""
    home, stack = tmp_path_factory.mktemp("editor"), AsyncExitStack()
    with asyncio.Runner() as runner:
        editor = Editor()
        runner.run(stack.enter_async_context(opened(home, editor, "-a", "coder")))
        yield home, editor, runner
        runner.run(stack.aclose())


@pytest.fixture
def play(program, project):
    """Have the editor do something in a new session on scripted replies."""
    home, editor, runner = program

    def begin(act, *replies, answers=(), servers=(), **offers):
        flat = [one for reply in replies for one in (reply if isinstance(reply, list) else [reply])]
        (home / "script.json").write_text(json.dumps(flat))
        editor.prepare(*answers, **offers)

        async def run():
            await act(editor, await editor.begin(project, servers))
            await editor.agent.close_session(session_id=editor.session)

        runner.run(run())
        return editor

    return begin


def read_log(home, name):
    log = home / f".local/state/tripletick/sessions/{name}.jsonl"
    return [json.loads(line) for line in log.read_bytes().splitlines()]


def test_a_turn_is_told_as_words_calls_and_diffs_and_undone_as_one(play, project):
    async def act(editor, begun):
        assert await editor.send("save hello") == "end_turn"
        assert (project / "hello.txt").read_text() == "hello\n"
        assert await editor.send("/undo") == "end_turn"

    thinks = {"text": READS, "thought": "First the notes."}
    editor = play(act, thinks, WRITES, "It is saved.")
    question, read, write = editor.calls.values()
    assert editor.asked == [
        ("Let blocks write here, in project?", ["allow_always", "reject_always", "reject_once"])
    ]
    assert question["status"] == "completed"
    assert (read["kind"], read["status"]) == ("read", "completed")
    assert read["locations"] == [{"path": f"{project}/notes.txt"}]
    assert "1|milk" in read["content"][0]["content"]["text"]
    assert (write["kind"], write["status"]) == ("edit", "completed")
    assert write["content"] == [{"type": "diff", "path": f"{project}/hello.txt", "newText": "hello\n"}]
    assert (
        "I look." in editor.words and "It is saved." in editor.words and "Removed: hello.txt" in editor.words
    )
    assert "First the notes." in "".join(
        each["content"]["text"] for each in editor.list_updates("agent_thought_chunk")
    )
    [offered] = editor.list_updates("available_commands_update")
    assert {"undo", "diff", "model"} <= {each["name"] for each in offered["availableCommands"]}
    assert not (project / "hello.txt").exists()


def test_a_no_leaves_the_block_unrun(play, project):
    async def act(editor, begun):
        assert await editor.send("clean up") == "end_turn"

    editor = play(act, "```bash\nrm -rf *\n```", "I did not.", answers=("y", "n"))
    (title, kinds) = editor.asked[1]
    assert kinds == ["allow_once", "allow_always", "reject_once"]
    assert title.endswith("Run it?")
    assert [call["status"] for call in editor.calls.values()] == ["completed", "failed"]
    assert (project / "notes.txt").exists()


def test_a_cancelled_block_ends_and_the_next_request_is_done(play):
    async def act(editor, begun):
        turn = asyncio.create_task(editor.send("sleep"))
        await editor.until(
            lambda: any(
                call["kind"] == "execute" and "sleep" in call["title"] for call in editor.calls.values()
            )
        )
        again = await editor.fail("and this")
        assert again.code == -32600 and "at work" in str(again)
        await editor.agent.cancel(session_id=editor.session)
        assert await turn == "cancelled"
        assert not is_running(SLEEP)
        assert await editor.send("go on") == "end_turn"

    editor = play(act, SLEEPS, "Gone on.")
    assert [call["status"] for call in editor.calls.values()] == ["completed", "failed"]
    assert "Gone on." in editor.words


def test_a_question_that_is_cancelled_ends_the_turn(play):
    async def act(editor, begun):
        turn = asyncio.create_task(editor.send("save hello"))
        await editor.until(lambda: editor.asked)
        await editor.agent.cancel(session_id=editor.session)
        assert await turn == "cancelled"

    play(act, WRITES, answers=("wait",))


def test_two_sessions_of_an_editor_are_at_work_side_by_side(play, tmp_path):
    (tmp_path / "other").mkdir()

    async def act(editor, begun):
        first = editor.session
        turn = asyncio.create_task(editor.send("sleep"))
        await editor.until(lambda: any("sleep" in call["title"] for call in editor.calls.values()))
        other = await editor.agent.new_session(cwd=str(tmp_path / "other"), mcp_servers=[])
        editor.session = other.session_id
        await editor.choose("agent", "casual")
        assert await editor.send("hello") == "end_turn"
        await editor.agent.cancel(session_id=first)
        assert await turn == "cancelled"

    play(act, {"to": "sleep", "text": SLEEPS}, "Hello.")


def test_a_plan_is_told_as_entries_and_cancelled_with_its_tasks(play, project):
    async def act(editor, begun):
        await editor.choose("agent", "planner")
        turn = asyncio.create_task(editor.send("do it all"))
        await editor.until(lambda: "a is made." in editor.words)
        await editor.agent.cancel(session_id=editor.session)
        assert await turn == "cancelled"

    both = plan(("1", "coder", "make a"), ("2", "coder", "make b", "1"))
    editor = play(act, both, made("a"), slow("b"))
    entries = editor.list_updates("plan")[-1]["entries"]
    assert [(entry["content"], entry["status"]) for entry in entries] == [
        ("coder: make a", "completed"),
        ("coder: make b", "pending"),
    ]
    assert (project / "a.txt").exists() and not (project / "b.txt").exists()


def test_a_session_is_listed_told_again_and_gone_on_with(play, project):
    async def first(editor, begun):
        await editor.send("save hello")

    async def second(editor, begun):
        [row] = (await editor.agent.list_sessions(cwd=str(project))).sessions
        assert (row.title, row.cwd) == ("save hello", str(project))
        editor.session = row.session_id
        await editor.agent.load_session(cwd=str(project), session_id=row.session_id, mcp_servers=[])
        assert [each["content"]["text"] for each in editor.list_updates("user_message_chunk")] == [
            "save hello"
        ]
        assert "It is saved." in editor.words
        assert [call["status"] for call in editor.calls.values()] == ["completed"]
        assert await editor.send("/tokens") == "end_turn"
        assert await editor.send("go on") == "end_turn"

    old = play(first, WRITES, "It is saved.").session
    editor = play(second, "Gone on.")
    assert (editor.session, editor.asked) == (old, [])
    assert "Gone on." in editor.words


def test_mode_agent_and_model_are_chosen_for_the_next_request(play, home, project):
    (home / "other.md").write_text("I am another.\n")

    async def act(editor, begun):
        assert begun.modes.current_mode_id == "work"
        assert [mode.id for mode in begun.modes.available_modes] == ["read", "work", "net"]
        await editor.agent.set_session_mode(session_id=editor.session, mode_id="read")
        await editor.send("save hello")
        assert not (project / "hello.txt").exists()
        await editor.agent.set_session_mode(session_id=editor.session, mode_id="work")
        await editor.send("save hello")
        assert (project / "hello.txt").exists()
        assert (await editor.choose("agent", "casual"))["agent"] == "casual"
        await editor.send(f"/model scripted:{home / 'other.md'}")
        assert await editor.send("who are you?") == "end_turn"

    editor = play(act, WRITES, "I may not.", WRITES, "It is saved.")
    assert "I am another." in editor.words
    told = editor.list_updates("config_option_update")[-1]["configOptions"]
    assert [one["currentValue"] for one in told] == ["work", f"scripted:{home / 'other.md'}", "casual"]


def test_unsaved_text_is_read_and_edited_through_the_editor(play, project):
    notes, secret = f"{project}/notes.txt", f"{project}/.env"
    Path(secret).write_text("KEY=value\n")

    async def act(editor, begun):
        assert await editor.send("look at", resource_link_block("notes.txt", f"file://{notes}")) == "end_turn"
        await editor.send("change it")
        await editor.send("read", resource_link_block(".env", f"file://{secret}"))

    edit = "```edit:notes.txt\n<<<<<<< SEARCH\noat milk\n=======\nsoy milk\n>>>>>>> REPLACE\n```"
    editor = play(act, "Seen.", edit, "Changed.", buffers={notes: "oat milk\n"})
    assert Path(notes).read_text() == "soy milk\n"
    assert editor.buffers == {notes: "soy milk\n"}
    change = {"type": "diff", "path": notes, "old_text": "oat milk\n", "new_text": "soy milk\n"}
    assert change in editor.previews
    assert secret not in editor.read
    assert f"{secret} was not sent" in editor.words


def test_texts_and_pictures_of_the_editor_go_along(play, program, project):
    async def act(editor, begun):
        selected = embedded_text_resource(f"file://{project}/notes.txt#L1:2", "only this")
        await editor.send("explain", resource_block(selected), image_block(PNG, "image/png"))

    editor = play(act, "Explained.")
    assert (project / "pasted-1.png").exists()
    records = [one for one in read_log(program[0], editor.session) if one["event"] == "History"]
    sent = [entry["message"]["text"] for record in records for entry in record["entries"]]
    assert "notes.txt, lines 1 to 2, as it stands in the editor:\nonly this" in sent[0]
    assert "Explained." in editor.words


def test_the_models_question_is_a_form_or_ends_the_turn(play):
    async def act(editor, begun):
        assert await editor.send("draw it") == "end_turn"

    asks = "REQUEST_CLARIFICATION Which colour?"
    editor = play(act, asks, "Red it is.", answers=("y", "red"), forms=True)
    assert editor.asked[1:] == [("Which colour?", ["form"])] and "Red it is." in editor.words
    assert "Which colour?" in play(act, asks).words


@pytest.fixture
def raw(home, project):
    """Start the program for an editor that may send anything; a session with this number is open."""
    begun = []

    def begin(*replies):
        (home / "script.json").write_text(json.dumps(replies))
        hooks = home / ".config/tripletick/hooks"
        hooks.mkdir(parents=True)
        (hooks / "loud.py").write_text("print('no message', flush=True)")
        editor = RawEditor(home, "-a", "coder")
        begun.append(editor.process)
        editor.ask(1, "initialize", protocolVersion=1)
        editor.ask(2, "session/new", cwd=str(project), mcpServers=[])
        return editor, editor.read_answer(2)["result"]["sessionId"]

    yield begin
    for process in begun:
        process.kill()
        with suppress(BrokenPipeError), process:
            pass


def test_what_is_no_message_is_answered_with_an_error_and_the_rest_is_served(raw):
    editor, name = raw("Here.")
    huge = b'{"jsonrpc": "2.0", "id": 7, "method": "session/prompt", "params": {"x": "' + b"a" * (20 << 20)
    for line, code, answered in (
        (b'{"jsonrpc": "2.0", "id": 3, "meth', -32700, None),
        (b"[1, 2]", -32600, None),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "session/dream"}', -32601, 4),
        (b'{"jsonrpc": "2.0", "id": 5, "method": ["x"]}', -32600, 5),
        (b'{"jsonrpc": "2.0", "id": 6, "method": "session/prompt", "params": {}}', -32602, 6),
        (b'{"jsonrpc": "2.0", "id": [7], "result": 1}', -32600, None),
        (huge + b'"}}', -32600, 7),
        (huge.replace(b"7", b'"\xff"', 1) + b'"}}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 9, "method": "session/list", "params": {"cursor": "%b"}}', -32602, 9),
    ):
        editor.write(line.replace(b"%b", b"9" * 5000) + b"\n")
        assert editor.read_answer(answered)["error"]["code"] == code
    editor.ask(8, "session/prompt", sessionId=name, prompt=[{"type": "text", "text": "are you there?"}])
    assert editor.read_answer(8)["result"] == {"stopReason": "end_turn"}


def test_odd_addresses_and_pictures_are_no_errors_of_ours(raw):
    editor, name = raw("Here.", "Here.")
    picture = {"type": "image", "data": "\N{SNOWMAN}", "mimeType": "image/png"}
    links = [
        {"type": "resource_link", "name": "x", "uri": uri} for uri in ("http://[x", "file:///" + "a" * 5000)
    ]
    for number, blocks in enumerate(([picture], links), 3):
        editor.ask(
            number, "session/prompt", sessionId=name, prompt=[{"type": "text", "text": "look"}, *blocks]
        )
        assert editor.read_answer(number)["result"] == {"stopReason": "end_turn"}


def test_a_line_number_without_end_names_the_file(tmp_path):
    sent: list[Any] = []
    call = Call("read", f"notes.txt:{'9' * 5000}")
    EventUpdates(sent.append, tmp_path, lambda: None).show_event(Called(call, 1, 1))
    (place,) = sent[0].locations
    assert (place.path, len(str(place.line))) == (str(tmp_path / "notes.txt"), 9)


def test_a_session_of_a_newer_version_is_told_as_that(raw, home, project):
    editor, _ = raw()
    kept = home / ".local/state/tripletick/sessions"
    kept.mkdir(parents=True, exist_ok=True)
    record = {"event": "Session", "format": 99, "at": 0, "id": "newer", "workspace": str(project)}
    (kept / "newer.jsonl").write_text(json.dumps(record) + "\n")
    editor.ask(3, "session/load", sessionId="newer", cwd=str(project), mcpServers=[])
    assert editor.read_answer(3)["error"]["message"].startswith(
        "newer.jsonl was written by a newer tripletick."
    )


@pytest.mark.parametrize(("how", "code"), [("eof", 0), ("hangup", 143), ("pipe", 141)])
def test_an_editor_that_goes_away_leaves_nothing_running_and_a_whole_log(raw, home, how, code):
    editor, name = raw(SLEEPS, "Done.")
    process = editor.process
    editor.ask(3, "session/prompt", sessionId=name, prompt=[{"type": "text", "text": "sleep"}])
    while (
        "sleep" not in json.dumps(message := editor.read())
        or message["params"]["update"]["sessionUpdate"] != "tool_call"
    ):
        if message.get("method") == "session/request_permission":
            editor.write(
                b'{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}\n'
            )
    if how == "eof":
        process.stdin.close()
    elif how == "hangup":
        process.send_signal(signal.SIGHUP)
    else:
        process.stdout.close()
        editor.ask(4, "session/list")
    assert process.wait(60) == code
    assert not is_running(SLEEP)
    assert [record["event"] for record in read_log(home, name)][-1] in ("Interrupted", "History")


@pytest.fixture
def make_server(project):
    shutil.copy(Path(__file__).parents[1] / "turns/mcp_server.py", project / "server.py")

    def make(name, *words, **variables):
        env = [schema.EnvVariable(name=key, value=value) for key, value in variables.items()]
        args = [str(project / "server.py"), *words]
        return schema.McpServerStdio(name=name, command="/usr/bin/python3", args=args, env=env)

    return make


def test_tool_servers_of_the_editor_run_in_a_sandbox_with_what_it_passes_them(play, make_server):
    pytest.importorskip("mcp")
    http = schema.HttpMcpServer(name="far", url="http://127.0.0.1:1/mcp", headers=[], type="http")

    async def act(editor, begun):
        assert await editor.send("which variables does the server have?") == "end_turn"

    servers = [make_server("My tools", TOKEN="xyzzy-4711-plugh"), http]
    replies = ["```mcp:My-tools.environment\n{}\n```", "The token is xyzzy-4711-plugh, done."]
    editor = play(act, *replies, servers=servers)
    told = json.dumps([*editor.calls.values()])
    assert "TOKEN" in told and "PATH" in told
    assert "xyzzy" not in told and "The token is [hidden], done." in editor.words
    assert "sandbox without network: My-tools" in editor.words and "over pipes: far" in editor.words


@pytest.fixture
def configure(program):
    """Put lines into the config of the program's user until the test is over."""
    path = program[0] / ".config/tripletick/config.ini"
    path.parent.mkdir(parents=True, exist_ok=True)
    yield path.write_text
    path.unlink()


def test_a_tool_server_of_the_editor_never_runs_without_a_sandbox(play, make_server, configure):
    pytest.importorskip("mcp")
    configure("[sandbox]\nmode = bare\n")

    async def act(editor, begun):
        await editor.send("save a word with the server")

    editor = play(act, '```mcp:tools.save\n{"text": "word"}\n```', "Not.", servers=[make_server("tools")])
    assert "run in a sandbox only" in json.dumps([*editor.calls.values()])


def test_a_server_of_the_users_own_is_used_instead_of_the_editors(play, make_server, configure):
    pytest.importorskip("mcp")
    own = make_server("tools")
    configure(f"[mcp.tools]\ncommand = {own.command} {own.args[0]}\n")

    async def act(editor, begun):
        await editor.send("which variables does the server have?")

    call = "```mcp:tools.environment\n{}\n```"
    editor = play(act, call, "Done.", servers=[make_server("tools", TOKEN="xyzzy")])
    told = json.dumps([*editor.calls.values()])
    assert "PATH" in told and "TOKEN" not in told


def test_a_tool_server_of_the_editor_sees_no_file_that_its_command_names(play, make_server, tmp_path):
    pytest.importorskip("mcp")
    private = tmp_path / "private.txt"
    private.write_text("a word of one's own")

    async def act(editor, begun):
        await editor.send("what does the server see?")

    call = f'```mcp:tools.look\n{{"text": "{private}"}}\n```'
    editor = play(act, call, "Hidden.", "Done.", servers=[make_server("tools", str(private))])
    assert "one's own" not in json.dumps([*editor.calls.values()])


def test_what_the_editor_passes_takes_effect_in_the_sandbox_alone(play, make_server, project, tmp_path):
    pytest.importorskip("mcp")
    if not (compiler := shutil.which("cc")):
        pytest.skip("there is no C compiler")
    outside, source, library = tmp_path / "outside", project / "preload.c", project / "preload.so"
    source.write_text(
        f'#include <fcntl.h>\n__attribute__((constructor)) void f(void) {{ creat("{outside}", 0600); }}\n'
    )
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)

    async def act(editor, begun):
        await editor.send("which variables does the server have?")

    server = make_server("tools", LD_PRELOAD=str(library), TMPDIR="/nowhere", here="it's")
    editor = play(act, "```mcp:tools.environment\n{}\n```", "Done.", servers=[server])
    told = json.dumps([*editor.calls.values()])
    assert "LD_PRELOAD" in told and "it's" in told and not outside.exists()

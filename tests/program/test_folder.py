"""What is asked about a folder, through the program: on a terminal and without one."""

import json
import shutil
from pathlib import Path

import pytest
from tests.bad_server import BadServer, answer, done, line, stream
from tests.program.test_cli import run, state
from tests.terminal import opened

TOP = Path(__file__).parents[2]
SAVE = "```text:made.txt\nx\n```"
ABOUT = answer(200, json.dumps({"model_info": {"general.architecture": "a", "a.context_length": 8192}}))
VERSION = answer(200, json.dumps({"version": "0.12.9"}))
TAGS = answer(200, json.dumps({"models": [{"name": "alpha:7b"}, {"name": "beta:1b"}]}))


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


@pytest.fixture
def script(home):
    """Write the model's replies; give the flag that names them."""

    def write(*replies):
        (home / "script.json").write_text(json.dumps(replies))
        return "-m", f"scripted:{home / 'script.json'}"

    return write


def made(home):
    return (home / "project/made.txt").exists()


def settings(home, text, name="config.ini"):
    path = home / "project/.tripletick" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def logged(home):
    """What was told, and what the model was sent with the last request, as the log has it."""
    (log,) = (state(home) / "sessions").glob("*.jsonl")
    return [json.loads(record) for record in log.read_text().splitlines()]


def told(home):
    return [event["text"] for event in logged(home) if event.get("event") == "Notice"]


@pytest.mark.parametrize(("key", "may_write"), [("y", True), ("r", False), ("n", False)])
def test_a_new_folder_is_asked_about_before_the_first_step_and_only_once(home, script, key, may_write):
    flags = script(SAVE, "All done.")
    with opened(home, *flags, "make it", given=False) as terminal:
        terminal.wait("y yes / r read only / n no").type(f"{key}\r").wait("All done.").end()
    assert made(home) == may_write
    with opened(home, *script("Again."), "make it", given=False) as terminal:
        terminal.wait("Again.").end()


def test_the_chat_asks_at_its_start_and_talks_on_after_a_no(home, script):
    flags = script(SAVE, "I cannot.", "Hello to you.")
    with opened(home, *flags, given=False) as terminal:
        terminal.wait("y yes / r read only / n no").type("n\r").wait_line("coder>")
        terminal.send("make it").wait("I cannot.").wait_line("coder>")
        terminal.send("/status").wait("do not run").wait_line("coder>")
        terminal.send("hello").wait("Hello to you.").wait_line("coder>")
    assert not made(home)


def test_an_agent_without_tools_asks_nothing_until_another_takes_over(home, script):
    flags = script("Hello.", SAVE, "Made it.")
    with opened(home, *flags, "-a", "casual", given=False) as terminal:
        terminal.wait_line("casual>").send("hello").wait("Hello.").wait_line("casual>")
        terminal.send("@coder make it").wait("n no").type("y\r").wait("Made it.").wait_line("casual>")
    assert made(home)


def test_a_command_of_the_persons_is_a_block_too(home, script):
    with opened(home, *script(), "-a", "casual", given=False) as terminal:
        terminal.wait_line("casual>").send("!touch made.txt").wait("n no").type("n\r").wait_line("casual>")
    assert not made(home)


@pytest.mark.parametrize("flags", [["-C", "."], ["-y"], ["--sandbox", "work"]])
def test_a_flag_answers_without_a_person(home, script, flags):
    assert run(home, *script(SAVE, "Done."), *flags, "make it").returncode == 0
    assert made(home)
    assert not (state(home) / "folders.json").exists()


def test_without_a_person_and_a_flag_blocks_only_read_and_the_flag_is_named(home, script):
    (home / "project/old.txt").write_text("old words")
    done = run(home, *script("```bash\ncat old.txt; touch made.txt\n```", "Done."), "make it")
    assert "-y" in done.stderr
    assert "old words" in done.stderr
    assert not made(home)


def test_sandbox_read_lets_nothing_be_written(home, script):
    run(home, *script(SAVE, "```bash\ntouch made.txt\n```", "Done."), "--sandbox", "read", "make it")
    assert not made(home)


@pytest.mark.parametrize(("mode", "open"), [("net", True), ("work", False), ("read", False)])
def test_blocks_have_the_way_to_the_network_in_net_alone(home, script, mode, open):
    done = run(home, *script("```bash\necho proxy=$HTTPS_PROXY.\n```", "Done."), "--sandbox", mode, "do it")
    assert ("proxy=http" in done.stderr, "proxy=." in done.stderr) == (open, not open)


@pytest.mark.parametrize("flag", [["--sandbox", "bare"], ["--sandbox", "bare", "-y"]])
def test_bare_runs_nothing_where_nobody_can_be_asked(home, script, flag):
    done = run(home, *script(SAVE), *flag, "make it")
    assert (done.returncode, made(home)) == (3, False)
    assert "NO SANDBOX" in done.stderr


def test_bare_asks_for_every_block_and_the_prompt_says_so(home, script):
    flags = script(SAVE, "Made it.")
    with opened(home, *flags, "--sandbox", "bare") as terminal:
        terminal.wait_line("NO SANDBOX coder>").send("make it").wait("block on this computer?")
        assert not made(home)
        terminal.type("y\r").wait("Made it.").wait_line("NO SANDBOX coder>")
    assert made(home)
    assert any("NO SANDBOX" in text for text in told(home))


@pytest.fixture
def documents(home):
    (home / "My Documents").mkdir()
    (home / "My Documents/letter.txt").write_text("Dear aunt\n")
    (home / ".ssh").mkdir()
    (home / ".ssh/id").write_text("CANARY")
    (home / "My Documents/deep").mkdir()
    (home / "My Documents/deep/.env").write_text("CANARY")
    return home / "My Documents"


READS = (
    "```bash\ncat '{path}/letter.txt'; touch '{path}/new' || echo closed\n```",
    "```read\n{path}/letter.txt\n```",
)


@pytest.mark.parametrize("block", READS)
def test_read_lets_blocks_and_file_tools_read_a_folder(home, documents, script, block):
    flags = script(block.format(path=documents), "Done.")
    done = run(home, *flags, "-C", ".", "--read", "../My Documents", "read the letter")
    assert "Dear aunt" in done.stderr
    assert not (documents / "new").exists()


@pytest.mark.parametrize(
    ("path", "why"), [("nowhere", "no such"), ("/", "operating system"), ("../.ssh", "stay hidden")]
)
def test_a_folder_that_cannot_be_read_is_wrong_usage(home, documents, script, path, why):
    done = run(home, *script("Done."), "-C", ".", "--read", path, "read it")
    assert (done.returncode, why in done.stderr) == (2, True)


def test_with_home_let_in_the_keys_stay_hidden(home, documents, script):
    flags = script(
        f"```bash\ncat {home}/.ssh/id '{documents}/deep/.env' '{documents}/letter.txt'\n```",
        f"```read\n{home}/.ssh/id\n```",
        "Done.",
    )
    done = run(home, *flags, "-C", ".", "--read", str(home), "read it")
    assert ("Dear aunt" in done.stderr, "CANARY" in done.stderr) == (True, False)


@pytest.mark.parametrize("name", ["My Documents", "My Documents/letter.txt"])
@pytest.mark.parametrize("block", READS)
def test_a_path_that_the_person_names_is_asked_for_and_then_read(home, documents, script, name, block):
    flags = script(block.format(path=documents), "All done.")
    with opened(home, *flags, f"sum up '~/{name}', please") as terminal:
        terminal.wait(f"Let blocks read ~/{name} in this session?").type("y\r").wait(
            "Dear aunt", "All done."
        ).end()
    assert not (documents / "new").exists()


def test_after_a_no_it_is_neither_read_nor_asked_for_again(home, documents, script):
    flags = script(READS[1].format(path=documents), "I could not.", "Nor now.")
    with opened(home, *flags) as terminal:
        terminal.wait_line("coder>").send("sum up ~/My Documents").wait("in this session?").type("n\r")
        terminal.wait("I could not.").wait_line("coder>").send("again ~/My Documents").wait("Nor now.")
        assert "Dear aunt" not in terminal.text()


@pytest.mark.parametrize("words", ["read {home}/My Documents", "look at ~/.ssh", "what is in /etc/hosts"])
def test_nobody_is_asked_for_what_is_hidden_or_seen_anyway_nor_where_nobody_is(
    home, documents, script, words
):
    flags = script("Done.")
    if "My" in words:
        done = run(home, *flags, "-C", ".", words.format(home=home))
        assert (done.stdout, "for this session" in done.stderr) == ("Done.\n", False)
    else:
        with opened(home, *flags, words) as terminal:
            terminal.wait("Done.").end()


def test_the_words_of_the_model_let_nothing_in(home, documents, script):
    flags = script(f"I look at ~/My Documents.\n\n{READS[1].format(path=documents)}", "All done.")
    with opened(home, *flags, "go on then") as terminal:
        terminal.wait("All done.").end()
        assert "Dear aunt" not in terminal.text()


def test_what_the_folder_sets_counts_after_a_yes_to_it(home, script):
    settings(home, "[sandbox]\nmode = read\n")
    flags = script(SAVE, "All done.")
    with opened(home, *flags, "make it") as terminal:
        terminal.wait("mode = read", "Use it?").type("y\r").wait("All done.").end()
    assert not made(home)
    run(home, *script(SAVE, "Done."), "-C", ".", "make it")
    assert not made(home)
    run(home, *script(SAVE, "Done."), "--sandbox", "work", "make it")
    assert made(home)


def test_without_a_yes_what_the_folder_sets_is_left_aside_with_one_word(home, script):
    settings(home, "[sandbox]\nmode = read\n[agent]\nname = casual\n")
    done = run(home, *script(SAVE, "Done."), "-C", ".", "-y", "make it")
    assert done.stderr.count("not approved yet") == 1
    assert made(home)


def test_the_folder_names_an_agent_of_its_own(home, script):
    settings(home, "[agent]\nname = auditor\n")
    settings(home, "---\nwhen = Audits.\ntools = bash\n---\nYou audit CANARY.\n", "agents/auditor.md")
    with opened(home, *script("Reviewed."), given=False, agent="") as terminal:
        terminal.wait("e it?").type("y\r").wait("n no").type("y\r").wait_line("auditor>")
        terminal.send("look").wait("Reviewed.").wait_line("auditor>")


@pytest.mark.parametrize(("name", "used"), [("beta:1b", "beta:1b"), ("gamma:3b", "alpha:7b")])
def test_the_folder_names_a_model_that_the_server_has(home, name, used):
    settings(home, f"[model]\nname = {name}\n")
    (home / ".config/tripletick").mkdir(parents=True)
    (home / ".config/tripletick/config.ini").write_text("[model]\nname = alpha:7b\n")
    answers = {
        "/api/show": [ABOUT],
        "/api/tags": [TAGS],
        "/api/version": [VERSION],
        "/api/chat": [stream(line("Said."), done())],
    }
    with (
        BadServer(answers) as server,
        opened(home, "--host", server.url, "-a", "casual", "talk to me") as terminal,
    ):
        terminal.wait("Use it?").type("y\r").wait("Said.").end()
        assert server.last.body["model"] == used


def test_a_wrong_agent_of_the_config_is_told_with_its_line(home, script):
    (home / ".config/tripletick").mkdir(parents=True)
    (home / ".config/tripletick/config.ini").write_text("[agent]\nname = nobody\n")
    done = run(home, *script("Done."), "do it", TRIPLETICK_AGENT="")
    assert done.returncode == 2
    assert "config.ini:2: there is no agent 'nobody'" in done.stderr


def test_a_wrong_flag_is_told_by_its_name(home, script):
    done = run(home, *script("Done."), "--sandbox", "write", "do it")
    assert done.returncode == 2
    assert "--sandbox write cannot be used" in done.stderr


def test_in_our_own_clone_blocks_and_saves_change_nothing_that_runs_us(home, script):
    clone = home / "clone"
    for name in ("sources", "prompts"):
        shutil.copytree(TOP / name, clone / name, ignore=shutil.ignore_patterns("__pycache__", "*.gguf"))
    shutil.copy(TOP / "config.ini", clone)
    ours = ("sources/tripletick/cli.py", "prompts/base/coder.md", "config.ini")
    blocks = [f"```text:{name}\nspoiled\n```" for name in ours]
    blocks += ["```bash\n" + "\n".join(f"echo spoiled > {name}; rm {name}" for name in ours) + "\n```"]
    blocks += ["```bash\nmv sources away; mv prompts gone; touch made\n```"]
    code = f"import sys; sys.path.insert(0, '{clone}/sources'); from tripletick.cli import main; main()"
    before = {name: (clone / name).read_bytes() for name in ours}
    for block in blocks:
        run(home, *script(block, "Done."), "-C", str(clone), "do it", code=code)
    assert {name: (clone / name).read_bytes() for name in ours} == before
    assert (clone / "made").exists()


def test_the_answers_are_kept_for_their_owner_alone(home, script):
    with opened(home, *script("Done."), "make it", given=False) as terminal:
        terminal.wait("n no").type("y\r").wait("Done.").end()
    assert (state(home) / "folders.json").stat().st_mode & 0o777 == 0o600


def test_without_saving_no_answer_is_kept(home, script):
    with opened(home, *script("Done."), "--no-save", "make it", given=False) as terminal:
        terminal.wait("n no").type("y\r").wait("Done.").end()
    assert not (state(home) / "folders.json").exists()

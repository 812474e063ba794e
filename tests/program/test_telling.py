"""The commands that tell: settings with their origin, agents, tags, docs, completion, AGENTS.md, doctor."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.bad_server import BadServer, answer
from tests.program.test_cli import run
from tests.program.test_firstrun import ABOUT, MODELS, VERSION

from tripletick.commands import COMMANDS
from tripletick.system import dirs

DONE = """\
```python
print(sum(range(1, 101)))
```
---
It is 5050.
---
```write greeting.txt
Hello from here.
```
---
Saved.
---
```edit prices.txt
<<<<<<< SEARCH
tea 3
=======
tea 5
>>>>>>> REPLACE
```
---
Changed.
"""
OFF = {"TRIPLETICK_SANDBOX_TIER": "none", "TRIPLETICK_SANDBOX_MODE": "bare"}


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def user_config(home):
    return home / ".config" / "tripletick" / "config.ini"


def lines(done):
    return dict(line.split(None, 1) for line in done.stdout.splitlines())


def test_every_setting_is_shown_with_the_file_and_line_variable_or_flag_behind_it(home):
    user_config(home).parent.mkdir(parents=True)
    user_config(home).write_text("[ui]\n# mine\nthinking = yes\n")
    told = lines(run(home, "--ctx", "2048", "config", "show", "--origin", TRIPLETICK_MODEL="m:1b"))
    assert told["ui.thinking"].split()[1:] == ["yes", f"{user_config(home)}:3"]
    assert told["model.name"].split()[1:] == ["m:1b", "TRIPLETICK_MODEL"]
    assert told["model.context"].split()[1:] == ["2048", "--ctx"]
    assert told["sandbox.memory"].split()[1] == "2G"
    assert told["sandbox.memory"].split()[2].rpartition(":")[0] == str(dirs.find_dirs().shipped_config)


def test_a_setting_is_saved_and_read_back(home):
    done = run(home, "config", "set", "sandbox.memory", "512M")
    assert (done.returncode, user_config(home).read_text()) == (0, "[sandbox]\nmemory = 512M\n")
    assert lines(run(home, "config"))["sandbox.memory"] == "= 512M"


def test_what_stands_over_a_saved_setting_is_told(home):
    done = run(home, "config", "set", "model.name", "a:1b", TRIPLETICK_MODEL="b:1b")
    assert "TRIPLETICK_MODEL overrides it: b:1b" in done.stderr


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["set", "modle.name", "x"], "Did you mean model.name?"),
        (["set", "model.context", "much"], "a whole number from 0"),
        (["set", "nosuch", "x"], "tripletick config show"),
        (["set", "model.name"], "tripletick config ["),
        (["get", "x"], "tripletick config ["),
    ],
)
def test_a_setting_that_cannot_be_says_what_to_type(home, words, part):
    done = run(home, "config", *words)
    assert (done.returncode, part in done.stderr) == (2, True)
    assert not user_config(home).exists()


def test_the_path_of_the_settings_is_told(home):
    assert run(home, "config", "path").stdout == f"{user_config(home)}\n"


def test_agents_and_tags_are_told_with_what_they_cost(home):
    told = lines(run(home, "agents"))
    assert {"casual", "coder", "file"} <= set(told)
    assert told["coder"].split()[1] == "tokens"
    assert 40 < int(told["coder"].split()[0]) < 120
    assert "(read-only)" in told["reviewer"] and "(read-only)" not in told["coder"]
    told = lines(run(home, "tools"))
    assert {"bash", "python", "edit", "file_finder"} <= set(told)


def test_a_language_without_its_programs_says_what_it_needs(home):
    (home / "bin").mkdir()
    told = lines(run(home, "tools", PATH=str(home / "bin")))
    assert "needs go" in told["go"]


def test_agents_md_is_written_from_what_the_folder_holds(home):
    (home / "project" / "Makefile").write_text("test: all\n\techo\nVAR := x\nall:\n")
    (home / "project" / "package.json").write_text('{"scripts": {"lint": "x", "test": "y", "odd": "z"}}')
    (home / "project" / "src").mkdir()
    (home / "project" / "src" / "main.go").write_text("package main\n")
    assert run(home, "init").returncode == 0
    text = (home / "project" / "AGENTS.md").read_text()
    assert "| test | `make test` |\n| lint | `npm run lint` |\n" in text
    assert "Files: go (1)." in text
    assert "Folders: src/." in text


@pytest.mark.parametrize("tested", [False, True])
def test_pytest_is_offered_where_there_is_a_test(home, tested):
    (home / "project/pyproject.toml").write_text("[project]\nname = 'x'\n")
    (home / "project/tests").mkdir()
    text = "def test_x():\n    assert True\n" if tested else "x = 1\n"
    (home / "project/tests/test_x.py").write_text(text)
    run(home, "init")
    assert ("python -m pytest" in (home / "project/AGENTS.md").read_text()) == tested


def test_what_init_has_written_is_not_asked_about_until_it_changes(home):
    assert run(home, "init").returncode == 0
    (home / "replies.md").write_text("Hello.\n")
    words = ("-C", ".", "-m", f"scripted:{home / 'replies.md'}", "say hello to me")
    assert "AGENTS.md" not in run(home, *words).stderr
    (home / "project/AGENTS.md").write_text("Obey.\n")
    assert "AGENTS.md of this folder: not used" in run(home, *words).stderr


@pytest.mark.parametrize("there", ["file", "link"])
def test_agents_md_that_is_there_is_never_written_over(home, there):
    path = home / "project" / "AGENTS.md"
    path.write_text("mine\n") if there == "file" else path.symlink_to(home / "elsewhere")
    done = run(home, "init")
    assert (done.returncode, "already exists" in done.stderr) == (2, True)
    assert not (home / "elsewhere").exists()
    assert there == "link" or path.read_text() == "mine\n"


def test_a_name_in_the_folder_cannot_steer_the_page(home):
    (home / "project" / "a\n# Obey\x1b[2J").mkdir()
    run(home, "init")
    assert "\n# Obey" not in (home / "project" / "AGENTS.md").read_text()


def test_the_docs_are_listed_and_shown_offline(home):
    assert lines(run(home, "help"))["fences"] == "Reading fenced blocks"
    assert run(home, "help", "fences").stdout == (dirs.find_dirs().docs / "fences.md").read_text()
    assert "pull NAME" in run(home, "help", "models").stdout
    done = run(home, "help", "fence")
    assert (done.returncode, "Did you mean fences?" in done.stderr) == (2, True)


def completed(home, *words):
    """What bash offers behind these words."""
    script = run(home, "completion", "bash").stdout
    typed = " ".join(f"'{word}'" for word in ("tripletick", *words))
    ask = f"COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _tripletick; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    told = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True, cwd=home)
    return (told.stdout.split(), told.stderr)


def test_bash_completes_commands_their_words_flags_and_values(home):
    assert completed(home, "") == (list(COMMANDS), "")
    assert completed(home, "models", "p") == (["pull"], "")
    assert completed(home, "--sandbox", "") == (["read", "work", "net", "bare"], "")
    assert completed(home, "-a", "co") == (["coder"], "")
    assert completed(home, "config", "show", "--or") == (["--origin"], "")
    assert completed(home, "-C", "pro") == (["project"], "")
    assert "--host" in completed(home, "--h")[0]


def test_sessions_are_completed_as_they_are_when_a_person_completes(home):
    assert completed(home, "sessions", "fork", "2") == ([], "")
    logs = home / ".local" / "state" / "tripletick" / "sessions"
    logs.mkdir(parents=True)
    (logs / "20261121-143012-ab12.jsonl").touch()
    assert completed(home, "resume", "20261121") == (["20261121-143012-ab12"], "")
    assert completed(home, "sessions", "export", "2") == (["20261121-143012-ab12"], "")
    assert completed(home, "undo", "2") == ([], "")


FISH = "source script; complete -C 'tripletick resume 2'"
ZSH = """\
compdef() {{ :; }}; compadd() {{ shift; print -l -- $@; }}; _describe() {{ :; }}; _files() {{ :; }}
source script; words=(tripletick resume 2); CURRENT=3; PREFIX=2; _tripletick
"""


@pytest.mark.parametrize(("shell", "ask"), [("fish", FISH), ("zsh", ZSH.format())])
def test_the_other_shells_complete_sessions_too(home, shell, ask):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    logs = home / ".local" / "state" / "tripletick" / "sessions"
    logs.mkdir(parents=True)
    (logs / "20261121-143012-ab12.jsonl").touch()
    (home / "script").write_text(run(home, "completion", shell).stdout)
    told = subprocess.run([shell, "-c", ask], capture_output=True, text=True, cwd=home)
    assert (told.stdout.split()[-1:], told.stderr) == (["20261121-143012-ab12"], "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_names_every_command_and_can_be_read_by_it(home, shell):
    done = run(home, "completion", shell)
    assert all(name in done.stdout for name in COMMANDS)
    if shutil.which(shell):
        script = home / "script"
        script.write_text(done.stdout)
        read = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True)
        assert (read.returncode, read.stderr) == (0, "")


def test_on_windows_itself_the_start_says_where_it_runs(home):
    code = "import sys, signal; del signal.SIGHUP; from tripletick.cli import main; sys.exit(main())"
    done = run(home, "--version", code=code)
    assert (done.returncode, "inside WSL2" in done.stderr) == (2, True)


def test_doctor_tells_of_server_model_and_context(home):
    shown = {"/api/tags": [answer(200, json.dumps({"models": MODELS}))], "/api/version": [VERSION]}
    loaded = {"name": "alpha:7b", "size": 100, "size_vram": 40, "context_length": 2048}
    loads = answer(200, json.dumps({"models": [loaded]}))
    with BadServer({**shown, "/api/show": [ABOUT], "/api/ps": [loads]}) as server:
        told = json.loads(run(home, "doctor", "--json", "--host", server.url, **OFF).stdout)
    engine = told["engine"]
    assert (engine["server"], engine["model"], engine["window"]) == (server.url, "alpha:7b", 8192)
    assert (engine["loaded"], engine["dialect"]) == ("40 % GPU, 60 % CPU", "fence (as set)")
    assert any("loaded the model with 2048 tokens" in line for line in told["remedies"])
    assert {"tag": "bash", "runs": True, "package": "bash", "wrong": ""} in told["languages"]


def test_doctor_says_what_to_do_where_there_is_no_server(home):
    done = run(home, "doctor", "--host", "http://127.0.0.1:9", **OFF)
    assert "No model server at http://127.0.0.1:9" in done.stdout
    assert "ollama serve" in done.stdout.partition("what to do:")[2]


@pytest.mark.skipif(not shutil.which("bwrap") or os.name != "posix", reason="blocks run in a box alone")
def test_doctor_has_the_model_do_three_chores_and_names_the_tags_to_trust(home):
    (home / "script.md").write_text(DONE)
    done = run(home, "doctor", "--model", f"scripted:{home / 'script.md'}", "--json")
    told = json.loads(done.stdout)
    assert [one["done"] for one in told["chores"]] == [True] * 3
    assert (done.returncode, told["trusted"]) == (0, ["edit", "python", "write"])
    assert list((home / "project").iterdir()) == []


@pytest.mark.skipif(not shutil.which("bwrap") or os.name != "posix", reason="blocks run in a box alone")
def test_what_the_chores_of_doctor_make_is_not_committed(home):
    # a commit would take the next reply for its message
    (home / "script.md").write_text("```bash\ngit init -q .; echo x > made\n```\n---\n" + DONE)
    done = run(
        home, "doctor", "--model", f"scripted:{home / 'script.md'}", "--json", TRIPLETICK_GIT_COMMIT="turn"
    )
    assert [one["done"] for one in json.loads(done.stdout)["chores"]] == [True] * 3


@pytest.mark.skipif(not shutil.which("bwrap"), reason="blocks run in a box alone")
def test_a_model_that_claims_its_work_is_not_trusted(home):
    # each is asked once whether that is so
    claims = [claim for claim in ("The sum is 5050.\n", "Saved.\n", "Changed.\n") for _ in range(2)]
    (home / "script.md").write_text("---\n".join(claims))
    done = run(home, "doctor", "--model", f"scripted:{home / 'script.md'}")
    assert (done.returncode, "tasks: 0 of 3 done" in done.stdout) == (1, True)
    assert "works with: no tag" in done.stdout


def test_a_chore_that_takes_too_long_is_ended_once():
    from tripletick.commands.chores import ChoreRecorder
    from tripletick.events import Text

    seen = ChoreRecorder(until=0.0)
    with pytest.raises(KeyboardInterrupt):
        seen.record_event(Text("on and on"))
    seen.record_event(Text("and on"))
    assert seen.late


def test_every_command_of_the_table_can_be_imported():
    from tripletick.commands import load_command

    assert all(callable(load_command(name)) for name in COMMANDS)


def test_every_page_of_the_docs_has_a_title():
    assert all(path.read_text().startswith("# ") for path in Path(dirs.find_dirs().docs).rglob("*.md"))

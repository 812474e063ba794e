"""Questions that hide nothing: several risks in a block, lines that say less than they mean."""

import subprocess
import sys
import tempfile
from itertools import chain
from pathlib import Path

import pytest
from tests.playing import last
from tests.sandbox.serving import site
from tests.turns.test_approval import DELETES, NO, SESSION, YES, asked, log, repository, results, sources

from tripletick.events import Answered, Ask, Notice, Output
from tripletick.messages import Answer
from tripletick.paths import Workspace
from tripletick.permission.script_parts import split_script

DELETE = "This deletes src (20 files)."
CHANGED = "The Python in .venv was created or changed since the first block of this session."
NET = {"sandbox": {"mode": "net"}}
RUNS = "```bash\n.venv/bin/python -c 'print(1)'\n```"
UNRESOLVED = "echo 'curl: (6) Could not resolve host: example.test' >&2; exit 6"
RESET = "This discards uncommitted changes, and may lose commits."
FETCH = "This downloads and installs packages in the sandbox, with network via the proxy. Run it?"


@pytest.fixture
def project(tmp_path):
    (tmp_path / ".git").mkdir()
    return Workspace(tmp_path)


@pytest.fixture
def outside():
    with tempfile.TemporaryDirectory(prefix="tt-outside-", dir=Path.home()) as folder:
        yield Path(folder)


def test_a_question_names_all_that_is_risky_in_a_block(session):
    it = sources(session("```bash\nrm -rf src\ngit reset --hard\n```", "Then not.", answers=[NO]))
    assert asked(it.play()) == [f"{DELETE} {RESET} Run it?"]


def test_a_yes_for_the_session_to_one_kind_lets_no_other_pass_beside_it(session):
    both = "```bash\nmkdir src; touch src/{1..20}\n```", "```bash\nrm -rf src\ngit reset --hard\n```"
    it = sources(session(DELETES, *both, "Then not.", answers=[SESSION, NO]))
    assert asked(it.play()) == [f"{DELETE} Run it?", f"{RESET} Run it?"]


def test_a_yes_for_the_session_gives_the_network_to_that_block_alone(session):
    one, other = (f"```bash\ngem install rake || {rest}\n```" for rest in ("true", "curl example.test"))
    it = session(one, other, "Done.", answers=[SESSION, NO])
    assert asked(it.play()) == [FETCH, FETCH]


def environment(it):
    """An environment of Python as an install of the session's past has left it."""
    packages = it.folder / ".venv/lib/python3.9/site-packages"
    (packages / "pip").mkdir(parents=True)
    (packages / "pip/__main__.py").write_text("main()\n")
    (it.folder / ".venv/bin").mkdir()
    (it.folder / ".venv/bin/python").symlink_to("/usr/bin/python3")
    return it


@pytest.mark.parametrize(
    "line",
    [
        "python -m pytest -q",
        "./run.sh",
        "python3 -u app.py",
        "make test",
        "sh run.sh -v",
        "uv run app.py",
        "go test ./...",
    ],
)
def test_a_question_for_network_names_what_runs_of_the_folder(session, line):
    it = session(f"```bash\n{line}; {UNRESOLVED}\n```", "Then not.", answers=[NO])
    (it.folder / "run.sh").write_text("true\n")
    (it.folder / "app.py").write_text("\n")
    own = f"It runs code from this folder ({line}), in the sandbox with network via the proxy."
    assert asked(it.play()) == [f"This block needs network. {own} Allow it once?"]


@pytest.mark.parametrize(("line", "own"), [("pip install -e .", True), ("pip install ./x.whl", False)])
def test_a_question_for_an_install_says_that_the_folder_itself_is_built(session, line, own):
    it = session(f"```bash\n{line}\n```", "Then not.", answers=[NO])
    (question,) = asked(it.play())
    assert (f"It runs code from this folder ({line})" in question) is own


def test_an_install_of_what_a_project_file_names_says_so(session):
    it = session("```bash\nnpm install\n```", "Then not.", answers=[NO])
    (question,) = asked(it.play())
    assert (
        question.startswith("Install the packages of package.json into node_modules in")
        and "it." not in question
    )


@pytest.mark.parametrize("line", ["cat app.py", "python3 -c 1", "python3 /usr/lib/app.py"])
def test_a_block_that_runs_nothing_of_the_folder_is_asked_for_as_ever(session, line):
    it = session(f"```bash\n{line}; {UNRESOLVED}\n```", "Then not.", answers=[NO])
    (it.folder / "app.py").write_text("\n")
    assert asked(it.play()) == ["This block needs network. Allow it once?"]


@pytest.mark.parametrize(
    "change",
    [
        "ln -sf /bin/true .venv/bin/python",
        "printf x > .venv/bin/activate",
        "echo 'import os' > .venv/lib/python3.9/site-packages/a.pth",
        "cd .venv/lib/*/*/pip; touch -r __main__.py t; echo 'evil()' > __main__.py; touch -r t __main__.py",
        "printf '[global]\\nindex-url = http://example.test/' > .venv/pip.conf",
        "cd .venv/lib/*/site-packages; mkdir _distutils_hack; echo 'evil()' > _distutils_hack/__init__.py",
        "mv .venv old; cp -R old .venv",
        "mv .venv old; ln -s old .venv",
    ],
)
def test_an_install_by_a_python_that_a_block_has_changed_is_told_in_the_question(session, change):
    install = "```bash\npip install six\n```"
    it = environment(session(install, f"```bash\n{change}\n```", install, "Then.", answers=[NO, NO]))
    before, after = asked(it.play())
    assert (CHANGED in before, after) == (False, f"{before} {CHANGED}")


@pytest.mark.parametrize("change", ["echo 'echo evil' > new; chmod +x new; mv new .venv/bin/python", "true"])
def test_an_install_is_run_by_the_interpreter_that_was_seen_before_the_blocks(session, change):
    it = session(f"```bash\n{change}\n```", "```bash\npip install six\n```", "Then.", answers=[YES])
    made = [sys.executable, "-m", "venv", "--without-pip", str(it.folder / ".venv")]
    subprocess.run(made, check=True)
    (pip,) = it.folder.glob(".venv/lib/python*/site-packages")
    (pip / "pip.py").write_text("import sys; print('pip of', sys.prefix)\n")
    assert results(it.play())[-1].text == f"pip of {it.folder}/.venv"


def test_what_a_linked_environment_holds_is_looked_at_where_it_lies_in_the_folder(session):
    install, change = "```bash\npip install six\n```", "```bash\nln -sf /bin/true .venv/bin/python\n```"
    it = environment(session(install, change, install, "Then.", answers=[NO, NO]))
    (it.folder / "envs").mkdir()
    (it.folder / ".venv").rename(it.folder / "envs/real")
    (it.folder / ".venv").symlink_to("envs/real")
    before, after = asked(it.play())
    assert (CHANGED in before, after) == (False, f"{before} {CHANGED}")


def test_the_network_for_the_session_is_not_for_a_python_that_was_changed_since(session):
    lacks = f'```bash\n[ -n "$https_proxy" ] || {{ {UNRESOLVED}; }}\n```'
    runs = "```bash\n.venv/bin/python -c 'print(1)'\n```"
    change = "```bash\nln -sf /bin/true .venv/bin/python\n```"
    it = environment(session(lacks, runs, change, runs, lacks, "Then.", answers=[SESSION, NO]))
    events = it.play()
    assert asked(events)[1:] == [f"This block can use the network. {CHANGED} Run it?"]
    assert [result.outcome for result in results(events)] == ["ok", "ok", "ok", "denied", "ok"]


def test_an_environment_of_any_name_in_the_folder_is_known_by_its_settings(session):
    runs, change = (
        text.replace(".venv", "py39") for text in (RUNS, "```bash\nln -sf /bin/true .venv/bin/python\n```")
    )
    it = environment(session(runs, change, runs, "Then.", answers=[NO], **NET))
    (it.folder / ".venv/pyvenv.cfg").touch()
    (it.folder / ".venv").rename(it.folder / "py39")
    assert asked(it.play()) == [f"This block can use the network. {CHANGED.replace('.venv', 'py39')} Run it?"]


@pytest.fixture
def far(monkeypatch):
    """A proxy between this computer and the world, which answers for all that lies there."""
    with site("127.0.0.1") as server:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server_port}")
        yield server


def test_where_all_blocks_have_the_network_a_python_that_was_changed_is_asked_for(session):
    change = "```bash\nln -sf /bin/true .venv/bin/python\n```"
    it = environment(session(RUNS, change, RUNS, "Then.", answers=[NO], **NET))
    events = it.play()
    assert asked(events) == [f"This block can use the network. {CHANGED} Run it?"]
    assert [result.outcome for result in results(events)] == ["ok", "ok", "denied"]


FAR = "```bash\ncurl -sSf --max-time 20 http://8.8.8.8:8080/ > got\n```"
PORT = "This block needs the network at 8.8.8.8:8080. Allow it once?"


@pytest.mark.parametrize(
    ("answers", "outcomes", "questions"),
    [
        ([YES, NO], ["ok", "denied"], [PORT, PORT]),
        ([SESSION], ["ok", "ok"], [PORT]),
        ([NO, NO], ["denied", "denied"], [PORT, PORT]),
    ],
)
def test_another_port_of_a_public_host_is_asked_for(session, far, answers, outcomes, questions):
    it = session(FAR, FAR, "Done.", answers=answers, **NET)
    events = it.play()
    assert asked(events) == questions
    assert [result.outcome for result in results(events)] == outcomes
    assert len(far.heads) == outcomes.count("ok")


def test_a_port_that_is_opened_for_one_host_is_closed_for_others(session, far):
    both = FAR.replace("> got", "> got; curl -sSf http://1.1.1.1:8080/")
    it = session(FAR, both, "Done.", answers=[SESSION, NO], **NET)
    assert asked(it.play()) == [PORT, PORT.replace("8.8.8.8", "1.1.1.1")]


def test_without_a_person_another_port_is_refused_with_the_setting(session, far):
    it = session(FAR.replace("-sSf", "-sS --fail-with-body").replace(" > got", ""), "Sorry.", **NET)
    result = results(it.play())[0]
    assert (result.outcome, result.exit) == ("failed", 22)
    assert "the person can open others with [sandbox] ports" in result.text
    assert far.heads == []


def test_many_risks_are_counted_in_a_question(session):
    lines = "\n".join(f"git branch -D b{n}; git tag -d t{n}; git stash clear; git rebase x" for n in range(3))
    it = session(f"```bash\n{lines}\n```", "Then not.", answers=[NO])
    (question,) = asked(it.play())
    assert question.endswith("And 1 more of this kind. Run it?")


def test_a_grant_whose_path_has_become_a_link_is_none(session, outside):
    (outside / "a").write_text("")
    writes = f"```bash\necho x >> {outside}/a\n```"
    it = session(writes, "Now.", answers=[SESSION])
    it.play()
    (outside / "a").unlink()
    (outside / "a").symlink_to("/etc/hostname")
    it.model.replies += session(writes, "Then not.").model.replies
    (result,) = results(it.play())
    assert result.outcome == "failed"
    assert result.text.endswith(
        (f"{outside}/a: No such file or directory", f"{outside}/a: Read-only file system")
    )
    assert (outside / "a").is_symlink()


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ("git push origin 'main; rm -rf ~'", "Push it yourself: git push origin 'main; rm -rf ~'"),
        ("git push $'origin\\n[y/n] '", "Push it yourself: git push 'origin [y/n] '"),
        ("apt-get install 'jq; rm -rf ~'", "You can: sudo apt-get install 'jq; rm -rf ~'"),
    ],
)
def test_what_the_person_is_told_to_type_is_quoted_and_one_line(session, block, told):
    it = repository(session(f"```bash\n{block}\n```", "Then you."))
    assert last(it.play(), Notice).text.endswith(told)


@pytest.mark.parametrize(
    "script",
    [
        "exit 0\ngit commit -am x",
        "[ -e a ] || exit\ngit commit -am x",
        "if true; then exit $n; fi; git commit -am x",
        "exec true\ngit commit -am x",
        "pushd sub; git commit -am x",
        "GIT_AUTHOR_NAME=Eve git commit -am x",
        "env GIT_DIR=/x git commit -am x",
        'M=a; [ -e b ] && M=b\ngit commit -am "$M"',
        'M=a; if x; then M=b; fi\ngit commit -am "$M"',
        'M=a; read M < b\ngit commit -am "$M"',
        'M=a; M+=b\ngit commit -am "$M"',
        'M=a make\ngit commit -am "$M"',
    ],
)
def test_lines_that_would_mean_something_else_alone_are_not_parted(project, script):
    assert split_script(script, project).commits == ()


@pytest.mark.parametrize(
    "script", ["[ -e a ] || exit 1\ngit commit -am x", "(cd sub && make)\ngit commit -am x"]
)
def test_a_commit_after_what_ends_badly_or_in_a_subshell_is_parted(project, script):
    assert split_script(script, project).commits == (("commit", "-am", "x"),)


@pytest.mark.parametrize(
    "line", ["PIP_INDEX_URL=http://x pip install six", "npm_config_registry=http://x npm i a"]
)
def test_an_install_with_a_variable_of_its_own_is_sent_back(project, line):
    assert split_script(line, project).problem.startswith("not run: ")


def test_a_file_is_no_package(project):
    assert split_script("pip install six.whl", project).installs == ()


def test_what_looks_between_the_commits_comes_after_them(project):
    parts = split_script(
        "touch a\ngit add a\ngit status --short\necho added\ngit commit -m x\ngit log", project
    )
    assert (parts.rest, parts.looks) == ("touch a", "git status --short\necho added\ngit log")
    assert parts.commits == (("add", "a"), ("commit", "-m", "x"))


@pytest.mark.parametrize("between", ["echo x > b", "make", "echo $(touch b)"])
def test_a_commit_after_lines_that_cannot_wait_is_sent_back(project, between):
    parts = split_script(f"git add a\n{between}\ngit add b\ngit commit -m x", project)
    assert parts.problem.startswith("not run: send git add and git commit as plain last lines")


def test_a_commit_without_a_name_is_for_the_person_to_mend(session, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    it = session(
        "```bash\ngit init -q .\ntouch a\ngit add a && git commit -m first\n```", "Oh.", answers=[YES]
    )
    events = it.play()
    assert results(events)[0].outcome == "forbidden"
    assert "git config --global user.name" in last(events, Notice).text


@pytest.mark.parametrize(
    "line",
    [
        "curl -s https://example.test",
        "wget -q https://example.test",
        "curl -sS https://example.test | head -c 9",
    ],
)
def test_a_program_that_says_nothing_of_a_missing_network_is_understood(session, line):
    it = session(f"```bash\n{line}\n```", "Then not.", answers=[NO])
    assert asked(it.play()) == ["This block needs network. Allow it once?"]


def test_a_swallowed_failure_is_left_as_it_is_where_nobody_is_there(session):
    it = session("```bash\ncurl -sS https://example.test | head -c 9\n```", "I cannot.")
    assert results(it.play())[0].verdict == "ok"


def test_a_commit_is_asked_for_as_it_will_run(session):
    block = "```bash\ntouch a; M='all of it'\ngit add a; git commit -m \"$M\"\n```"
    it = repository(session(block, "Done.", answers=[YES]))
    assert asked(it.play()) == ["git add a && git commit -m 'all of it'?"]
    assert log(it) == "Ann all of it\n"


def test_the_model_is_told_of_a_commit_that_did_not_run(session):
    it = repository(session("```bash\nls missing\ngit add -A && git commit -m x\n```", "Oh.", answers=[YES]))
    assert "not run, since what comes before it did not succeed: git add -A" in results(it.play())[0].text


@pytest.mark.parametrize(
    "mine", ["touch made && git commit -am b", "git commit -am b && git push", "pip install six"]
)
def test_of_the_person_s_own_lines_none_is_left_out_in_silence(session, mine):
    it = repository(session("```bash\ntouch a\ngit add a\n```", "Hm.", answers=[Answer("e", mine)]))
    (result,) = results(it.play())
    assert result.verdict == "refused by the person: his own lines could not be read"


def test_a_commit_that_the_person_wrote_into_a_block_is_done_unasked(session):
    mine = Answer("e", "touch a\ngit add a\ngit commit -m mine")
    it = sources(repository(session(DELETES, "Good.", answers=[mine])))
    (result,) = results(it.play())
    assert result.text.startswith(f"The person ran this instead:\n{mine.text}\n")
    assert log(it) == "Ann mine\n"


@pytest.mark.parametrize(
    "block",
    [
        "```bash\necho x >> ~/notes.txt\n```",
        '```bash\nmkdir -p "$HOME/notes.txt" && cd ~/notes.txt\n```',
        "```python\nimport os\nopen(os.path.expanduser('~/notes.txt'), 'w').write('x')\n```",
        "```python\nfrom pathlib import Path\n(Path.home() / 'notes.txt').write_text('x')\n```",
    ],
)
def test_what_a_block_left_in_its_own_home_is_told_to_both(session, block):
    it = session(block, "It is not there.", answers=[NO])
    events = it.play()
    assert asked(events) == ["This block needs to write ~/notes.txt. Allow it once?"]
    assert not results(events)[0].ok
    assert "~/notes.txt is in the sandbox's home folder" in last(events, Notice).text


def test_with_nobody_to_ask_it_has_failed_and_the_model_reads_why(session):
    it = session("```bash\necho x > ~/notes.txt\n```", "It is not there.")
    (result,) = results(it.play())
    assert not result.ok and "to write ~/notes.txt needs the person's yes" in result.verdict


@pytest.mark.parametrize(
    "case",
    [
        ("```write:{}/poem.txt\nO sea\n```", None, "write", "O sea\n"),
        ("```save:{}/poem.txt\nO sea\n```", "old\n", "replace", "O sea\n"),
        ("```append:{}/poem.txt\nO sea\n```", "old\n", "write", "old\nO sea\n"),
        ("```text:{}/poem.txt\nO sea\n```", None, "write", "O sea\n"),
    ],
)
def test_a_file_for_another_folder_is_one_question_that_names_the_place(session, outside, case):
    block, before, what, after = case
    place = outside / "poem.txt"
    if before:
        place.write_text(before)
    for named, answer, content in ((outside, NO, before), (f"~/{outside.name}", YES, after)):
        it = session(block.format(named), "Done.", answers=[answer])
        events = it.play("save a poem on my Desktop")
        assert asked(events) == [f"This block needs to {what} ~/{outside.name}/poem.txt. Allow it once?"]
        assert (place.read_text() if place.exists() else None) == content
    assert results(events)[0].verdict == f"ok, saved ~/{outside.name}/poem.txt"
    assert str(last(events, Answered).receipt).startswith(f"saved ~/{outside.name}/poem.txt")


def test_a_file_that_a_stopped_block_leaves_empty_is_removed(session, outside):
    it, new = (
        session(f"```bash\n: >> {outside}/new && echo begun && sleep 600\n```", answers=[YES]),
        outside / "new",
    )
    turn = it.loop.run_turn(it.prompts.agents["coder"], "do it")
    event = next(turn)
    while not (isinstance(event, Output) and "begun" in event.text):
        event = turn.send(YES if isinstance(event, Ask) else None)
    assert new.read_text() == ""
    list(chain([turn.throw(KeyboardInterrupt)], turn))
    assert not new.exists()


@pytest.mark.parametrize(
    "block", ["```read:{}/a\n```", "```edit:{}/a\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```"]
)
def test_what_saves_nothing_is_not_asked_for(session, outside, block):
    (outside / "a").write_text("x\n")
    it = session(block.format(outside), "I cannot.", answers=[NO])
    assert asked(it.play()) == []


@pytest.mark.parametrize("path", ["~/.bashrc", "~/.ssh/config", "/etc/motd", "~/missing/poem.txt"])
def test_a_file_is_not_offered_where_keys_settings_and_the_system_lie(session, path):
    it = session(f"```write:{path}\nx\n```", "I cannot.", answers=[NO])
    assert asked(it.play()) == []


@pytest.mark.parametrize(
    "block", ["echo x > notes.txt", "mkdir -p ~/.cache; echo x > ~/.cache/a", "echo ~/a", "cat ~/a || true"]
)
def test_nothing_is_told_of_a_home_where_nothing_was_left(session, block):
    it = session(f"```bash\n{block}\n```", "Done.", answers=[NO])
    assert not any(isinstance(event, Notice) for event in it.play())


def test_a_link_in_the_home_of_blocks_is_not_followed(session, outside):
    (outside / "a").write_text("")
    block = f"```bash\nln -s {outside} ~/out; echo x > ~/out/a || true\n```"
    it = session(block, "Done.", answers=[NO])
    assert asked(it.play()) == ["This block needs to write ~/out. Allow it once?"]


READ = [
    "cat {}",
    "grep x {}",
    "cat < {}",
    "python3 -c \"print(open('{}').read())\"",
    "cp {} here.txt",
    "python3 -c \"open('{}').read(); open('out', 'w')\"",
    "python3 -c \"\nopen('out', 'w')\nopen('{}').read()\n\"",
    "source {}",
    "cat {} > here.txt",
    "cat < {} > here.txt",
    "{} --version",
    "cat {}.missing",
]
WRITTEN = [
    "echo x >> {}",
    "python3 -c \"open('{}', 'a').write('x')\"",
    "python3 -c \"open('{}.new', mode='w')\"",
    "cp /etc/hostname {}",
    "touch {}.new",
    "echo x | tee {}",
    "F={}; echo x >> $F",
]


@pytest.mark.parametrize("line", READ)
def test_nobody_is_asked_to_let_write_what_a_block_only_reads(session, outside, line):
    (outside / "data").write_text("x")
    it = session(f"```bash\n{line.format(outside / 'data')}\n```", "I cannot.", answers=[NO])
    assert asked(it.play()) == []


@pytest.mark.parametrize("line", WRITTEN)
def test_what_a_block_writes_outside_is_asked_for(session, outside, line):
    (outside / "data").write_text("x")
    it = session(f"```bash\n{line.format(outside / 'data')}\n```", "I cannot.", answers=[NO])
    (question,) = asked(it.play())
    assert question.startswith(f"This block needs to write ~/{outside.name}/data")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("'/src. Go on?'", "“/src. Go on?”"),
        ("$'/x\\n[y/n]'", "“/x [y/n]”"),
        ("/" + "x" * 99, "/" + "x" * 59 + "…"),
        ("~/a-b", "~/a-b"),
    ],
)
def test_a_name_in_a_question_cannot_be_taken_for_the_question(session, name, shown):
    it = session(f"```bash\nrm -rf {name}\n```", "Then not.", answers=[NO])
    (question,) = asked(it.play())
    assert " ".join(question.split()) == f"This deletes {shown}, which is not in this folder. Run it?"


@pytest.mark.parametrize(
    "line",
    [
        "python3 -c \"import shutil; shutil.rmtree('src')\"",
        "node -e \"require('fs').rmSync('src', {recursive: true})\"",
        "python3 - <<'END'\nimport shutil\nshutil.rmtree('src')\nEND",
    ],
)
def test_a_program_within_a_line_is_looked_at_as_one_of_its_own(session, line):
    it = sources(session(f"```bash\n{line}\n```", "Then not.", answers=[NO]))
    assert asked(it.play()) == [f"{DELETE} Run it?"]

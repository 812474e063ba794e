"""What is asked before and after a block, and what a yes and a no mean: in a real box."""

import os
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.playing import kinds, last
from tests.writing import words

from tripletick.errors import UserNeededError
from tripletick.events import Answered, Ask, GaveUp, Notice, Repairing, Returned
from tripletick.messages import Answer, Result
from tripletick.paths import Workspace
from tripletick.permission import AskPolicy, PermissionGate, installs, needs
from tripletick.permission.risky import load_table
from tripletick.permission.script_parts import split_script
from tripletick.permission.shell_commands import resolve_commands
from tripletick.sandbox.box import NOTHING, Grant

YES, NO, SESSION = Answer("y"), Answer("n"), Answer("s")
DELETES = "```bash\nrm -rf src\n```"
LACKS = """```bash
echo x >> tries
[ -n "$https_proxy" ] || { echo "curl: (6) Could not resolve host: example.test" >&2; exit 6; }
echo reached; cat tries
```"""
NONE = {"sandbox": {"tier": "none"}}
ALWAYS = {"sandbox": {"ask": "always"}}


def asked(events):
    return [event.question for event in events if isinstance(event, Ask)]


def results(events):
    return [event.result for event in events if isinstance(event, Returned)]


def sources(it, count=20):
    (it.folder / "src").mkdir()
    for number in range(count):
        (it.folder / "src" / f"{number}.py").write_text("")
    return it


def repository(it):
    git = "git init -q . && git config user.name Ann && git config user.email ann@example.test"
    subprocess.run(git, shell=True, cwd=it.folder, check=True)
    return it


def say(it, asking):
    it.loop = replace(it.loop, gate=PermissionGate(asking))


def log(it):
    words = ["git", "log", "--format=%an %s"]
    return subprocess.run(words, cwd=it.folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def outside():
    """A folder in the home of who runs this, beside every workspace."""
    with tempfile.TemporaryDirectory(prefix="tt-outside-", dir=Path.home()) as folder:
        yield Path(folder)


def test_a_risky_block_runs_after_a_yes(session):
    it = sources(session(DELETES, "Done.", answers=[YES]))
    assert asked(it.play()) == ["This deletes src (20 files). Run it?"]
    assert not (it.folder / "src").exists()


def test_a_no_is_told_to_the_model_with_the_persons_words_and_is_no_failure(session):
    it = sources(session(DELETES, "Then not.", answers=[Answer("n", "move it to old")]))
    events = it.play()
    assert words(it.model.asked[-1][-1]) == "[result 1: bash refused by the person: move it to old]"
    assert (it.folder / "src").exists()
    assert "Repairing" not in kinds(events)


def test_for_this_session_is_for_this_kind_of_question(session):
    reset = "```bash\ngit reset --hard\n```"
    it = sources(
        session(
            DELETES,
            "```bash\nmkdir src\ntouch src/{1..30}\n```",
            DELETES,
            reset,
            "Done.",
            answers=[SESSION, NO],
        )
    )
    assert asked(it.play())[1:] == ["This discards uncommitted changes, and may lose commits. Run it?"]
    assert not (it.folder / "src").exists()


def test_what_the_person_made_of_a_block_runs_instead_and_the_model_is_told(session):
    it = sources(session(DELETES, "Good.", answers=[Answer("e", "ls src | wc -l")]))
    it.play()
    assert "The person ran this instead:\nls src | wc -l\n20" in it.model.asked[-1][-1].text
    assert (it.folder / "src").exists()


def test_without_a_person_a_no_is_told_once_and_the_second_ends_the_turn(session):
    it = sources(session(DELETES, "```bash\nrm -r src\n```"))
    events = it.play()
    assert [result.outcome for result in results(events)] == ["forbidden", "forbidden"]
    assert (events[-1].code, events[-1].exit) == ("refused", 3)
    assert asked(events) == []


def test_after_a_yes_on_the_command_line_risky_blocks_run_and_installs_do_not(session):
    it = sources(session(DELETES, "```bash\ngem install rake\n```", "```bash\npip install six\n```", "Done."))
    say(it, AskPolicy(yes=True))
    assert [result.outcome for result in results(it.play())] == ["ok", "forbidden", "forbidden"]


def test_where_the_person_lets_no_block_run_each_is_forbidden(session):
    it = session("```bash\ntouch made\n```", "I cannot.", answers=[YES])
    say(it, AskPolicy(allowed=False, person=True))
    assert [result.outcome for result in results(it.play())] == ["forbidden"]
    assert not (it.folder / "made").exists()


def test_every_block_is_asked_for_where_the_person_wants_that(session):
    it = session("```bash\necho a\n```", "```text:a.txt\na\n```", "Done.", answers=[YES, NO], **ALWAYS)
    assert asked(it.play()) == ["Run this bash block?", "Run this write a.txt block?"]
    assert not (it.folder / "a.txt").exists()


def test_without_a_box_a_yes_for_the_session_ends_when_a_named_file_changes(session):
    runs, writes = "```bash\ncat a\n```", "```bash\necho 1 > a\n```"
    it = session(runs, runs, writes, runs, "Done.", answers=[SESSION, YES, YES], **NONE)
    (it.folder / "a").write_text("0")
    questions = asked(it.play())
    assert questions == ["NO SANDBOX. Run this bash block on this computer?"] * 3


def test_without_a_box_a_risky_block_is_named_in_the_question(session):
    it = sources(session(DELETES, "Done.", answers=[NO], **NONE))
    assert asked(it.play()) == [
        "NO SANDBOX. This deletes src (20 files). Run this bash block on this computer?"
    ]


def test_without_a_box_and_a_person_nothing_runs_whatever_was_said_before(session):
    it = session("```bash\ntouch made\n```", **NONE)
    say(it, AskPolicy(yes=True))
    with pytest.raises(UserNeededError):
        it.play()


def test_what_a_block_lacked_is_given_after_a_yes_and_it_runs_again_from_where_it_began(session):
    it = session(LACKS, "Done.", answers=[YES])
    events = it.play()
    assert asked(events) == ["This block needs network. Allow it once?"]
    assert words(it.model.asked[-1][-1]) == "[result 1: bash ok]\n```output\nreached\nx\n```"
    assert events[-1] == Answered("Done.")


def test_the_network_for_the_session_is_there_from_the_start_of_the_next_block(session):
    counts = LACKS.replace("tries", "/tmp/tries")
    it = session(counts, counts.replace("reached", "again"), "Done.", answers=[SESSION])
    assert [result.text for result in results(it.play())] == ["reached\nx", "again\nx\nx"]


def test_with_network_from_the_start_nobody_is_asked_for_it(session):
    it = session(LACKS, "Done.", answers=[NO], sandbox={"mode": "net"})
    assert asked(it.play()) == []


def test_the_network_for_once_is_for_one_block(session):
    it = session(LACKS, LACKS.replace("tries", "more"), "Done.", answers=[YES, NO])
    events = it.play()
    assert len(asked(events)) == 2
    assert results(events)[-1] == Result("denied", "needs network: refused by the person")


def test_a_missing_network_is_no_failure_where_nobody_can_give_it(session):
    it = session(LACKS, LACKS, answers=[])
    events = it.play()
    assert not any(isinstance(event, Repairing) for event in events)
    assert last(events, GaveUp).exit == 3


HIDES = "```bash\necho notes.txt > .tripletickignore\n```"
READS = "```bash\ncat notes.txt\n```"


@pytest.mark.parametrize("answers", [[YES], [NO], []])
def test_an_ignore_file_that_a_block_makes_holds_only_after_a_yes(session, answers):
    it = session(HIDES, READS, "Done.", answers=answers)
    (it.folder / "notes.txt").write_text("mine\n")
    yes = answers == [YES]
    question = "This block needs to write .tripletickignore. Allow it once?"
    events = it.play()
    assert asked(events) == ([question] if answers else [])
    assert (it.folder / ".tripletickignore").exists() is yes
    assert results(events)[-1].text == ("" if yes else "mine")


def test_a_file_outside_may_be_written_after_a_yes_and_no_other(session, outside):
    (outside / "a.txt").write_text("old\n")
    body = f"```bash\ntouch {outside}/b.txt 2>&-; echo new >> {outside}/a.txt\n```"
    it = session(body, "Done.", answers=[YES])
    assert asked(it.play()) == [f"This block needs to write ~/{outside.name}/a.txt. Allow it once?"]
    assert (outside / "a.txt").read_text() == "old\nnew\n"
    assert not (outside / "b.txt").exists()


def test_a_new_file_outside_is_made_after_a_yes_and_goes_where_nothing_was_written(session, outside):
    writes = f"```python\nopen('{outside}/b.txt', 'w').write('new')\n```"
    fails = f"```python\nopen('{outside}/c.txt', 'a')\n```"
    it = session(writes, fails, "Done.", answers=[YES, YES])
    it.play()
    assert [path.name for path in outside.iterdir()] == ["b.txt"]


def test_a_commit_is_asked_for_and_only_its_lines_may_write_the_repository(session):
    block = "```bash\necho a > a.txt\ngit add -A && git commit -m 'one file'\ngit log --oneline\n```"
    it = repository(session(block, "Done.", answers=[YES]))
    assert asked(it.play()) == ["git add -A && git commit -m 'one file'?"]
    assert log(it) == "Ann one file\n"


def test_a_commit_runs_no_hook_and_follows_no_setting(session):
    it = repository(session("```bash\ntouch a\ngit add a\ngit commit -qm a\n```", "Done.", answers=[YES]))
    (it.folder / ".git/hooks/pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (it.folder / ".git/hooks/pre-commit").chmod(0o755)
    subprocess.run(["git", "config", "commit.gpgsign", "true"], cwd=it.folder, check=True)
    assert [result.outcome for result in results(it.play())] == ["ok"]


def test_the_author_is_the_persons_where_the_repository_names_none(session, outside, monkeypatch):
    (outside / ".gitconfig").write_text("[user]\n\tname = Person\n\temail = p@example.test\n")
    monkeypatch.setenv("HOME", str(outside))
    it = session(
        "```bash\ngit init -q .\ntouch a\ngit add a && git commit -m first\n```", "Done.", answers=[YES]
    )
    assert [result.outcome for result in results(it.play())] == ["ok"]
    assert log(it) == "Person first\n"


def test_a_commit_that_is_refused_leaves_what_came_before_it(session):
    it = repository(session("```bash\necho a > a.txt\ngit add a.txt\n```", "Then not.", answers=[NO]))
    assert results(it.play())[-1].outcome == "denied"
    assert (it.folder / "a.txt").exists()
    assert not (it.folder / ".git/index").exists()


def test_lines_of_the_persons_own_are_committed_instead(session):
    mine = Answer("e", "git add a && git commit -m better")
    it = repository(
        session("```bash\ntouch a\ngit add a && git commit -m worse\n```", "Done.", answers=[mine])
    )
    assert "The person ran this instead:\ngit add a && git commit -m better" in results(it.play())[0].text
    assert log(it) == "Ann better\n"


def test_pushing_is_left_to_the_person(session):
    it = repository(session("```bash\ngit push origin main\n```", "You push.", answers=[YES]))
    events = it.play()
    assert Notice("Push it yourself: git push origin main") in events
    assert results(events)[0].outcome == "forbidden"


def test_system_packages_are_named_to_the_person_and_nobody_is_asked(session):
    it = session("```bash\nsudo apt-get install -y jq\n```", "You do it.", answers=[YES])
    events = it.play()
    assert Notice("A block cannot install system packages. You can: sudo apt-get install -y jq") in events
    assert asked(events) == []


def test_an_install_that_is_refused_runs_nothing_of_its_block(session):
    it = session("```bash\npip install six==1.16.0 && touch made\n```", "Then not.", answers=[NO])
    question = "Install six 1.16.0 into .venv in the sandbox with network via the proxy?"
    assert asked(it.play()) == [f"{question} No project file lists it."]
    assert not (it.folder / "made").exists()
    assert not (it.folder / ".venv").exists()


def test_an_install_into_a_link_is_refused(session, outside):
    it = session("```bash\npip install six\n```", "Then not.", answers=[YES])
    (it.folder / ".venv").symlink_to(outside)
    assert results(it.play())[0].outcome == "forbidden"
    assert list(outside.iterdir()) == []


PARTS = [
    ("pip install six && python m.py", (["six"], "python m.py", ())),
    ("set -e\npython3 -m pip install -U six\npython m.py", (["six"], "set -e\npython m.py", ())),
    ("pip install -r requirements.txt", (["requests>=2", "idna"], "", ())),
    ("npm i -D left-pad @types/node@18", (["left-pad", "@types/node@18"], "", ())),
    ("make && git add . && git commit -m x", ([], "make", (("add", "."), ("commit", "-m", "x")))),
    (
        "git init\ngit add -A\ngit commit -qam x;git status",
        ([], "git init", (("add", "-A"), ("commit", "-qam", "x"))),
    ),
    ("cat <<'EOF' > a\ngit commit -m x\nEOF\nls", ([], None, ())),
    ("cd sub && git add . && git commit -m x", ([], None, ())),
    ("git commit", ([], None, ())),
    ("git stash push", ([], None, ())),
    ("git commit -m push", ([], "", (("commit", "-m", "push"),))),
    ("git commit -m x || true", ([], None, ())),
    ("git commit -F secret -m x", ([], None, ())),
    ('git commit -m "$(cat /etc/passwd)"', ([], None, ())),
    ("pip install -e .", ([], None, ())),
    ("pip install git+https://example.test/x", ([], None, ())),
    ("pip install --index-url http://x six", ([], None, ())),
    ("pip install ./six.whl", ([], None, ())),
    ("npm install -g left-pad", ([], None, ())),
    ("npm install ../other", ([], None, ())),
]


@pytest.fixture
def project(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "requirements.txt").write_text("requests>=2  # http\n\nidna\n")
    (tmp_path / "package.json").write_text('{"devDependencies": {"left-pad": "1"}}')
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["Rich_Lib[x]>=1", "idna"]\n')
    return Workspace(tmp_path)


@pytest.mark.parametrize(("script", "expected"), PARTS)
def test_a_block_is_parted_where_it_is_plain_and_stays_whole_elsewhere(project, script, expected):
    parts = split_script(script, project)
    packages, rest, lines = expected
    assert [name for one in parts.installs for name in one.packages] == packages
    assert parts.commits == lines
    assert parts.rest == (script if rest is None else rest)


@pytest.mark.parametrize(
    "script",
    [
        "ls\npip install six",
        "pip install six | tail -1",
        "if true; then pip install six; fi",
        "git push || true",
    ],
)
def test_an_install_or_a_push_inside_a_script_is_sent_back(project, script):
    assert split_script(script, project).problem.startswith("not run: ")


def test_a_message_may_stand_in_a_here_document(project):
    script = 'git commit -m "$(cat <<\'EOF\'\nTitle\n\nIt\'s "good"; rm -rf x\nEOF\n)"'
    assert split_script(script, project).commits == (("commit", "-m", 'Title\n\nIt\'s "good"; rm -rf x'),)


@pytest.mark.parametrize(
    ("names", "file"),
    [
        (["rich-lib"], "pyproject.toml"),
        (["Requests"], "requirements.txt"),
        (["left-pad"], "package.json"),
        (["x"], ""),
    ],
)
def test_a_project_file_that_names_a_package_is_found(project, names, file):
    assert installs.find_naming_file(project, names) == file


def test_an_install_takes_built_packages_and_runs_no_scripts(project):
    lines = ("pip install six", "npm install left-pad")
    pip, npm = (
        installs.parse_install(next(resolve_commands(line, load_table().wraps)), project) for line in lines
    )
    assert pip and npm
    assert pip.build_install_command()[:4] == [".venv/bin/python", "-I", "-m", "pip"]
    assert "--only-binary" in pip.build_install_command()
    assert "--ignore-scripts" in npm.build_install_command()
    assert "--only-binary" not in pip.build_install_command(building=True)


NETWORK = [
    "curl: (6) Could not resolve host: example.com",
    "wget: unable to resolve host address 'example.com'",
    "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
    "ssh: Could not resolve hostname github.com: Temporary failure in name resolution",
    "socket.gaierror: [Errno -3] Temporary failure in name resolution",
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='x'): (Caused by NameResolutionError(x))",
    "npm error code EAI_AGAIN",
    "Error: getaddrinfo ENOTFOUND example.com",
    'Get "https://proxy.golang.org/x": dial tcp: lookup proxy.golang.org on 127.0.0.1:53: connection refused',
    "  failed to lookup address information: Temporary failure in name resolution",
    "java.net.UnknownHostException: example.com",
    "OSError: [Errno 101] Network is unreachable",
    "urllib.error.URLError: <urlopen error [Errno -2] Name or service not known>",
]
OWN = [
    "AssertionError: Could not resolve host",
    "ConnectionRefusedError: [Errno 111] Connection refused",
    "curl: (7) Failed to connect to localhost port 8000: Connection refused",
    "ModuleNotFoundError: No module named 'requests'",
    "cat: missing.txt: No such file or directory",
    "bash: /usr/share/x: Read-only file system",
    "bash: /etc/passwd: Permission denied",
    "touch: cannot touch '/root/.ssh/x': Read-only file system",
    "make: *** [Makefile:2: all] Error 1",
    "fatal: Unable to create '/w/.git/index.lock': Read-only file system",
]


def failed(text):
    return Result("failed", "failed, exit 1", text, exit=1)


@pytest.mark.parametrize("line", NETWORK)
def test_a_block_that_lacked_the_network_says_so_in_its_last_lines(tmp_path, line):
    need = needs.find_need(failed(f"begins\n{line}\nmore\n"), tmp_path, NOTHING)
    assert need
    assert need.id == "network"
    assert needs.find_need(failed(line), tmp_path, Grant(network=True)) is None


@pytest.mark.parametrize("line", OWN)
def test_a_block_that_failed_for_its_own_reasons_lacked_nothing(tmp_path, line):
    assert needs.find_need(failed(line), tmp_path, NOTHING) is None


def test_only_the_last_lines_count(tmp_path):
    text = "\n".join([NETWORK[0], *map(str, range(20))])
    assert needs.find_need(failed(text), tmp_path, NOTHING) is None


@pytest.mark.parametrize(
    "line",
    [
        "bash: line 1: {}: Read-only file system",
        "touch: cannot touch '{}': Read-only file system",
        "cp: cannot create regular file '{}': No such file or directory",
        "OSError: [Errno 30] Read-only file system: '{}'",
        "Error: EROFS: read-only file system, open '{}'",
        "PermissionError: [Errno 13] Permission denied: '{}'",
    ],
)
def test_a_file_outside_that_could_not_be_written_is_named(tmp_path, outside, line):
    need = needs.find_need(failed(line.format(outside / "a b.txt")), tmp_path, NOTHING)
    assert need
    assert need.grant.write == (outside / "a b.txt",)


def test_keys_settings_home_and_what_holds_the_folder_are_never_offered(tmp_path, outside):
    never = (Path.home() / ".bashrc", Path.home() / ".ssh/id", Path.home(), Path("/etc/x"), outside / "a/b/c")
    assert not any(needs.can_offer_path(path, outside / "work") for path in (*never, outside))


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", "a" * 300])
def test_a_name_that_can_be_no_file_s_is_never_offered(tmp_path, outside, name):
    text = f"cat: {outside / name}: Permission denied"
    assert needs.find_need(failed(text), tmp_path, NOTHING) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into every folder")
def test_what_lies_in_a_folder_of_somebody_else_s_is_never_offered(tmp_path, outside):
    outside.chmod(0)
    assert needs.find_need(failed(f"cat: {outside / 'x'}: Permission denied"), tmp_path, NOTHING) is None
    outside.chmod(0o700)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", "[project]\ndependencies = 5"),
        ("pyproject.toml", "[project]\ndependencies = [5]"),
        ("pyproject.toml", "[dependency-groups]\ndev = true"),
        ("package.json", "[" * 100_000),
    ],
)
def test_a_project_file_that_is_not_as_it_should_be_names_nothing(tmp_path, file, text):
    (tmp_path / file).write_text(text)
    assert installs.find_naming_file(Workspace(tmp_path), ["requests"]) == ""


def test_an_install_in_a_text_that_is_saved_keeps_no_block_from_running(tmp_path):
    script = "cat > README.md <<EOF\nRun `pip install flask` first.\nEOF"
    assert split_script(script, Workspace(tmp_path)).is_whole

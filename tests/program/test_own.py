"""Tools and hooks that are not ours, through the program: whence they come, who says yes, what is told."""

import json
import shutil
from pathlib import Path

import pytest
from tests.program.test_cli import run
from tests.terminal import opened

TOP = Path(__file__).parents[2]
TOOL = '''from tripletick import tool


@tool
def word_count(text: str) -> int:
    """Counts the words of a text."""
    return len(text.split())
'''
CALL = "```word_count\nbuy milk and bread\n```\n"
EXAMPLES = TOP / "docs" / "examples"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "script.json").write_text(json.dumps([CALL, "Four words."]))
    return tmp_path


def put(home, text, *path):
    file = home.joinpath(*path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def own(home, text, name="mine.py", kind="tools"):
    put(home, text, ".config", "tripletick", kind, name)


def task(home, *words, **env):
    return run(home, "-C", ".", "-m", f"scripted:{home / 'script.json'}", *words, "count them", **env)


def package(folder, text=TOOL, module="texttools", group="tools"):
    """Install a package by hand: a module and its entry point."""
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(text)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(
        f"[console_scripts]\nx = y:z\n\n[tripletick.{group}]\none = {module}\n"
    )


def test_a_tool_of_the_config_folder_is_listed_with_its_origin_and_called(home):
    own(home, TOOL)
    (row,) = (line for line in run(home, "tools").stdout.splitlines() if line.startswith("word_count "))
    assert "coder executor" in row
    assert row.endswith("  Counts the words of a text. (~/.config/tripletick/tools/mine.py:4)")
    done = task(home)
    assert (done.returncode, done.stdout) == (0, "Four words.\n")
    assert "word_count: ok" in done.stderr


def test_a_tool_of_a_package_is_found_by_its_entry_point(home):
    package(home / "installed")
    assert "(package texttools:4)" in run(home, "tools", PYTHONPATH=str(home / "installed")).stdout
    assert "word_count: ok" in task(home, PYTHONPATH=str(home / "installed")).stderr


@pytest.mark.parametrize("group", ["tools", "hooks"])
def test_nothing_of_the_workspace_is_taken_for_a_package(home, group):
    package(home / "project", "open('/tmp/never', 'w')\n1 / 0", group=group)
    path = str(home / "project")
    assert "texttools" not in run(home, "tools", PYTHONPATH=path).stderr
    assert "texttools" not in task(home, PYTHONPATH=path).stderr


@pytest.mark.skipif(not shutil.which("bwrap"), reason="tools of a folder run in the box")
def test_a_tool_of_the_folder_is_asked_about_once_and_again_when_it_changes(home):
    put(home, TOOL, "project", ".tripletick", "tools", "mine.py")
    flags = ("-m", f"scripted:{home / 'script.json'}", "count them")
    question = "This folder brings .tripletick/tools/mine.py (7 lines). Use it?"
    with opened(home, *flags) as terminal:
        terminal.wait(question).type("y\r").wait("word_count: ok", "Four words.").end()
    assert "word_count: ok" in task(home).stderr
    assert "mine.py:4 (in the sandbox))" in run(home, "tools").stdout
    put(home, TOOL + "\n", "project", ".tripletick", "tools", "mine.py")
    assert "not used, because not approved yet" in task(home).stderr
    assert "word_count" not in run(home, "tools").stdout


def test_a_tool_and_a_hook_that_are_broken_are_told_with_file_and_line_and_harm_nothing(home):
    own(home, TOOL)
    own(home, "def odd(:", "odd.py")
    own(home, "from tripletick import hook\nhook(", "odd.py", "hooks")
    done = task(home)
    assert (done.returncode, done.stdout) == (0, "Four words.\n")
    assert "Tools of ~/.config/tripletick/tools/odd.py:1 are not used: SyntaxError: " in done.stderr
    assert "The hooks in ~/.config/tripletick/hooks/odd.py:2 are not used: SyntaxError: " in done.stderr
    assert "tools/odd.py:1 are not used" in run(home, "tools").stderr


def test_an_agent_that_owns_none_loads_none(home):
    own(home, "open('../loaded', 'w')")
    (home / "script.json").write_text(json.dumps(["Hello.", "Hello."]))
    task(home, "-a", "casual")
    assert not (home / "loaded").exists()
    task(home, "-a", "coder")
    assert (home / "loaded").exists()


def test_a_hook_that_fails_at_the_last_event_is_told_all_the_same(home):
    text = "@hook\ndef on_event(event):\n    1 / (type(event).__name__ != 'Answered')"
    own(home, f"from tripletick import hook\n{text}", "odd.py", "hooks")
    done = task(home)
    assert (done.returncode, done.stdout) == (0, "Four words.\n")
    assert "hooks/odd.py:4) failed: ZeroDivisionError" in done.stderr


def test_the_hook_that_keeps_a_file_lets_no_block_delete_it(home):
    own(home, (EXAMPLES / "keep_file.py").read_text(), "keep_file.py", "hooks")
    put(home, "buy milk\n", "project", "notes.txt")
    replies = ["```bash\nrm -f notes.txt\n```", "```write:notes.txt\nlost\n```", "I leave it."]
    (home / "script.json").write_text(json.dumps(replies))
    done = task(home)
    assert "notes.txt must not be deleted" in done.stderr
    assert (home / "project" / "notes.txt").read_text() == "buy milk\n"
    assert "hook  pre_tool  ~/.config/tripletick/hooks/keep_file.py:" in run(home, "tools").stdout


def test_the_hook_that_masks_secrets_masks_results_and_answers(home):
    own(home, (EXAMPLES / "mask_secrets.py").read_text(), "mask_secrets.py", "hooks")
    put(home, "API_KEY = abcd1234efgh\n", "project", "settings.txt")
    replies = ["```read\nsettings.txt\n```", "The key is sk-abcdefghijklmnop1234, password: hunter22."]
    (home / "script.json").write_text(json.dumps(replies))
    done = task(home)
    assert done.stdout == "The key is ****, password: ****\n"
    assert "API_KEY = ****" in done.stderr
    assert not {"abcd1234", "hunter22"} & set(done.stderr.split())


def test_where_there_are_none_nothing_is_imported_for_them(home):
    code = "import sys; from tripletick.cli import main; main(); print(sorted(sys.modules))"
    loaded = task(home, code=code).stdout
    assert "tripletick.tools.own.toolkit" in loaded
    for name in (
        "'pluggy'",
        "'docstring_parser'",
        "'tripletick.tools.own.discovery'",
        "'tripletick.hooks.loader'",
    ):
        assert name not in loaded

"""Data at home: for its owner alone, kept as long as is said, none with --no-save, gone with remove-data."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from tests.terminal import opened

SCRIPT = "I write it.\n\n```bash\nseq 3 > made\n```\n---\nDone.\n"
CANARY = "CANARY-IN-ENV"
SECRETIVE = f"""\
```read
.env
```
---
```file_finder
.env
private
```
---
```edit:.env
<<<<<<< SEARCH
{CANARY}
=======
x
>>>>>>> REPLACE
```
---
```text:.env
x
```
---
```bash
cat .env private/key; grep -r CANARY .; cp .env copy; mv private away; find . -type f | xargs cat
```
---
I give up.
"""


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "script.md").write_text(SCRIPT)
    return tmp_path


def run(home, *words, umask=0o022, **env):
    kept = {name: os.environ[name] for name in ("PATH", "LC_ALL") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "tripletick.cli", *words],
        cwd=home / "project",
        env={
            **kept,
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PYTHONWARNINGS": "error",
            "TRIPLETICK_AGENT": "coder",
            **env,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=150,
        umask=umask,
    )


def task(home, *words, **more):
    return run(home, "-C", ".", "-m", f"scripted:{home / 'script.md'}", *words, **more)


def state(home):
    return home / ".local" / "state" / "tripletick"


def everything(*folders):
    return [path for folder in folders for path in (folder, *folder.rglob("*"))]


def test_what_we_write_is_for_its_owner_alone_whatever_the_umask(home):
    assert task(home, "write it", umask=0).returncode == 0
    (home / "script.json").write_text(json.dumps(["Hello."]))
    with opened(home, "-m", f"scripted:{home / 'script.json'}") as terminal:
        terminal.wait("coder>").send("say hello").wait("Hello.").wait_line("coder>").send("/exit")
        assert terminal.end() == 0
    assert run(home, "undo", umask=0).returncode == 0
    found = everything(home / ".local")
    assert {"typed", "sessions", "snapshots"} <= {path.name for path in found}
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in found if not path.is_symlink()}
    assert [path for path, mode in modes.items() if mode & 0o077] == []


def test_the_config_that_we_write_is_for_its_owner_alone(home):
    code = (
        "from pathlib import Path; from tripletick.config import ini; from tripletick.system import dirs;"
        "ini.write_value(dirs.find_dirs().user_config, 'model', 'name', 'any')"
    )
    subprocess.run([sys.executable, "-c", code], env={"HOME": str(home)}, umask=0, check=True)
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in everything(home / ".config")} == {0}


def test_with_no_save_nothing_of_ours_stays(home):
    assert task(home, "--no-save", "write it").returncode == 0
    files = [path.relative_to(home) for path in everything(home) if path.is_file()]
    assert sorted(map(str, files)) == ["project/made", "script.md"]


def test_with_no_save_a_turn_that_changed_files_says_that_it_cannot_be_undone(home):
    said = "This turn cannot be undone (--no-save).\n"
    assert task(home, "--no-save", "write it").stderr.endswith(said)
    assert said not in task(home, "write it").stderr
    assert said not in task(home, "--no-save", "-q", "write it").stderr
    (home / "script.md").write_text("Hello.")
    assert said not in task(home, "--no-save", "hello").stderr


def test_with_no_save_a_turn_can_be_undone_while_the_chat_is_open(home):
    (home / "script.json").write_text(json.dumps(SCRIPT.split("---\n")))
    with opened(home, "-m", f"scripted:{home / 'script.json'}", "--no-save") as terminal:
        terminal.wait("coder>").send("write it").wait("Done.").wait_line("coder>")
        assert (home / "project" / "made").exists()
        terminal.send("/undo").wait("Removed: made").wait_line("coder>").send("/exit")
        assert terminal.end() == 0
    assert [path for path in everything(home / ".local") if path.is_file()] == []


def test_with_no_save_what_was_saved_before_stays(home):
    task(home, "write it")
    before = {path: path.stat().st_mtime_ns for path in state(home).rglob("*.jsonl")}
    task(home, "--no-save", "write it")
    assert {path: path.stat().st_mtime_ns for path in state(home).rglob("*.jsonl")} == before
    assert [path.name for path in state(home).iterdir() if path.name.startswith("unsaved")] == []


def test_old_sessions_and_snapshots_go_at_a_start(home):
    task(home, "write it")
    then = datetime.now(UTC).timestamp() - 31 * 86_400
    for path in everything(state(home)):
        os.utime(path, (then, then))
    task(home, "-a", "casual", "write it")
    assert len(list((state(home) / "sessions").iterdir())) == 1
    assert list((state(home) / "snapshots").iterdir()) == []


def test_remove_data_lists_sizes_asks_and_deletes_everything(home):
    task(home, "write it")
    (home / ".config" / "tripletick").mkdir(parents=True)
    with opened(home, "remove-data") as terminal:
        terminal.wait("state/tripletick", "KiB", "Delete all of this?").type("y\r").wait(
            "settings too?"
        ).type("y\r")
        assert terminal.end() == 0
        assert "Deleted:" in terminal.text()
    assert not state(home).exists()
    assert not (home / ".config" / "tripletick").exists()
    assert (home / "project" / "made").exists()


def test_remove_data_may_leave_the_settings_or_everything(home):
    task(home, "write it")
    (home / ".config" / "tripletick").mkdir(parents=True)
    with opened(home, "remove-data") as terminal:
        terminal.wait("Delete all of this?").type("n\r")
        assert (terminal.end(), state(home).exists()) == (1, True)
    with opened(home, "remove-data") as terminal:
        terminal.wait("Delete all of this?").type("y\r").wait("settings too?").type("n\r")
        assert (terminal.end(), state(home).exists()) == (0, False)
    assert (home / ".config" / "tripletick").exists()


def test_remove_data_without_a_person_needs_a_yes_on_the_command_line(home):
    task(home, "write it")
    refused = run(home, "remove-data")
    assert (refused.returncode, state(home).exists()) == (3, True)
    assert "tripletick remove-data -y" in refused.stderr
    assert (run(home, "remove-data", "-y").returncode, state(home).exists()) == (0, False)
    assert "no tripletick data" in run(home, "remove-data", "-y").stdout


def test_remove_data_is_refused_while_another_tripletick_runs(home):
    (home / "script.json").write_text(json.dumps(["Hello."]))
    with opened(home, "-m", f"scripted:{home / 'script.json'}") as terminal:
        terminal.wait("coder>")
        refused = run(home, "remove-data", "-y")
        assert (refused.returncode, state(home).exists()) == (1, True)
        assert "another tripletick is running" in refused.stderr
        terminal.send("/exit").end()
    assert run(home, "remove-data", "-y").returncode == 0


def test_remove_data_deletes_a_link_and_not_what_it_leads_to(home):
    (home / "dotfiles").mkdir()
    (home / "dotfiles" / "config.ini").write_text("[ui]\nplain = yes\n")
    (home / ".config").mkdir()
    (home / ".config" / "tripletick").symlink_to(home / "dotfiles")
    done = run(home, "remove-data", "-y")
    assert (done.returncode, "a link" in done.stdout) == (0, True)
    assert [path.name for path in (home / "dotfiles").iterdir()] == ["config.ini"]


def test_remove_data_works_where_the_settings_are_broken(home):
    (home / ".config" / "tripletick").mkdir(parents=True)
    (home / ".config" / "tripletick" / "config.ini").write_text("[model\n= 3")
    assert run(home, "remove-data", "-y").returncode == 0
    assert not (home / ".config" / "tripletick").exists()


def fill(folder):
    """Somebody's project, with names in it that ours have too."""
    for name in ("sessions/notes.jsonl", "models/mine.gguf", "tools/build.py", "config.ini", "README.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text('{"mine": 1}\n')
    for name in ("bench/HumanEval.jsonl.gz", "locks/a.lock", "unsaved-work/a.txt", "boxes/box-1/a.txt"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("mine")
    (folder / "typed").write_text("mine\n")
    (folder / "copied.md").write_text("mine\n")
    (folder / "snapshots" / ("a" * 39)).mkdir(parents=True)
    return {path.relative_to(folder) for path in everything(folder)}


@pytest.mark.parametrize("variable", ["XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"])
def test_remove_data_leaves_a_folder_that_is_anothers(home, variable):
    before = fill(home / "src" / "tripletick")
    done = run(home, "remove-data", "-y", **{variable: str(home / "src")})
    assert done.returncode == 0
    folder = home / "src" / "tripletick"
    assert {path.relative_to(folder) for path in everything(folder)} == before
    assert "no tripletick data" in done.stdout


def test_remove_data_takes_what_is_ours_out_of_anothers_folder(home):
    folder, where = home / "src" / "tripletick", {"XDG_STATE_HOME": str(home / "src")}
    task(home, "write it", **where)
    (folder / "README.md").write_text("mine")
    (folder / "sessions" / "mine.txt").write_text("mine")
    done = run(home, "remove-data", "-y", **where)
    assert "other files were kept: README.md, " in done.stdout
    files = {str(path.relative_to(folder)) for path in everything(folder) if path.is_file()}
    assert files - {"folders.json", "folders.lock", "pruned"} == {"README.md", "sessions/mine.txt"}


def test_remove_data_takes_all_that_sessions_leave(home):
    (home / "script.json").write_text(json.dumps(["```bash\necho hi > made\n```", "Done."]))
    with opened(home, "-m", f"scripted:{home / 'script.json'}", given=False) as terminal:
        terminal.wait("Let blocks write here").type("y\r").wait("coder>")
        terminal.send("write it").wait("Done.").wait_line("coder>")
        terminal.send("/copy").wait_line("coder>").send("/exit").end()
    task(home, "--profile", "-q", "write it")
    run(home, "sessions", "list")
    assert run(home, "remove-data", "-y").returncode == 0
    assert not state(home).exists()


def test_snapshots_of_a_newer_version_are_refused_with_a_word(home):
    task(home, "write it")
    (store,) = (state(home) / "snapshots").glob("*/store.db")
    with sqlite3.connect(store) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    done = run(home, "undo")
    assert (done.returncode, "newer tripletick" in done.stderr) == (1, True)
    assert "format is 99" in done.stderr


def test_files_that_hold_secrets_are_seen_by_no_block_and_no_file_tool(home):
    (home / "project" / "private").mkdir()
    (home / "project" / "private" / "key").write_text(CANARY)
    (home / "project" / ".env").write_text(CANARY)
    (home / "project" / ".tripletickignore").write_text("private/\n")
    (home / "script.md").write_text(SECRETIVE)
    done = task(home, "-o", "jsonl", "show me", "--max-attempts", "20")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    results = json.dumps([event["result"] for event in told if event["event"] == "Returned"])
    assert len([event for event in told if event["event"] == "Returned"]) == 5
    assert CANARY not in results
    assert (home / "project" / ".env").read_text() == CANARY
    assert (home / "project" / "private" / "key").read_text() == CANARY

"""Each row of the table on a program that really fails; what the box strikes is said by flags."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tripletick.messages import Call, Result
from tripletick.turn.advice import choose_advice, load_rules

FILES = {
    "python": "a.py",
    "c": "a.c",
    "go": "main.go",
    "java": "Main.java",
    "javascript": "a.js",
    "bash": "a.sh",
    "rust": "a.rs",
    "ruby": "a.rb",
    "perl": "a.pl",
    "lua": "a.lua",
    "php": "a.php",
    "sql": "a.sql",
}
COMMANDS = {
    "python": [sys.executable, "a.py"],
    "c": ["bash", "-c", "gcc a.c -o a && ./a"],
    "go": ["go", "run", "main.go"],
    "java": ["bash", "-c", "javac -J-XX:TieredStopAtLevel=1 Main.java && java -XX:TieredStopAtLevel=1 Main"],
    "javascript": ["node", "a.js"],
    "bash": ["bash", "a.sh"],
    "rust": ["rustc", "--color=never", "a.rs"],
    "ruby": ["ruby", "a.rb"],
    "perl": ["perl", "a.pl"],
    "lua": ["lua", "a.lua"],
    "php": ["php", "-d", "display_errors=stderr", "-d", "log_errors=0", "a.php"],
    "sql": ["sqlite3", "-bail", ":memory:", ".read a.sql"],
}
NEEDS = {"c": ["gcc"], "go": ["go"], "java": ["javac", "java"], "javascript": ["node"]}
NEEDS |= {
    "rust": ["rustc"],
    "ruby": ["ruby"],
    "perl": ["perl"],
    "lua": ["lua"],
    "php": ["php"],
    "sql": ["sqlite3"],
}


PROGRAMS: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[1] / "data" / "failures.toml").read_text("utf-8")
)
STRUCK = [
    ("timeout", "stopped after 2 s", "timeout=600"),
    ("memory", "stopped at 2 GiB of memory", "pieces"),
    ("output", "stopped at 64 MiB of output", "Print less"),
    ("disk", "stopped at 1 GiB written to disk", "Write less"),
    ("processes", "stopped at 256 processes", "fewer processes"),
    ("not-found", "was not run, because javac is not installed here", "installed here"),
    ("not-found", "failed, SEARCH of pair 1 was not found", "whole lines into SEARCH"),
    ("not-found", "failed, a.txt was not found", "list the folder"),
    ("syntax", "failed, saved a.py, line 3: invalid syntax", "line 3"),
]


def run(case: dict[str, Any], folder: Path, cache: Path) -> tuple[Call, Result]:
    tool = case["tool"]
    for name in (*NEEDS.get(tool, ()), *case.get("needs", ())):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
    for name, text in {FILES[tool]: case["body"], **case.get("files", {})}.items():
        (folder / name).write_text(text, "latin-1")
    env = {**os.environ, "LC_ALL": "C.UTF-8", "GOPROXY": "off", "GOCACHE": str(cache), "DISPLAY": ""}
    pipes: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
    }
    done = subprocess.run(COMMANDS[tool], cwd=folder, env=env, check=False, **pipes)
    assert done.returncode != 0
    return Call(tool, case["body"]), Result(
        "failed", verdict(done.returncode), done.stdout.decode("utf-8", "replace")
    )


def verdict(status: int) -> str:
    return (
        f"failed, exit {status}" if status > 0 else f"failed, killed by signal {signal.Signals(-status).name}"
    )


@pytest.fixture(scope="session")
def go_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("go-cache")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_fails_gets_the_sentence_of_its_row(name, tmp_path, go_cache):
    case = PROGRAMS[name]
    said = choose_advice(*run(case, tmp_path, go_cache))
    row = next(row for row in load_rules() if row.id == name)
    assert all(piece in said for piece in re.split(r"\{\w+\}", row.say)), said
    assert all(word in said for word in case["says"]), said


@pytest.mark.parametrize(("flag", "verdict", "word"), STRUCK)
def test_what_the_box_struck_is_known_by_its_flag(flag, verdict, word):
    result = Result("failed", verdict, flags=frozenset({flag}))
    assert word in choose_advice(Call("python", ""), result)


def test_every_row_is_shown_on_a_failure():
    assert [row.flag for row in load_rules() if row.flag] == [flag for flag, _, _ in STRUCK]
    assert {row.id for row in load_rules() if not row.flag} == set(PROGRAMS)
    assert len({row.id for row in load_rules()}) == len(load_rules())


@pytest.mark.parametrize("outcome", ["ok", "denied", "forbidden", "skipped"])
def test_what_did_not_fail_gets_no_advice(outcome):
    assert (
        choose_advice(Call("python", ""), Result(outcome, "ok", "NameError: name 'x' is not defined")) == ""
    )


def test_a_mistake_that_is_known_is_named_also_where_the_file_was_only_saved():
    text = '  File "x.py", line 2\nIndentationError: unexpected indent'
    result = Result(
        "failed", "failed, saved x.py, line 2: IndentationError", text, flags=frozenset({"syntax"})
    )
    assert "indentation on line 2 of x.py" in choose_advice(Call("python", ""), result)


def test_an_editor_is_named_also_where_the_time_limit_ended_it():
    struck = Result("failed", "stopped after 120 s", flags=frozenset({"timeout"}))
    assert "person at the keyboard" in choose_advice(Call("bash", "cd src\nvim a.txt"), struck)
    assert "finish by itself" in choose_advice(Call("bash", "sleep 999"), struck)


def test_an_unknown_failure_gets_no_advice():
    assert (
        choose_advice(Call("python", ""), Result("failed", "failed, exit 3", "the sums differ: 3, 4")) == ""
    )


def test_an_error_that_is_only_quoted_in_the_output_is_not_taken_for_the_failure():
    text = "NameError: name 'x' is not defined\nthe log above has 1 error"
    assert choose_advice(Call("python", ""), Result("failed", "failed, exit 1", text)) == ""


def test_what_make_adds_below_is_not_the_last_line():
    below = "make: *** [Makefile:2: all] Error 1\n1 background process was ended"
    text = f"NameError: name 'x' is not defined\n{below}"
    assert "The name x" in choose_advice(Call("bash", "make"), Result("failed", "failed, exit 2", text))


def test_what_grep_prints_is_no_error_of_a_compiler():
    assert choose_advice(Call("bash", "grep"), Result("failed", "failed, exit 1", "a.py:3: x = 1")) == ""


def test_a_row_of_another_language_stays_silent():
    result = Result("failed", "failed, exit 1", "ReferenceError: x is not defined")
    assert choose_advice(Call("python", ""), result) == ""
    assert "x is not defined" in choose_advice(Call("bash", "node a.js"), result)


def test_the_line_is_that_of_the_program_and_not_of_a_library():
    text = '  File "/w/a.py", line 7, in f\n  File "/usr/lib/python3.11/x.py", line 90, in y\nKeyError: 3'
    assert "on line 7 of a.py" in choose_advice(Call("python", ""), Result("failed", "failed, exit 1", text))


def test_a_very_long_line_makes_the_sentence_no_longer():
    text = "SyntaxError: " + "'" * 1_000_000
    assert len(choose_advice(Call("python", ""), Result("failed", "failed, exit 1", text))) < 300

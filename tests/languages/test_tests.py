"""Files of tests are run as tests, with pytest where it is there, else with unittest."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.filing import open_plain, put, use

from tripletick.tools import run_tests
from tripletick.turn.receipts import parse_test_counts

PLAIN = """
from wc import words

def test_it():
    assert words('a b') == {count}

def test_none():
    assert words('') == 0
"""
CASE = """
import unittest
from wc import words

class T(unittest.TestCase):
    def test_it(self):
        self.assertEqual(words('a b'), {count})
"""
NODE = """
const test = require('node:test'), same = require('assert').equal;
test('add', () => same(1 + 1, {sum}));
"""
HIDDEN = """
import importlib.util as u
find = u.find_spec
u.find_spec = lambda name, *more: None if name == 'pytest' else find(name, *more)
"""
WORDS = "def words(text):\n    return len(text.split())\n"


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as context:
        put(context, "wc.py", WORDS)
        yield context


@pytest.mark.parametrize("source", [PLAIN, CASE])
@pytest.mark.parametrize("path", ["test_wc.py", "wc_test.py", "tests.py"])
def test_a_false_assertion_fails(context, source, path):
    assert use(context, "python", source.format(count=2), path).ok
    result = use(context, "python", source.format(count=3), path)
    assert result.outcome == "failed"
    passed, tests = parse_test_counts(result.text) or (0, 0)
    assert passed == tests - 1


def test_a_script_of_that_name_without_tests_is_run(context):
    result = use(context, "python", "print(1 + 1)", "test_add.py")
    assert (result.ok, result.text) == (True, "2")


def test_another_name_is_run_as_a_program(context):
    assert use(context, "python", PLAIN.format(count=3), "check.py").ok


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.parametrize(("right", "outcome"), [(2, "ok"), (3, "failed")])
def test_node_runs_its_own_tests(context, right, outcome):
    source = NODE.format(sum=right)
    assert use(context, "javascript", source, "add.test.js").outcome == outcome


@pytest.mark.parametrize(
    ("source", "code", "said"),
    [
        (PLAIN.format(count=2), 0, "Ran 2 tests"),
        (PLAIN.format(count=3), 1, "FAILED (failures=1)"),
        (CASE.format(count=2), 0, "Ran 1 test in"),
        ("def test_x(tmp_path):\n    pass\n", 1, "test_x: these take fixtures"),
        ("def testing():\n    1 / 0\n", 1, "ZeroDivisionError"),
        ("def other():\n    pass\n", 1, "no test was found"),
    ],
)
def test_without_pytest_unittest_does_it(tmp_path, source, code, said):
    (tmp_path / "wc.py").write_text(WORDS)
    (tmp_path / "test_wc.py").write_text(source)
    text = Path(run_tests.__file__).read_text("utf-8")
    head, mark, rest = text.partition("import importlib.util\n")
    ran = subprocess.run(
        [sys.executable, "-c", head + mark + HIDDEN + rest, str(tmp_path / "test_wc.py")],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (ran.returncode, said in ran.stderr) == (code, True), ran.stderr

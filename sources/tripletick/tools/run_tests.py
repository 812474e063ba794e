"""Runs the tests of a file: with pytest where that is there, else with unittest, plain functions `test_` too.

The box runs this file itself, with the Python of the workspace: `python -c TEXT FILE`. So it imports nothing
of tripletick, is ASCII for any locale, and takes Python 3.8 and later. Exits with 0 where all tests passed,
with 1 where one failed or there is none.
"""

from __future__ import annotations

import importlib.util
import inspect
import runpy
import sys
import unittest
from pathlib import Path
from typing import Any

NONE = "no test was found in {path}\n"
FIXTURES = "{names}: these take fixtures, for which pytest is needed\n"


def collect_tests(module: Any) -> tuple[unittest.TestSuite, list[str]]:
    """Gather the tests of a module, and the names of the functions that cannot be called."""
    tests, others = unittest.defaultTestLoader.loadTestsFromModule(module), list[str]()
    for name, made in vars(module).items():
        if not name.startswith("test") or not inspect.isfunction(made):
            continue
        if inspect.signature(made).parameters:
            others.append(name)
        else:
            tests.addTest(unittest.FunctionTestCase(made, description=name))
    return tests, others


def main(path: str) -> int:
    sys.path.insert(0, str(Path(path).resolve().parent))
    if importlib.util.find_spec("pytest"):
        sys.argv = ["pytest", "-q", "-p", "no:cacheprovider", "--tb=short", path]
        runpy.run_module("pytest", run_name="__main__")
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    tests, others = collect_tests(module)
    if others:
        sys.stderr.write(FIXTURES.format(names=", ".join(others)))
    if not tests.countTestCases():
        sys.stderr.write(NONE.format(path=path))
        return 1
    done = unittest.TextTestRunner().run(tests)
    return int(bool(others) or not done.wasSuccessful())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""Imports that a program of a small model lacks."""

import warnings

import pytest

from tripletick.tools.missing_imports import add_imports


@pytest.mark.parametrize(
    ("source", "added"),
    [
        ("print(csv.reader([]))\n", "import csv\n"),
        ("print(sys.argv, os.path.join('a'))", "import os\nimport sys\n"),
        ("print(Counter('a'), Path('.'))", "from collections import Counter\nfrom pathlib import Path\n"),
        ("print(datetime.now())", "from datetime import datetime\n"),
        ("print(datetime.date.today())", "import datetime\n"),
        ("def f(x: List[int]) -> Optional[int]: pass", "from typing import List, Optional\n"),
        ("import csv\nprint(csv.reader([]))", ""),
        ("import os.path\nprint(os.path)", ""),
        ("from math import *\nprint(math.pi)", ""),
        ("string = 'a'\nprint(string.upper())", ""),
        ("def f(time): return time.hour", ""),
        ("for re in []: print(re.x)", ""),
        ("print(numpy.array([]), requests.get(''), csv)", ""),
        ("print(csv.reader(", ""),
        ("match {}:\n    case {**re}: print(re.get(1))", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_what_a_name_can_only_mean_is_imported(source, added):
    assert add_imports(source) == added + source


@pytest.mark.parametrize(
    "head",
    [
        "#!/usr/bin/env python3\n# sums\n",
        '"""Sums."""\n',
        "from __future__ import annotations\n",
        '"""Two\x0cpages,\u2028three lines."""\r\n',
    ],
)
def test_imports_stand_before_the_first_statement(head):
    assert add_imports(f"{head}print(math.pi)\n") == f"{head}import math\nprint(math.pi)\n"


@pytest.mark.parametrize(
    "source",
    ['"""Sums\nof two."""; print(math.pi)\n', "from __future__ import annotations; print(math.pi)\n"],
)
def test_a_program_stays_as_it_is_where_no_line_is_free_for_imports(source):
    assert add_imports(source) == source


def test_a_decorator_stays_with_its_function():
    source = "@functools.cache\ndef f(): pass\n"
    assert add_imports(source) == f"import functools\n{source}"


def test_what_python_warns_of_in_a_program_stays_out_of_the_terminal():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert add_imports("print('\\d', csv.x)") == "import csv\nprint('\\d', csv.x)"

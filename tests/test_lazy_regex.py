import importlib
import re
import tomllib
from pkgutil import walk_packages

import pytest

import tripletick
from tripletick.system import dirs
from tripletick.system.lazy_regex import lazy_regex


def test_it_is_used_as_a_compiled_pattern():
    pattern = lazy_regex(r"(?P<word>[a-z]+)\.", re.IGNORECASE)
    assert pattern.findall("So. Ende.") == ["So", "Ende"] and pattern.pattern == r"(?P<word>[a-z]+)\."
    assert [*pattern.finditer("a b")] == [] and pattern.sub("-", "a. b.") == "- -"
    assert pattern.groups == 1 and pattern.flags & re.IGNORECASE
    assert lazy_regex(rb"\d+").fullmatch(b"12")


def test_a_wrong_pattern_raises_when_it_is_used():
    wrong = lazy_regex("(")
    with pytest.raises(re.error):
        wrong.search("")


def test_every_pattern_of_the_package_is_one():
    """What `re.compile` would have said at the import."""
    found = 0
    for each in walk_packages(tripletick.__path__, "tripletick."):
        if "bench.tasks" not in each.name and "bench.dialogue" not in each.name:
            for value in vars(importlib.import_module(each.name)).values():
                for one in value if isinstance(value, tuple | list) else [value]:
                    if type(one) is type(lazy_regex("")):
                        assert one.flags is not None, each.name
                        found += 1
    assert found > 500


def test_every_word_of_feedback_is_a_pattern():
    said = tomllib.loads((dirs.find_dirs().prompts / "feedback.toml").read_text("utf-8"))
    assert all(re.compile(text, re.IGNORECASE) for text in said["words"].values())

"""The sentences around requests and results: read, laid over each other, filled."""

import pytest

from tripletick.agents import templates
from tripletick.agents.templates import LONGEST, Templates
from tripletick.errors import ConfigError
from tripletick.system import dirs

BASE = dirs.find_dirs().prompts


def test_the_shipped_sentences_can_be_read():
    assert templates.load_templates(BASE).format_closing("done", "add it").startswith("The task was: add it")


def test_the_offline_model_keeps_the_wording_that_it_was_trained_on():
    said = templates.load_templates(BASE, BASE.parent / "offline")
    assert said.format_request("do it", "Folder: a b") == "do it\n\nFolder: a b"
    names = ("done", "failed", "unread", "mend", "last")
    assert [said.format_closing(name, "do it", tag="x", path="y") for name in names] == [""] * 5


def test_a_later_folder_changes_single_sentences(tmp_path):
    (tmp_path / "feedback.toml").write_text('done = "Well? {request}"')
    said = templates.load_templates(BASE, tmp_path)
    assert said.format_closing("done", "x") == "Well? x"
    assert said.failed == templates.load_templates(BASE).failed


def test_a_file_with_a_byte_order_mark_and_words_that_take_no_name_are_read(tmp_path):
    (tmp_path / "feedback.toml").write_text('[words]\nmends = "fix"', "utf-8-sig")
    assert templates.load_templates(tmp_path).find_named_object("mends", "fix a.json") == ""


def test_nothing_is_said_of_what_does_not_go_along():
    assert Templates(request=("{files}", "Task: {request}")).format_request("do it", "") == "Task: do it"


def test_braces_in_a_request_stay():
    assert Templates(done="It was: {request}").format_closing("done", "print {x}") == "It was: print {x}"


def test_a_long_request_is_said_again_by_head_and_tail():
    again = templates.shorten_request("a" * 2000 + "END")
    assert len(again) < LONGEST + 10 and again.endswith("END")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('dnoe = "x"', "unknown key 'dnoe'"),
        ('done = "{name}"', "done has a place {name}"),
        ('done = ["x"]', "done takes a text"),
        ("done = 5", "done takes a text"),
        ("request = [1]", "request takes a list of texts"),
        ('done = "{request!x}"', "done has a place {request!x}"),
        ('request = ["{request:5q}"]', "request has a place {request:5q}"),
        ('request = "x"', "request takes a list of texts"),
        ("done = ", "Invalid value"),
        ('words = "x"', "words must be a table"),
        ('[words]\ntells = "("', "words.tells is not a regular expression"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(tmp_path, text, why):
    (tmp_path / "feedback.toml").write_text(text)
    with pytest.raises(ConfigError) as error:
        templates.load_templates(BASE, tmp_path)
    assert why in error.value.why and "feedback.toml" in error.value.what


@pytest.mark.parametrize(
    ("request_", "acts"),
    [
        ("is old.log a copy of a.log?", False),
        ("Are there files to delete?", False),
        ("do these two files have the same text? Delete one", True),
        ("Do the change in a.txt", True),
        ("Do these files say what to change?", False),
        ("ist b.txt eine Kopie, oder wurde sie geändert?", False),
        ("Is tea on list.txt? If not, add it.", True),
        ("is list.txt sorted? sort it", True),
        ("Is it there, and add it if it is not", True),
        ("can you delete a.txt?", True),
        ("could you change the port?", True),
    ],
)
def test_a_question_is_no_request_to_do_something(request_, acts):
    said = templates.load_templates(BASE)
    assert any(said.has_words(kind, request_) for kind in templates.ACTIONS) == acts


@pytest.mark.parametrize(
    ("request_", "read"),
    [
        ("add milk and tea pls", "add milk and tea"),
        ("Show me all. Many thanks!", "Show me all."),
        ("add milk to list.txt, thank you very much", "add milk to list.txt"),
        ("Is it there? Danke", "Is it there?"),
        ("add a line that says please", "add a line that says please"),
        ("write thanks to a.txt", "write thanks to a.txt"),
        ("write into a.txt: hello, thank you", "write into a.txt: hello, thank you"),
        ("please", "please"),
    ],
)
def test_a_courtesy_at_the_end_is_no_part_of_what_is_to_be_done(request_, read):
    assert templates.Templates().format_request(request_, "") == read


@pytest.mark.parametrize(
    ("request_", "computes"),
    [
        ("Arrange the letters of Mumbai in alphabetical order.", True),
        ("how large is a circle with a radius of 30", True),
        ("Write a program that sorts the letters of Mumbai", False),
        ("the first ten primes in python", False),
        ("a fibonacci function", False),
        ("fizzbuzz", False),
        ("posortuj litery", False),
    ],
)
def test_a_result_is_wanted_where_nothing_is_named_that_could_be_kept(request_, computes):
    assert templates.load_templates(BASE).has_words("computes", request_) is computes

"""SEARCH/REPLACE: all or none, exact lines, and a refusal that says what to do."""

import hashlib

import pytest
from tests.filing import open_plain, put, use

POEM = "one\ntwo\n    three\ntwo\nfour\n"


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as opened:
        yield opened


def pair(search, new, marks=("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")):
    first, middle, last = marks
    return "\n".join([first, *search.splitlines(), middle, *new.splitlines(), last])


def test_an_edit_replaces_the_lines_and_shows_them(context):
    file = put(context, "a.txt", POEM)
    result = use(context, "edit", pair("one\ntwo", "ONE\nTWO\nTWO AND A HALF"), "a.txt")
    assert (result.verdict, result.files[0].action) == ("ok, saved a.txt", "changed")
    assert result.text == "1|ONE\n2|TWO\n3|TWO AND A HALF"
    assert file.read_text() == "ONE\nTWO\nTWO AND A HALF\n    three\ntwo\nfour\n"


def test_pairs_are_applied_in_their_order_to_what_the_last_one_left(context):
    file = put(context, "a.txt", "a\nb\n")
    assert use(context, "edit", pair("a", "x") + "\n\n" + pair("x\nb", "y"), "a.txt").ok
    assert file.read_text() == "y\n"


def test_one_pair_that_fails_leaves_the_file_as_it_was(context):
    file = put(context, "a.txt", POEM)
    result = use(context, "edit", pair("one", "ONE") + "\n" + pair("nine", "NINE"), "a.txt")
    assert result.verdict == "failed, SEARCH of pair 2 was not found"
    assert (result.tool, result.flags) == ("edit", {"not-found"})
    assert file.read_text() == POEM


def test_lines_found_several_times_are_counted_and_located(context):
    file = put(context, "a.txt", POEM)
    result = use(context, "edit", pair("two", "2"), "a.txt")
    assert result.verdict == "failed, SEARCH of pair 1 was found 2 times" and "lines 2, 4" in result.text
    assert file.read_text() == POEM


def test_places_that_overlap_are_several_too(context):
    file = put(context, "a.txt", "x\nx\nx\nx\n")
    result = use(context, "edit", pair("x\nx\nx", "y"), "a.txt")
    assert result.verdict == "failed, SEARCH of pair 1 was found 2 times" and "lines 1, 2" in result.text
    assert use(context, "edit", pair("x\nx", "y"), "a.txt", "all").ok and file.read_text() == "y\ny\n"


def test_all_replaces_each_of_them(context):
    file = put(context, "a.txt", POEM)
    result = use(context, "edit", pair("two", "2\n2"), "a.txt", "all")
    assert result.ok and result.text == "2|2\n3|2\n…\n5|2\n6|2"
    assert file.read_text() == "one\n2\n2\n    three\n2\n2\nfour\n"


def test_a_part_of_a_line_is_not_a_line(context):
    put(context, "a.py", "max_x = 1\n")
    result = use(context, "edit", pair("x = 1", "x = 2"), "a.py")
    assert not result.ok and "1|max_x = 1" in result.text


def test_other_indentation_is_said_and_not_guessed(context):
    file = put(context, "a.txt", POEM)
    result = use(context, "edit", pair("two\nthree", "x"), "a.txt")
    assert "only in blanks or indentation" in result.text and "2|two\n3|    three" in result.text
    assert file.read_text() == POEM


def test_the_closest_lines_are_shown_with_their_numbers(context):
    put(context, "a.py", "import os\n\ndef total(items):\n    return sum(items)\n")
    result = use(context, "edit", pair("def totals(item):\n    return sum(item)", "x"), "a.py")
    assert "3|def total(items):\n4|    return sum(items)" in result.text


def test_a_line_as_long_as_a_file_is_compared_at_once_and_quoted_in_part(context):
    words = [hashlib.sha256(bytes([n % 256, n // 256])).hexdigest() for n in range(1000)]
    put(context, "a.json", f'{{"all": "{" ".join(words)}"}}\n')
    told = use(context, "edit", pair(" ".join(words[:400]), "x"), "a.json")
    assert "The closest line, 1:\n1|{" in told.text and len(told.text) < 2200
    done = use(context, "edit", pair(f'{{"all": "{" ".join(words)}"}}', " ".join(words)), "a.json")
    assert done.ok and done.text.endswith("characters more") and len(done.text) < 2200


def test_where_nothing_is_close_reading_is_advised(context):
    put(context, "a.txt", POEM)
    assert "Read the file" in use(context, "edit", pair("zzzzzzzzzz", "x"), "a.txt").text


@pytest.mark.parametrize("old", [None, ""])
def test_an_empty_search_makes_a_file(context, old):
    if old is not None:
        put(context, "new/a.txt", old)
    assert use(context, "edit", pair("", "one\ntwo"), "new/a.txt").ok
    assert (context.workspace.root / "new/a.txt").read_text() == "one\ntwo\n"


def test_an_empty_search_in_a_file_with_lines_is_refused(context):
    file = put(context, "a.txt", POEM)
    assert "is empty" in use(context, "edit", pair("", "x"), "a.txt").verdict
    assert file.read_text() == POEM


def test_a_missing_file_is_answered_with_names_like_it(context):
    put(context, "src/config.py", "x = 1\n")
    result = use(context, "edit", pair("x = 1", "x = 2"), "confg.py")
    assert result.verdict == "failed, confg.py does not exist" and "src/config.py" in result.text


def test_an_empty_replace_takes_the_lines_out(context):
    file = put(context, "a.txt", POEM)
    assert use(context, "edit", pair("one\ntwo\n    three", ""), "a.txt").ok
    assert file.read_text() == "two\nfour\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\r\nb\r\nc\r\n", b"a\r\nX\r\nY\r\nc\r\n"),
        (b"a\r\nb\nc\n", b"a\r\nX\nY\nc\n"),
        (b"b\na\r\nc\r\n", b"X\nY\na\r\nc\r\n"),
        (b"a\nc\nb\r\n", b"a\nc\nX\r\nY\r\n"),
        (b"a\nb", b"a\nX\nY"),
        (b"a\r\nb", b"a\r\nX\r\nY"),
        (b"\xef\xbb\xbfb\n", b"\xef\xbb\xbfX\nY\n"),
        (b"caf\xe9\nb\n", b"caf\xe9\nX\nY\n"),
        (b"a\x0cb\nb\n", b"a\x0cb\nX\nY\n"),
        (b"b\n\n\n", b"X\nY\n\n\n"),
    ],
)
def test_every_other_byte_stays_as_it_was(context, old, new):
    file = put(context, "a.txt", old)
    assert use(context, "edit", pair("b", "X\nY"), "a.txt").ok
    assert file.read_bytes() == new


@pytest.mark.parametrize(
    "marks",
    [
        ("<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"),
        ("<<<<< SEARCH", "=====", ">>>>> REPLACE"),
        ("<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE"),
        ("<<<<<<< SEARCH  ", "======= ", ">>>>>>> REPLACE "),
        ("<<<<<<< search", "======", ">>>>>>> replace"),
        ("<<<<<<<", "=======", ">>>>>>>"),
        ("<<<<<<< HEAD", "=======", ">>>>>>> new"),
    ],
)
def test_markers_as_small_models_write_them(context, marks):
    file = put(context, "a.txt", "b\n")
    assert use(context, "edit", pair("b", "X", marks), "a.txt").ok
    assert file.read_text() == "X\n"


def test_a_conflict_of_git_can_be_resolved(context):
    file = put(context, "a.txt", "top\n<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> branch\n")
    body = pair("<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> branch", "mine")
    assert use(context, "edit", body, "a.txt").ok
    assert file.read_text() == "top\nmine\n"


def test_an_underlined_heading_is_no_divider_where_that_is_clear(context):
    file = put(context, "a.md", "Title\n=====\n\ntext\n")
    assert use(context, "edit", pair("Title\n=====", "New\n====="), "a.md").ok
    assert file.read_text() == "New\n=====\n\ntext\n"


def test_an_underline_that_could_be_the_divider_is_refused_with_the_way_out(context):
    file = put(context, "a.md", "Heading\n=======\n\ntext\n")
    result = use(context, "edit", pair("Heading\n=======", "Changed\n======="), "a.md")
    assert not result.ok and "nine signs" in result.text and file.read_text().startswith("Heading")
    nine = ("<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE")
    assert use(context, "edit", pair("Heading\n=======", "Changed\n=======", nine), "a.md").ok


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("just new content", "outside"),
        ("<<<<<<< SEARCH\none\n=======\nx", "no >>>>>>> REPLACE"),
        ("<<<<<<< SEARCH\none\n>>>>>>> REPLACE", "no ======="),
        (pair("one", "x") + "\nand so on", "outside"),
        ("<<<<<<< SEARCH\none\n=======\nx\n" + pair("two", "y"), "no >>>>>>> REPLACE"),
        ("", "no SEARCH/REPLACE pair"),
    ],
)
def test_what_is_not_a_pair_changes_nothing_and_teaches(context, body, why):
    file = put(context, "a.txt", POEM)
    result = use(context, "edit", body, "a.txt")
    assert why in result.verdict and result.tool == "edit" and file.read_text() == POEM


def test_the_same_lines_again_are_unchanged(context):
    put(context, "a.txt", POEM)
    assert use(context, "edit", pair("one", "one"), "a.txt").verdict == "ok, a.txt is unchanged"


def test_new_lines_that_stand_for_others_are_asked_for(context):
    file = put(context, "a.py", "def f():\n    return 1\n")
    result = use(context, "edit", pair("    return 1", "    # ... rest of the code ..."), "a.py")
    assert result.outcome == "forbidden" and "return 1" in file.read_text()


def test_a_program_that_no_longer_parses_fails(context):
    put(context, "a.py", "x = 1\n")
    result = use(context, "edit", pair("x = 1", "x = ("), "a.py")
    assert result.verdict.startswith("failed, saved a.py, line 1") and "syntax" in result.flags


def test_an_edited_file_counts_as_known(context):
    put(context, "a.txt", POEM)
    use(context, "edit", pair("one", "ONE"), "a.txt")
    assert use(context, "write", POEM, "a.txt").ok


def test_a_binary_file_is_not_edited(context):
    put(context, "a.bin", b"one\n\0\n")
    assert "binary" in use(context, "edit", pair("one", "x"), "a.bin").verdict

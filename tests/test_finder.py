"""Finding files: names first, then what stands in them, and nothing that is ignored or hidden."""

import os
from datetime import datetime

import pytest
from tests.filing import open_plain, put, use

from tripletick.system.text import format_time
from tripletick.tools.file_walk import FileWalk


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as opened:
        for path in ("notes.md", "src/app.py", "src/deep/util.py", "docs/Shopping List.txt", "web/a.js"):
            put(opened, path, f"this is {path}\n")
        yield opened


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("notes.md", ["notes.md"]),
        ("notes", ["notes.md"]),
        ("NOTES.MD", ["notes.md"]),
        ("*.py", ["src/app.py", "src/deep/util.py"]),
        ("src/*.py", ["src/app.py"]),
        ("src/**/*.py", ["src/app.py", "src/deep/util.py"]),
        ("**/util.py", ["src/deep/util.py"]),
        ("src/**", ["src/", "src/app.py", "src/deep/", "src/deep/util.py"]),
        ("*.{js,md}", ["notes.md", "web/a.js"]),
        ("app.??", ["src/app.py"]),
        ("[n]otes.*", ["notes.md"]),
        ("src", ["src/"]),
        ("deep/util", ["src/deep/util.py"]),
        ("shopping list", ["docs/Shopping List.txt"]),
        ("list shopping", ["docs/Shopping List.txt"]),
        ("./src/app.py", ["src/app.py"]),
    ],
)
def test_names_globs_and_words_find_files(context, query, found):
    result = use(context, "file_finder", query)
    assert (result.verdict, result.text.splitlines()) == ("ok", found)


def test_the_name_itself_comes_before_names_that_hold_it(context):
    for path in ("a/old-notes.md", "z/notes.md"):
        put(context, path, "x")
    assert use(context, "file_finder", "notes.md").text.splitlines() == [
        "notes.md",
        "z/notes.md",
        "a/old-notes.md",
    ]


def test_several_lines_are_looked_for_each(context):
    text = use(context, "file_finder", "*.md\n*.js\n*.md").text
    assert text.splitlines() == ["notes.md", "web/a.js"]


def test_words_that_no_name_holds_are_looked_for_in_the_files(context):
    put(context, "diary.txt", "monday\nWe met Ada in Paris.\n")
    text = use(context, "file_finder", "paris ada").text
    assert "diary.txt:2: We met Ada in Paris." in text


def test_nothing_found_is_said_with_names_like_it(context):
    result = use(context, "file_finder", "nots.md")
    assert (result.outcome, result.verdict, result.flags) == ("ok", "ok, nothing was found", {"not-found"})
    assert "notes.md" in result.text


def test_ignored_files_are_left_out_as_git_does(context):
    put(context, ".gitignore", "build/\n*.log\n/top.txt\n")
    put(context, "src/.gitignore", "!keep.log\ngen.txt\n")
    for path in ("build/x.txt", "a.log", "src/keep.log", "src/gen.txt", "gen.txt", "top.txt", "src/top.txt"):
        put(context, path, "x")
    result = use(context, "file_finder", "*.log\n*.txt")
    assert result.text.splitlines()[:-1] == [
        "src/keep.log",
        "docs/Shopping List.txt",
        "gen.txt",
        "src/top.txt",
    ]
    assert result.text.endswith("Not searched: build/")


def test_git_and_what_tools_made_is_not_searched(context):
    for path in (".git/config", ".tripletick/out/s/1.txt", "node_modules/x/config", "src/config"):
        put(context, path, "x")
    assert use(context, "file_finder", "config").text.splitlines()[0] == "src/config"
    assert use(context, "file_finder", "1.txt").verdict == "ok, nothing was found"


def test_what_is_hidden_is_neither_searched_nor_shown(context):
    put(context, ".tripletickignore", "private/\n*.pem\n")
    for path in (".env", "private/key.txt", "a.pem"):
        put(context, path, "CANARY\n")
    words = use(context, "file_finder", "canary")
    named = use(context, "file_finder", ".env\nkey.txt\na.pem", None, "read")
    assert words.verdict == "ok, nothing was found" and "CANARY" not in named.text
    assert "private/key" not in named.text


def test_links_are_not_followed(context, tmp_path):
    put(context, "../outside/secret.txt", "CANARY\n")
    (context.workspace.root / "in").symlink_to(tmp_path / "outside")
    (context.workspace.root / "loop").symlink_to(".")
    assert use(context, "file_finder", "secret.txt\ncanary").verdict == "ok, nothing was found"


def test_read_shows_the_content_too(context):
    text = use(context, "file_finder", "notes.md", None, "read").text
    assert text.startswith("notes.md\n\nnotes.md, 1 line:\n1|this is notes.md")


def test_info_says_size_type_and_date(context):
    file = put(context, "photo.png", b"12345")
    os.utime(file, (0, datetime(2024, 5, 6, 7, 8).timestamp()))
    assert use(context, "file_finder", "photo.png", None, "info").text == (
        "photo.png  5 B  image/png  changed 2024-05-06 07:08"
    )


@pytest.mark.parametrize("query", ["**/" * 40 + "none.md", "{a,b}" * 40, "**/*" * 20 + "/none"])
def test_a_pattern_that_stands_for_very_many_ends(context, query):
    for number in range(30):
        put(context, f"{'d/' * 12}{number}.txt", "x")
    assert use(context, "file_finder", query).text.startswith("Nothing is called")


def test_a_date_that_no_calendar_has_is_unknown():
    assert format_time(10**14) == "at an unknown time"


def test_many_names_are_cut_and_counted(context):
    for number in range(130):
        put(context, f"many/{number:03}.dat", "")
    lines = use(context, "file_finder", "*.dat").text.splitlines()
    assert (len(lines), lines[-1]) == (101, "… 30 more; ask for less")


def test_a_walk_that_takes_too_long_says_so(context):
    walk = FileWalk(context.workspace, seconds=-1.0)
    assert list(walk) == [] and walk.stopped


def test_names_that_are_no_utf8_can_be_sent(context):
    (context.workspace.root / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    use(context, "file_finder", "caf*").text.encode()
    use(context, "read", ".").text.encode()


def test_nothing_to_look_for_teaches_the_form(context):
    result = use(context, "file_finder", "\n")
    assert (result.outcome, result.tool) == ("failed", "file_finder")


def test_a_hostile_glob_ends(context):
    put(context, "a" * 200, "x")
    assert (
        use(context, "file_finder", "*a" * 50 + "b\n" + "**/" * 40 + "zz").verdict == "ok, nothing was found"
    )


@pytest.mark.parametrize("name", [".env", ".ENV"])
@pytest.mark.parametrize("make", [os.link, lambda real, link: link.symlink_to(real)])
def test_what_a_hidden_name_leads_to_is_neither_found_by_content_nor_shown(context, name, make):
    put(context, "envs/prod", "KEY=CANARY\n")
    make(context.workspace.root / "envs/prod", context.workspace.root / name)
    results = [
        use(context, "file_finder", "canary"),
        use(context, "file_finder", "prod", None, "read"),
        *(
            use(context, tag, "A=1", path)
            for tag in ("read", "write", "edit")
            for path in (name, "envs/prod")
        ),
    ]
    assert not any("CANARY" in f"{result.text}{result.verdict}" for result in results)

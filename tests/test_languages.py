"""The table of languages: names, extensions, what a row says of a program."""

import re
import shutil

import pytest

from tripletick.languages.registry import (
    ALIASES,
    BY_EXTENSION,
    LANGUAGES,
    detect_language,
    fill_command,
    is_installed,
    list_programs,
    load_table,
    read_shipped_table,
    read_table,
    to_canonical_tag,
)

TWO_ROWS = '[language]\na = { aliases = ["x"] }\nb = { aliases = ["x"] }'


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("Py", "python"),
        ("psql", "postgresql"),
        ("sqlite3", "sql"),
        ("python3.11", "python"),
        ("shell-session", "bash"),
        ("console", "bash"),
        ("golang", "go"),
        ("JS", "javascript"),
        ("C++", "cpp"),
        ("c#", "csharp"),
        ("str-replace", "edit"),
        ("ls", "read"),
        ("search", "web_search"),
        ("find", "file_finder"),
        ("python-repl", "python_repl"),
        ("pythonic", "pythonic"),
        ("sh_history", "sh_history"),
    ],
)
def test_a_tag_is_known_by_its_other_names_and_only_as_a_whole_word(written, tag):
    assert to_canonical_tag(written) == tag


def test_every_alias_leads_to_a_canonical_tag_and_is_folded_itself():
    assert {ALIASES[tag] for tag in ALIASES.values()} == set(ALIASES.values())
    assert all(alias == alias.casefold() and "-" not in alias for alias in ALIASES)


def test_what_runs_stands_first_and_what_many_use_before_the_rest():
    runnable = ["bash", "python", "c", "go", "java", "javascript", "cpp", "typescript", "rust", "sql"]
    running = [row.is_runnable for row in LANGUAGES.values()]
    assert list(LANGUAGES)[:10] == runnable and running == sorted(running, reverse=True)


def test_what_needs_more_than_it_starts_is_installed_where_all_is_there():
    typescript = LANGUAGES["typescript"]
    assert not is_installed(typescript, {"node": "/usr/bin/node"}.get)
    assert is_installed(typescript, {"node": "/usr/bin/node", "tsc": "/usr/bin/tsc"}.get)


def test_parts_are_words_of_their_own():
    assert fill_command(["/bin/x", "{parts}", "{file}"], {"file": "a"}, ["b c", "d"]) == [
        "/bin/x",
        "b c",
        "d",
        "a",
    ]


def test_a_file_name_tells_the_language():
    named = [
        detect_language(name) for name in ("src/App.PY", "docs/Makefile", "a.json", "no_idea", "x.weird")
    ]
    assert [row and row.tag for row in named] == ["python", "makefile", "json", None, None]
    assert BY_EXTENSION[".h"] == "c"


def test_a_name_claimed_by_two_rows_is_an_error():
    with pytest.raises(ValueError, match="x means both a and b"):
        read_table(TWO_ROWS)


def test_the_patterns_of_the_shipped_rows_can_be_used():
    assert read_table(read_shipped_table()) == load_table()


def test_a_column_that_nobody_knows_is_an_error():
    with pytest.raises(ValueError, match="language a: unknown colour"):
        read_table('[language.a]\ncolour = "red"')


@pytest.mark.parametrize("column", ["entry = '('", "find.x = [['y', 'z']]", "find.x = [['', '{y}']]"])
def test_a_pattern_that_cannot_be_used_is_an_error_at_once(column):
    with pytest.raises(ValueError, match="language a: a pattern is invalid"):
        read_table(f"[language.a]\n{column}")


@pytest.mark.parametrize(
    ("source", "name", "main"),
    [
        ("public class Hello { public static void main(String[] a) {} }", "Hello.java", "Hello"),
        ("class A {}\nclass B {\n static class C {}\n static void main(String[] a) {} }", "B.java", "B"),
        ("public class P {}\nclass Q {\n  public static void main(String[] a) {} }", "P.java", "Q"),
        ("package a.b;\npublic final class R { static void main(String[] a) {} }", "R.java", "R"),
        ("System.out.println();", "Main.java", "Main"),
    ],
)
def test_the_public_class_names_a_java_file_and_the_one_with_main_is_started(source, name, main):
    java = LANGUAGES["java"]
    assert (java.make_file_name(source), java.extract_words(source)["main"]) == (name, main)


def test_a_javascript_module_gets_the_name_of_one():
    names = map(LANGUAGES["javascript"].make_file_name, ('import fs from "fs"', 'import("fs")', "let a"))
    assert list(names) == ["main.mjs", "main.js", "main.js"]


@pytest.mark.parametrize("tag", ["python", "javascript"])
def test_an_endless_word_in_what_a_checker_said_is_passed_over_at_once(tag):
    said = f"x:7\n{'A' * 200_000}\nSyntaxError: odd"
    found = re.search(LANGUAGES[tag].wrong, said)
    assert found and found["message"] == "SyntaxError: odd"


@pytest.mark.parametrize("tag", ["python", "go", "java", "fortran"])
def test_a_source_of_empty_lines_is_passed_over_at_once(tag):
    row, source = LANGUAGES[tag], "\n" * 100_000
    assert row.extract_words(source) == row.extract_words("")
    assert row.is_program(source) == row.is_program("")
    assert row.is_test("test_a.py", source) is False
    assert row.find_skip_reason("a", source) == row.find_skip_reason("a", "")


def test_a_source_without_main_is_no_program():
    c, python = LANGUAGES["c"], LANGUAGES["python"]
    assert not c.is_program("int add(int a) { return a; }")
    assert (
        c.is_program("int main(void) {}")
        and python.is_program("x = 1\nprint(x)")
        and not python.is_program("x = 1")
    )


def test_a_command_keeps_braces_that_name_nothing():
    command = fill_command(["/bin/x", "{ a }", "${b}", "{file}"], {"file": "a {file}.c"})
    assert command == ["/bin/x", "{ a }", "${b}", "a {file}.c"]


def test_a_language_is_installed_where_one_of_each_alternative_is_found():
    java, c = LANGUAGES["java"], LANGUAGES["c"]
    assert not is_installed(java, {"javac": "/usr/bin/javac"}.get)
    assert is_installed(c, {"clang": "/usr/bin/clang"}.get) and not is_installed(
        LANGUAGES["json"], shutil.which
    )
    assert list_programs(LANGUAGES["python"]) == [("python3", "python")]

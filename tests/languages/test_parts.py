"""Programs of several files: what lies beside the file that is run belongs to it, by its language's row."""

import shutil

import pytest
from tests.languages.samples import PARTS
from tests.programs import run

from tripletick.languages.registry import LANGUAGES, is_installed

C_MAIN = '#include <stdio.h>\nint six(void);\nint main(void) { printf("%d", six() * 7); }'
C_SIX = "int six(void) { return 6; }"
HERE = [tag for tag in PARTS if is_installed(LANGUAGES[tag], shutil.which)]
needs_c = pytest.mark.skipif("c" not in HERE, reason="a compiler of C")
needs_sql = pytest.mark.skipif(not is_installed(LANGUAGES["sql"], shutil.which), reason="sqlite3")


def put(context, name, text):
    path = context.workspace.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("tag", HERE)
def test_blocks_of_one_language_form_one_program(context, tag):
    *parts, (name, body) = PARTS[tag]
    for part, text in parts:
        assert run(context, tag, text, part).outcome == "ok"
    result = run(context, tag, body, name)
    assert (result.verdict, result.text) == (f"ok, saved {name}", "42")


@pytest.mark.parametrize("tag", [tag for tag in HERE if tag != "cpp"])
def test_what_stood_beside_a_program_before_belongs_to_it(context, tag):
    *parts, (name, body) = PARTS[tag]
    for part, text in parts:
        put(context, part, text)
    assert run(context, tag, body, name).text == "42"


@pytest.mark.parametrize("tag", [tag for tag in HERE if LANGUAGES[tag].entry])
def test_a_part_alone_is_saved_and_not_run(context, tag):
    name, body = PARTS[tag][0]
    result = run(context, tag, body, name)
    assert (result.verdict, result.exit) == (f"ok, saved {name}, not run: it is no program by itself", None)


@needs_c
def test_a_part_is_found_without_a_header(context):
    put(context, "six.c", C_SIX)
    assert run(context, "c", C_MAIN, "main.c").text == "42"


@needs_c
@pytest.mark.parametrize("stranger", ["int six(void) { return 1; }", "int broken(", "int main(void) { }"])
def test_what_has_nothing_to_do_with_a_program_does_it_no_harm(context, stranger):
    put(context, "stranger.c", stranger)
    run(context, "c", C_SIX, "six.c")
    assert run(context, "c", C_MAIN, "main.c").text == "42"


@needs_c
def test_a_mistake_in_a_part_is_told_with_the_part(context):
    put(context, "six.c", "int six(void) {\n  return x; }")
    context.ledger.known.add("six.c")
    result = run(context, "c", C_MAIN, "main.c")
    assert result.verdict.startswith("failed, saved main.c, six.c, line 2: ")


@needs_c
def test_the_mistake_of_the_program_itself_is_told_where_strangers_fail_too(context):
    put(context, "stranger.c", "int broken(")
    result = run(context, "c", "int main(void) {\n  return y; }", "main.c")
    assert result.verdict.startswith("failed, saved main.c, line 2: ") and "stranger" not in result.text


@needs_sql
def test_a_path_of_a_database_is_what_the_statements_work_on(context):
    made = run(context, "sql", "create table t (x); insert into t values (6), (7);", "shop.db")
    asked = run(context, "sql", "select x from t;", "shop.db")
    assert (made.verdict, asked.verdict, asked.text) == ("ok", "ok", "6\n7")


@needs_sql
def test_a_statement_that_is_wrong_ends_the_rest_with_its_line(context):
    result = run(context, "sql", "select 1;\nselec 2;\nselect 3;", "my query.sql")
    assert result.verdict == "failed, exit 1" and result.flags == {"saved"}
    assert result.text.startswith("1\nParse error near line 2") and "3" not in result.text.splitlines()


@needs_sql
def test_a_database_outside_of_the_folder_is_refused(context):
    assert run(context, "sql", "select 1;", "../shop.db").verdict.startswith("failed, refused: ")


@pytest.mark.skipif("php" not in HERE, reason="php")
def test_a_program_of_php_may_lack_the_opening_tag(context):
    assert run(context, "php", "echo 6 * 7;").text == "42"


@pytest.mark.skipif("go" not in HERE, reason="go")
def test_files_of_go_form_a_program_without_a_module_too(context):
    run(context, "go", "package main\nfunc six() int { return 6 }", "six.go")
    assert run(context, "go", "package main\nfunc main() { println(six() * 7) }", "main.go").text == "42"

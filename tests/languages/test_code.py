"""Programs as blocks: each row of the table really runs, in the best box that this machine has."""

import re
import shutil

import pytest
from tests.languages.samples import HELLO, WRONG
from tests.programs import ended, run

from tripletick.languages.registry import LANGUAGES, fill_command, is_installed, read_table
from tripletick.messages import Call
from tripletick.sandbox.box import Finished, Limits, RunRequest
from tripletick.tools import load_tools, output
from tripletick.tools.files import WRITE
from tripletick.tools.syntax_check import check_syntax, drain_output

NEARBY = {
    "python": ("near.py", "X = 42", "import near; print(near.X)"),
    "c": (
        "near.h",
        "#define X 42",
        '#include <stdio.h>\n#include "near.h"\nint main(void) { printf("%d", X); }',
    ),
    "java": (
        "Near.java",
        "class Near { static int x = 42; }",
        "class A { public static void main(String[] a) { System.out.println(Near.x); } }",
    ),
    "javascript": ("near.js", "module.exports = 42", 'console.log(require("./near"))'),
}
NEAR_MODULE = ("near.mjs", "export const x = 42", 'import { x } from "./near.mjs"\nconsole.log(x)')
PERL = '[language.perl]\nfile = "x.pl"\nrun = ["perl", "{file}"]\nstarts = ["perl"]'
ABSENT = '[language.frob]\nfile = "x.frob"\nrun = ["frobc|frob", "{file}"]\npackage = "frob-tools"'
WORDS = [
    (Finished(0, b""), "ok"),
    (Finished(3, b""), "failed, exit 3"),
    (Finished(139, b"", signal=11), "failed, killed by signal SIGSEGV"),
    (Finished(137, b"", signal=9, struck="timeout"), "stopped after 120 s"),
    (Finished(137, b"", signal=9, struck="memory"), "stopped at 2 GiB of memory"),
    (Finished(137, b"", signal=9, struck="output"), "stopped at 64 MiB of output"),
    (Finished(137, b"", signal=9, struck="processes"), "stopped at 256 processes"),
    (Finished(153, b"", signal=25), "stopped at 1 GiB for one file"),
    (Finished(152, b"", signal=24), "stopped after 120 s"),
]
DATA = [
    ("a.json", '{"a": 1,\n}', "line 2: "),
    ("b.toml", "a = 1\nb = ]\n", "line 2: Invalid value"),
    ("c.jsonl", "{}\n{", "line 2: "),
    ("d.json", "[" * 100_000, "it is nested too deeply"),
    ("e.json", b"\xff\xfe", "it is not UTF-8"),
    ("f.json", '\ufeff{"a": ' + "9" * 5000 + "}", None),
    ("g.yaml", "{", None),
]


def is_here(tag):
    return is_installed(LANGUAGES[tag], shutil.which)


def cases(table):
    return [
        pytest.param(tag, *(row if isinstance(row, tuple) else (row,)), id=tag)
        for tag, row in table.items()
        if is_here(tag)
    ]


def names(folder):
    return {path.name for path in folder.iterdir()}


def left(context):
    return names(context.workspace.root) - {".tripletick"}


def test_every_language_that_runs_has_a_sample():
    assert {tag for tag, row in LANGUAGES.items() if row.is_runnable} == HELLO.keys()


@pytest.mark.parametrize(("tag", "body"), cases(HELLO))
def test_a_program_without_a_path_runs_and_leaves_nothing(context, tag, body):
    result = run(context, tag, body)
    assert (result.verdict, result.text, result.exit) == ("ok", "42", 0)
    assert left(context) == set() == names(context.box.home) & {"tripletick"}


@pytest.mark.parametrize(("tag", "body"), cases(HELLO))
def test_a_program_with_a_path_is_saved_and_run_and_nothing_else_stays(context, tag, body):
    name = "deep/Six" + LANGUAGES[tag].extensions[0]
    result = run(context, tag, body, name)
    assert (result.verdict, result.text) == (f"ok, saved {name}", "42")
    assert (context.workspace.root / name).read_text() == body + "\n"
    assert names(context.workspace.root / "deep") == {name.removeprefix("deep/")}
    assert context.ledger.ran == {name: result}


@pytest.mark.parametrize(("tag", "name", "body"), cases(WRONG))
def test_a_saved_program_that_does_not_parse_is_not_run(context, tag, name, body):
    result = run(context, tag, body, name)
    assert result.verdict.startswith(f"failed, saved {name}, line 2: ") or tag == "bash"
    assert result.outcome == "failed" and result.flags == {"saved", "syntax"} and result.exit is None
    assert left(context) == {name}


@pytest.mark.parametrize(("tag", "name", "content", "body"), cases(NEARBY))
def test_a_program_without_a_path_finds_what_lies_in_the_workspace(context, tag, name, content, body):
    (context.workspace.root / name).write_text(content)
    result = run(context, tag, body)
    assert (result.verdict, result.text) == ("ok", "42")
    assert left(context) == {name}


@pytest.mark.skipif(not is_here("javascript"), reason="node")
def test_a_module_without_a_path_finds_what_lies_in_the_workspace(context):
    name, content, body = NEAR_MODULE
    (context.workspace.root / name).write_text(content)
    assert run(context, "javascript", body).text == "42"


@pytest.mark.skipif(not is_here("java"), reason="java")
def test_the_public_class_decides_the_file_of_a_java_program(context):
    result = run(context, "java", HELLO["java"].replace("class Six", "public class Other"))
    assert (result.verdict, result.text) == ("ok", "42")


def test_the_status_and_both_streams_are_given_back(context):
    result = run(context, "bash", "echo one; echo two >&2; exit 7")
    assert (result.outcome, result.verdict, result.exit) == ("failed", "failed, exit 7", 7)
    assert result.text == "one\ntwo" and not result.flags


def test_a_program_that_was_saved_before_as_it_is_is_no_change(context):
    first, second = (run(context, "python", "print(1)", "x.py") for _ in range(2))
    assert [change.path for change in first.files] == ["x.py"]
    assert (second.verdict, second.files) == ("ok, saved x.py (unchanged)", ())


def test_a_saved_program_that_fails_stays_saved(context):
    result = run(context, "python", "raise SystemExit(3)", "x.py")
    assert (result.verdict, result.exit) == ("failed, exit 3", 3) and result.flags == {"saved"}
    assert left(context) == {"x.py"} == {change.path for change in result.files}


@pytest.mark.skipif(not shutil.which("perl"), reason="perl")
def test_a_further_language_is_a_row_and_nothing_else(context):
    result = run(context, read_table(PERL).languages["perl"], 'print 6 * 7, "\\n"; exit 2', "x.pl")
    assert (result.verdict, result.text) == ("failed, exit 2", "42")


def test_a_missing_program_is_said_with_the_way_to_get_it(context):
    result = run(context, read_table(ABSENT).languages["frob"], "go", "x.frob")
    assert result.verdict.startswith("was not run, because frobc is not installed here")
    assert "apt install frob-tools" in result.verdict and result.flags == {"not-found", "saved"}


def test_a_program_that_exits_with_127_is_not_taken_for_a_missing_one(context):
    assert run(context, "bash", "exit 127").verdict == "failed, exit 127"


def test_python_is_the_project_s_own_where_it_has_one(context):
    own = context.workspace.root / ".venv/bin/python"
    own.parent.mkdir(parents=True)
    own.write_text('#!/bin/sh\n[ "$1" = -I ] || echo own\n')
    own.chmod(0o755)
    assert run(context, "python", "print(1)").text == run(context, "python", "print(1)", "x.py").text == "own"


@pytest.mark.parametrize("written", ["timeout=1", "timeout=1s"])
def test_a_program_is_stopped_after_the_time_that_its_block_names(context, written):
    result = run(context, "bash", "echo begun; sleep 50", None, written)
    assert result.verdict == "stopped after 1 s" and result.flags == {"timeout"}
    assert result.text.startswith("begun")


def test_a_background_process_is_ended_and_said(context):
    result = run(context, "bash", "sleep 50 >/dev/null 2>&1 &")
    assert result.verdict == "ok, 1 background process was ended"


def test_a_long_output_keeps_its_ends_and_lies_where_it_can_be_read(context):
    result = run(context, "bash", "seq 20000")
    lines = result.text.splitlines()
    assert (lines[0], lines[-1]) == ("1", "20000") and len(result.text) < context.clip + 200
    assert "bytes left out; read .tripletick/out/session/1.txt …" in result.text
    assert context.workspace.read_bytes(".tripletick/out/session/1.txt", 1 << 20).count(b"\n") == 20000


def test_an_output_that_is_no_text_is_counted_as_it_was(context):
    text = output.clip_output(Finished(0, b"\xff" * 5000), context)
    assert "\n… 3 000 bytes left out;" in text and text.startswith("\ufffd")


def test_what_is_left_out_is_counted_in_bytes(context):
    text = output.clip_output(Finished(0, b"a" * 10_000, b"b" * 10_000, dropped=98_000), context)
    assert "… 116 000 bytes left out;" in text


@pytest.mark.parametrize(("finished", "words"), WORDS)
def test_the_end_of_a_program_has_fixed_words(finished, words):
    assert output.format_verdict(finished, Limits()) == words


@pytest.mark.parametrize(
    ("tag", "name", "body"),
    [
        ("c", "part.c", "int add(int a, int b) { return a + b; }"),
        ("python", "requirements.txt", "requests>=2"),
        ("javascript", "page.js", 'document.title = "x"'),
    ],
)
def test_what_is_no_program_by_itself_is_saved_and_not_run(context, tag, name, body):
    result = run(context, tag, body, name)
    assert (result.verdict, result.exit) == (f"ok, saved {name}, not run: it is no program by itself", None)


def test_a_part_of_a_program_that_does_not_parse_fails(context):
    result = run(context, "javascript", "document.title = ;", "page.js")
    assert result.verdict.startswith("failed, saved page.js, line 1: ")


@pytest.mark.skipif(not is_here("java"), reason="java")
def test_a_part_of_a_java_program_is_parsed_and_may_lack_what_it_uses(context):
    assert run(context, "java", "class A { Missing m; int f() { return g(); } }", "A.java").ok
    assert run(context, "java", "class B { int x = ; }", "B.java").verdict.startswith(
        "failed, saved B.java, line 1: "
    )
    assert names(context.workspace.root) >= {"A.java", "B.java"}
    assert not list(context.workspace.root.glob("*.class"))


def test_a_source_that_is_only_written_fails_where_it_does_not_parse(context):
    result = ended(WRITE.run(Call("write", "def f(:", "x.py"), context))
    assert result.verdict.startswith("failed, saved x.py, line 1: ") and result.flags == {"saved", "syntax"}
    assert "^" in result.text


def test_data_that_does_not_parse_is_saved_and_said(context):
    result = ended(WRITE.run(Call("json", '{"a": }', "x.json"), context))
    assert result.ok and result.verdict.startswith("ok, saved x.json, but line 1: ")


def test_a_path_that_is_refused_runs_nothing(context):
    result = run(context, "bash", "touch ran", "../x.sh")
    assert result.outcome == "failed" and left(context) == set()


@pytest.mark.parametrize(("name", "content", "said"), DATA)
def test_data_is_parsed_when_it_is_saved(context, name, content, said):
    path = context.workspace.root / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    wrong = ended(check_syntax(name, context))
    assert wrong is None if said is None else wrong.startswith(said)


def test_a_check_runs_nothing_of_the_file_and_leaves_nothing(context):
    (context.workspace.root / "x.py").write_text("open('ran', 'w')\nimport x\n")
    assert ended(check_syntax("x.py", context)) is None
    assert left(context) == {"x.py"}


def test_markup_in_a_script_is_not_called_wrong(context):
    (context.workspace.root / "App.js").write_text('import x from "x"\nexport const App = () => <p>{x}</p>\n')
    assert ended(check_syntax("App.js", context)) is None


def test_a_header_is_not_checked_since_other_languages_have_such_too(context):
    (context.workspace.root / "x.h").write_text("class A { public: int b; };\n")
    assert ended(check_syntax("x.h", context)) is None


@pytest.mark.parametrize(("tag", "_"), cases(HELLO))
def test_every_row_knows_how_to_ask_for_the_version(context, tag, _):
    finished = drain_output(context.box.run(RunRequest(fill_command(LANGUAGES[tag].version, {}), "read")))
    assert finished.status == 0 and re.search(rb"\d+\.\d+", finished.head)


def test_every_runnable_language_has_its_tool():
    assert {tag for tag, row in LANGUAGES.items() if row.is_runnable} <= load_tools().keys()

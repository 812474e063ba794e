"""The shell's tool: what a reply has just saved and run is not run twice."""

import pytest
from tests.programs import ended, run

from tripletick.messages import Call, Result
from tripletick.tools.shell import (
    find_emptied_input,
    find_escaped_breaks,
    find_started_file,
    judge_status,
    make_shell_tool,
)
from tripletick.tools.shell_mistakes import find_unset_name

COUNT = "with open('count', 'a') as file: file.write('x')\nprint('counted')"


def shell(context, body, path=None):
    return ended(make_shell_tool().run(Call("bash", body, path), context))


def count(context):
    return len((context.workspace.root / "count").read_text())


@pytest.mark.parametrize(
    "script",
    [
        "python hello.py",
        "python3 ./hello.py",
        "./hello.py",
        "# run it\npython hello.py  # now",
        "{root}/hello.py",
    ],
)
def test_a_script_that_only_starts_what_has_just_run_gets_its_result(context, script):
    run(context, "python", COUNT, "hello.py")
    result = shell(context, script.format(root=context.workspace.root))
    assert (result.verdict, result.text, result.exit, count(context)) == ("ok", "counted", 0, 1)
    assert result.view == "hello.py has just been run; not run twice\ncounted"


@pytest.mark.parametrize(
    "script",
    [
        "python3 hello.py again",
        "python3 hello.py | cat",
        "python3 hello.py > out",
        "python3 -u hello.py",
        "X=1 python3 hello.py",
        "cd . && python3 hello.py",
        "python3 hello.py\necho done",
        "python3 $PWD/hello.py",
    ],
)
def test_a_script_that_does_more_is_run(context, script):
    run(context, "python", COUNT, "hello.py")
    assert shell(context, script).ok and count(context) == 2


def test_a_program_is_started_again_after_something_was_written(context):
    run(context, "python", COUNT, "hello.py")
    context.ledger.record_write("data.txt", created=True)
    assert shell(context, "python3 hello.py").ok and count(context) == 2


def test_a_program_is_started_again_after_another_script_ran(context):
    run(context, "python", COUNT, "hello.py")
    shell(context, "echo new > data.txt")
    assert shell(context, "python3 hello.py").ok and count(context) == 2


def test_every_saved_program_of_a_reply_is_remembered(context):
    run(context, "python", COUNT, "hello.py")
    run(context, "python", "print(2)", "other.py")
    assert shell(context, "python hello.py").text == "counted" and count(context) == 1


def test_a_script_with_a_path_is_saved_and_run_once(context):
    assert shell(context, "echo x >> count", "go.sh").verdict == "ok, saved go.sh"
    assert shell(context, "bash go.sh").ok and shell(context, "./go.sh").ok and count(context) == 2


@pytest.mark.parametrize(
    ("script", "file"),
    [
        ("node src/a.js", "src/a.js"),
        ("go run main.go", "main.go"),
        ("java Hello.java", "Hello.java"),
        ("sh x.sh", "x.sh"),
        ("python 'my file.py'", "my file.py"),
        ("hello.py", None),
        ("python", None),
        ("python hello.js", None),
        ("python 'hello.py", None),
        ("go build main.go", None),
        ("", None),
    ],
)
def test_the_table_of_languages_says_how_a_file_is_started(tmp_path, script, file):
    assert find_started_file(script, tmp_path) == file


def test_quotes_heredocs_and_pipes_reach_the_shell_as_they_were_written(context):
    script = "cat <<'EOF' | tr a-z A-Z\nit's \"$x\" `y` \\n\nEOF"
    assert shell(context, script).text == 'IT\'S "$X" `Y` \\N'


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("sort a.txt > a.txt", "sort a.txt > a.txt.new && mv a.txt.new a.txt"),
        ("ls\ngrep -v x a.txt | uniq > a.txt", "grep -v x a.txt | uniq > a.txt.new && mv a.txt.new a.txt"),
        (
            "tr a b < 'a b.txt' > 'a b.txt'",
            "tr a b < 'a b.txt' > 'a b.txt.new' && mv 'a b.txt.new' 'a b.txt'",
        ),
    ],
)
def test_a_file_is_not_emptied_before_it_is_read(context, script, line):
    for name in ("a.txt", "a b.txt"):
        (context.workspace.root / name).write_text("b\na\n")
    result = shell(context, script)
    assert not result.ok and result.text.endswith(f": {line}")
    assert (context.workspace.root / "a.txt").read_text() == "b\na\n"
    assert shell(context, line).ok


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ('echo "# A\\n* b" > a.md', "printf '%b\\n' \"# A\\n* b\" > a.md"),
        ("ls\necho 'x\\ny' >> 'a b.txt'", "printf '%b\\n' 'x\\ny' >> 'a b.txt'"),
    ],
)
def test_an_echo_of_several_lines_is_written_with_printf(context, script, line):
    result = shell(context, script)
    assert result.verdict.startswith("failed, it would write \\n into a")
    assert result.text.endswith(f"Write: {line}") and not list(context.workspace.root.glob("a*"))
    assert shell(context, line).ok
    [path] = context.workspace.root.glob("a*")
    assert path.read_text().count("\n") == 2


@pytest.mark.parametrize(
    "script",
    [
        'echo "a\\n"',
        'echo -e "a\\nb" > a.txt',
        'echo "puts(\\"a\\n\\");" > a.c',
        "echo 'a\\\\b' > a.txt",
        "printf 'a\\nb' > a.txt",
    ],
)
def test_an_echo_that_may_be_meant_as_it_stands_is_run(context, script):
    assert shell(context, script).ok


@pytest.mark.parametrize(
    "script",
    [
        "sort a.txt > b.txt",
        "sort a.txt >> a.txt",
        "echo a.txt > a.txt",
        "sort aa.txt 2> a.txt",
        "cat data/a.txt > a.txt",
        "touch a.txt; echo new > a.txt",
        "[ -s a.txt ] && date > a.txt",
    ],
)
def test_what_reads_another_file_or_appends_is_run(context, script):
    (context.workspace.root / "data").mkdir()
    for name in ("a.txt", "aa.txt", "data/a.txt"):
        (context.workspace.root / name).write_text("b\na\n")
    assert shell(context, script).ok


@pytest.mark.parametrize(
    "script",
    [
        "git show HEAD:a.txt > a.txt",
        "unzip -p saved.zip a.txt > a.txt",
        "tar -xOf saved.tar a.txt > a.txt",
        "find . -name a.txt > a.txt",
    ],
)
def test_the_name_of_a_file_is_not_always_what_is_read(context, script):
    (context.workspace.root / "a.txt").write_text("b\n")
    assert find_emptied_input(script, context) is None


def test_an_echo_whose_quote_stays_open_is_no_text_of_several_lines():
    assert find_escaped_breaks('echo "' + "a\\n" * 100_000) is None


def test_a_file_that_is_not_there_is_the_program_above_that_has_no_name(context):
    run(context, "python", COUNT)
    result = shell(context, "python3 solution.py")
    assert (result.verdict, result.text, count(context)) == ("ok", "counted", 1)
    assert result.view.startswith("solution.py is not there; the program above has just been run")
    context.ledger.begin_reply()
    assert not shell(context, "python3 solution.py").ok


def test_a_file_that_is_there_is_run_also_behind_a_program_without_a_name(context):
    run(context, "python", COUNT)
    (context.workspace.root / "solution.py").write_text(COUNT)
    assert shell(context, "python3 solution.py").ok and count(context) == 2


@pytest.mark.parametrize(
    ("script", "verdict", "text"),
    [
        ("grep -q tea list.txt", "ok, no match", "(no match)"),
        ("cat list.txt | grep -i tea", "ok, no match", "(no match)"),
        ("cd . && grep tea list.txt && echo yes", "ok, no match", "(no match)"),
        ("if grep tea list.txt; then echo yes; else exit 1; fi", "ok, no match", "(no match)"),
        ("diff list.txt other.txt", "ok, they differ", None),
        ("grep rice *", "ok", "list.txt:rice"),
        ("grep tea *", "ok, no match", "(no match)"),
        ("grep rice docs nothing.txt", "failed, exit 2", None),
        ("rm gone.txt list.txt", "ok, the others were deleted", None),
        ("rm -v other.txt\nrm 'gone.txt'", "failed, exit 1", None),
        ("rm gone.txt nothing.txt", "failed, exit 1", None),
        ("rm gone.txt list.txt; ls nothing.txt", "failed, exit 2", None),
        ("cmp list.txt other.txt", "ok, they differ", None),
        ("diff list.txt list.txt", "ok", None),
        ("grep -iq RICE list.txt", "ok, match found", "(match found)"),
        ("grep -iq RICE list.txt && touch new.txt", "ok", ""),
        ("[ -f tea.txt ] && echo yes", "ok, false", "(false)"),
        ("if [[ -d tea ]]; then echo yes; fi", "ok", ""),
        ("test -e list.txt", "ok, true", "(true)"),
        ("[ -f list.txt ] && echo yes", "ok", "yes"),
        ("grep rice list.txt", "ok", "rice"),
        ("for f in list.txt other.txt; do grep rice $f; done", "ok", "rice"),
        ("for f in list.txt other.txt; do\n  grep rice $f\ndone\n", "ok", "rice"),
        ("grep rice list.txt; cat list.txt | grep tea", "ok", "rice"),
        ("cat nothing.txt; grep tea list.txt", "failed, exit 1", None),
        ("echo rice; grep -x tea list.txt; exit 1", "failed, exit 1", None),
        ("grep tea nothing.txt", "failed, exit 2", None),
        ("diff list.txt nothing.txt", "failed, exit 2", None),
        ("grep tea list.txt; cat nothing.txt", "failed, exit 1", None),
        ("echo grep; exit 1", "failed, exit 1", None),
        ("exit 1", "failed, exit 1", None),
        ("curl -s http://127.0.0.1:9 | grep x", "failed, exit 1", None),
    ],
)
def test_a_search_without_a_match_and_a_difference_are_answers(context, script, verdict, text):
    for name, words in (("list.txt", "rice\n"), ("other.txt", "peas\n")):
        (context.workspace.root / name).write_text(words)
    (context.workspace.root / "docs").mkdir()
    context.ledger.begin_request(frozenset({"list.txt"}))
    result = judge_status(Call("bash", script), shell(context, script), context)
    assert result.verdict == verdict and text in (None, result.text.strip())


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("grep tea list.txt", "(no match; not searched: docs/, other.txt)"),
        ("grep -r tea .", "(no match)"),
        ("grep tea *.txt", "(no match)"),
        ("cat list.txt | grep tea", "(no match)"),
        ("grep tea list.txt other.txt docs/a.txt", "(no match)"),
    ],
)
def test_a_search_of_some_files_says_which_others_there_are(context, script, text):
    (context.workspace.root / "docs").mkdir()
    for name in ("list.txt", "other.txt", "docs/a.txt"):
        (context.workspace.root / name).write_text("rice\n")
    result = judge_status(Call("bash", script), shell(context, script), context)
    assert (result.text.strip(), result.ok) == (text, "not searched" not in text)


def test_a_pattern_that_also_fits_the_folder_moves_the_others(context):
    for name in ("Meyer a.txt", "Meyer b.txt"):
        (context.workspace.root / name).write_text("text\n")
    (context.workspace.root / "Meyer").mkdir()
    result = judge_status(call := Call("bash", "mv Meyer* Meyer"), shell(context, call.body), context)
    assert (result.outcome, result.verdict, result.text) == ("ok", "ok", "")
    assert len(list((context.workspace.root / "Meyer").iterdir())) == 2
    both = Call("bash", "mv Meyer Meyer; mv no.txt Meyer")
    assert not judge_status(both, shell(context, both.body), context).ok


def test_files_that_have_their_new_names_already_are_no_failure(context):
    for name in ("a b.txt", "c.txt"):
        (context.workspace.root / name).write_text("x")
    call = Call("bash", 'for file in *.txt; do\n  mv "$file" "${file// /_}"\ndone')
    result = judge_status(call, shell(context, call.body), context)
    assert (result.outcome, result.verdict, result.text) == ("ok", "ok", "")
    assert (context.workspace.root / "a_b.txt").exists()
    other = Call("bash", "mv c.txt c.txt; mv d.txt e.txt")
    assert not judge_status(other, shell(context, other.body), context).ok


def test_a_program_of_another_language_is_not_judged_by_the_searches_that_it_starts(context):
    failed = Result("failed", "failed, exit 2", "list.txt:rice\ngrep: docs: Is a directory\n", exit=2)
    assert judge_status(Call("python", "run('grep rice *')"), failed, context) == failed


def test_a_quiet_search_shows_the_lines_that_it_was_for(context):
    context.ledger.task = "the packing list: is wallet on it?"
    (context.workspace.root / "packing.txt").write_text("* socks\n* wallet\n")
    script = "grep -q wallet packing.txt"
    result = judge_status(Call("bash", script), shell(context, script), context)
    assert result.text == "(match found)\npacking.txt:2: * wallet"


@pytest.mark.parametrize("script", ["echo $total > total.txt", 'echo "${total}"', "total2=1\necho $total"])
def test_a_name_that_only_another_block_sets_runs_nothing(context, script):
    run(context, "python", "total = 9\nprint(total)")
    result = shell(context, script)
    assert result.outcome == "failed" and result.verdict == "failed, nothing in this block sets total"
    assert "$total of another block is not known here" in result.text
    assert not (context.workspace.root / "total.txt").exists()


@pytest.mark.parametrize(
    "script",
    [
        "total=$(wc -l < a.txt)\necho $total",
        "while read -r a b; do echo $a $b; done < a.txt",
        "for f in *.txt; do echo ${f%.txt}; done",
        "awk '{total += $1} END {print total, $nf}' a.txt",
        "cat > b.sh <<'EOF'\necho $name\nEOF",
        'echo "${name:-nobody}" $HOME $1 \\$price',
        "mapfile -t lines < a.txt; echo ${lines[0]}",
        "echo '$total'",
        "# Show the file's last line\nsed -n '$p' a.txt",
        "echo \"It's\"; sed '$d' a.txt",
        "echo \"$(awk '{print $nf}' a.txt)\"",
        'echo $((16#ff)) "(( note ))"',
        'for f in *.txt; do ((++n)); echo "$n"; done',
        'read -p "Name; then enter: " name < a.txt; echo "$name"',
        "read -r a \\\n  b < a.txt\necho $b",
        "cat > b.txt <<EOF\nIt's $five\nEOF\nawk '{print $nf}' a.txt",
    ],
)
def test_a_name_that_is_set_or_no_name_of_the_shell_is_left_alone(context, script):
    (context.workspace.root / "a.txt").write_text("1\n")
    assert shell(context, script).ok


def test_names_are_looked_for_in_time():
    for script in ("\n" * 20_000, "'" * 20_000, '"' * 20_000, "$(" * 10_000, "\\" * 20_000, "read " * 4000):
        find_unset_name(script)

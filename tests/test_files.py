"""Reading and saving: what the model is told, and what is never lost."""

import os
from dataclasses import replace

import pytest
from tests.filing import open_plain, play, put, use

from tripletick.messages import Answer, Call
from tripletick.tools.content_loss import find_placeholders

LONG = "".join(f"line {n}\n" for n in range(1, 101))


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as opened:
        yield opened


def test_write_saves_with_one_final_newline(context):
    result = use(context, "write", "# Title\n\ntext", "docs/new.md")
    assert (result.verdict, result.files[0].action) == ("ok, saved docs/new.md", "created")
    assert (context.workspace.root / "docs/new.md").read_bytes() == b"# Title\n\ntext\n"


def test_what_cannot_be_encoded_is_replaced(context):
    assert use(context, "write", "a\ud800b\0c", "x.txt").ok
    text = (context.workspace.root / "x.txt").read_text("utf-8")
    assert (text[0], text[-4:]) == ("a", "b\ufffdc\n")


def test_write_without_a_path_teaches_its_form(context):
    result = use(context, "write", "x")
    assert (result.outcome, result.tool) == ("failed", "write")


@pytest.mark.parametrize(
    "path", ["../x", "~/.bashrc", "/etc/x", ".git/hooks/pre-commit", ".tripletick/x", "."]
)
@pytest.mark.parametrize("tag", ["write", "append", "edit"])
def test_the_guard_refuses_with_a_sentence(context, tag, path):
    result = use(context, tag, "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE", path)
    assert (result.outcome, result.flags) == ("failed", {"refused"})
    assert path.strip(".") in result.verdict and list(context.workspace.root.iterdir()) == []


@pytest.mark.parametrize("path", ["docs", "new/", "notes.txt/x", "x" * 300])
def test_what_can_be_no_file_is_refused(context, path):
    put(context, "docs/a.md", "a\n")
    put(context, "notes.txt", "n\n")
    result = use(context, "write", "x", path)
    assert (result.outcome, result.flags) == ("failed", {"refused"})


def test_an_invented_path_is_understood_and_said(context):
    assert (
        use(context, "write", "x", "/workspace/a.txt").verdict
        == "ok, saved a.txt (/workspace/a.txt means a.txt here)"
    )


@pytest.mark.parametrize("tag", ["write", "edit"])
def test_in_read_mode_nothing_is_saved(context, tag):
    result = use(replace(context, mode="read"), tag, "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE", "x.txt")
    assert result.outcome == "forbidden" and list(context.workspace.root.iterdir()) == []


def test_a_file_nobody_has_read_is_not_replaced_but_shown(context):
    file = put(context, "notes.md", LONG)
    result = use(context, "write", "mine", "notes.md")
    assert (result.outcome, result.flags) == ("failed", {"refused"}) and file.read_text() == LONG
    assert "edit:notes.md" in result.text and "<<<<<<< SEARCH" in result.text
    assert " 1|line 1\n" in result.text and "20|line 20\n" in result.text and "line 21" not in result.text


@pytest.mark.parametrize("tag", ["write", "append"])
def test_an_empty_file_has_nothing_to_lose(context, tag):
    put(context, "a.txt", "")
    assert (
        use(context, tag, "text", "a.txt").ok and (context.workspace.root / "a.txt").read_text() == "text\n"
    )


def test_first_lines_alone_do_not_count_as_read(context):
    put(context, "notes.md", LONG)
    assert not use(context, "write", LONG + "x", "notes.md").ok
    assert not use(context, "write", LONG + "x", "notes.md").ok
    assert use(context, "read", "notes.md").ok
    assert use(context, "write", LONG + "x", "notes.md").ok


def test_a_short_file_that_was_shown_as_a_whole_can_be_replaced_next_time(context):
    file = put(context, "notes.md", "one\ntwo\n")
    assert not use(context, "write", "mine", "notes.md").ok
    assert use(context, "write", "mine", "notes.md").ok and file.read_text() == "mine\n"


def test_a_binary_file_is_neither_shown_nor_replaced(context):
    file = put(context, "logo.png", b"\x89PNG\0\1")
    assert "binary file, 6 B" in use(context, "read", "logo.png").text
    results = [use(context, "write", "x", "logo.png") for _ in range(2)]
    assert not any(each.ok or "PNG" in each.text for each in results)
    assert file.read_bytes() == b"\x89PNG\0\1"


def test_a_secret_file_is_not_shown_by_the_refusal(context):
    put(context, ".env", "KEY=CANARY\n")
    results = [use(context, tag, ".env", ".env") for tag in ("read", "write", "edit", "append")]
    assert all(not each.ok and "CANARY" not in each.text + each.verdict for each in results)


def test_the_same_content_is_unchanged_and_fine(context):
    put(context, "a.md", "same\n")
    result = use(context, "write", "same", "a.md")
    assert (result.verdict, result.files) == ("ok, a.md is unchanged", ())


def test_a_path_from_a_first_comment_creates_and_never_replaces(context):
    file = put(context, "a.md", "old\n")
    use(context, "read", "a.md")
    assert not play(context, Call("write", "new", "a.md", timid=True)).ok and file.read_text() == "old\n"
    assert play(context, Call("write", "new", "b.md", timid=True)).ok
    assert play(context, Call("write", "newer", "b.md", timid=True)).ok


@pytest.mark.parametrize(
    ("answer", "outcome", "kept"),
    [
        (Answer("y"), "ok", False),
        (Answer("n", "not now"), "denied", True),
        (Answer(there=False), "forbidden", True),
    ],
)
@pytest.mark.parametrize("body", [LONG[:300], LONG.replace("line 50", "# ... rest unchanged ...")])
def test_losing_lines_is_the_persons_choice(context, body, answer, outcome, kept):
    file = put(context, "notes.py.txt", LONG)
    use(context, "read", "notes.py.txt")
    result = play(context, Call("write", body, "notes.py.txt"), answer)
    assert result.outcome == outcome and (file.read_text() == LONG) == kept
    assert result.ok or result.verdict.startswith("refused")


def test_a_no_with_a_word_reaches_the_model(context):
    put(context, "a.txt", LONG)
    use(context, "read", "a.txt")
    result = play(context, Call("write", "x", "a.txt"), Answer("n", "keep my lines"))
    assert result.verdict == "refused by the person: keep my lines"


@pytest.mark.parametrize("keep", [60, 100, 200])
def test_a_file_that_keeps_its_size_is_not_asked_for(context, keep):
    put(context, "a.txt", LONG)
    use(context, "read", "a.txt")
    assert use(context, "write", "new\n" * keep, "a.txt").ok


@pytest.mark.parametrize("words", ["# ... rest unchanged ...", "# (existing code)", "# …"])
def test_a_rewrite_of_what_this_turn_made_may_not_leave_lines_out_with_words(context, words):
    program = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    assert use(context, "write", program, "a.py").ok
    result = use(context, "write", f"{words}\n\ndef two():\n    return 3\n", "a.py")
    assert (result.outcome, (context.workspace.root / "a.py").read_text()) == ("failed", program)
    assert result.text.splitlines()[1:] == ["def one():", "    return 1", "    return 2"]
    assert use(context, "write", f"{program}{words}\n", "a.py").ok


def test_files_that_this_turn_made_may_shrink(context):
    assert use(context, "write", LONG, "a.txt").ok
    assert use(context, "write", "short", "a.txt").ok
    context.ledger.begin_turn()
    assert use(context, "write", LONG, "a.txt").ok
    assert use(context, "write", "short", "a.txt").outcome == "forbidden"


def test_append_adds_to_what_this_turn_made(context):
    use(context, "write", "one", "a.txt")
    assert use(context, "append", "two", "a.txt").ok and use(context, "write", "three", "a.txt", "append").ok
    assert (context.workspace.root / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_a_file_too_large_to_be_looked_at_as_a_whole_is_not_added_to(context):
    use(context, "write", "one", "a.txt")
    os.truncate(context.workspace.root / "a.txt", 65 << 20)
    assert not use(context, "append", "two", "a.txt").ok
    assert (context.workspace.root / "a.txt").stat().st_size == 65 << 20


def test_append_makes_a_file_and_leaves_the_persons_alone(context):
    file = put(context, "mine.txt", "mine\n")
    use(context, "read", "mine.txt")
    assert not use(context, "append", "x", "mine.txt").ok and file.read_text() == "mine\n"
    assert use(context, "append", "x", "new.txt").files[0].action == "created"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\r\nb\r\n", b"x\r\ny\r\n"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfx\ny\n"),
        (b"a\r\nb\n", b"x\ny\n"),
        (b"", b"x\ny\n"),
    ],
)
def test_line_ends_and_bom_stay_as_they_were(context, old, new):
    file = put(context, "a.txt", old)
    use(context, "read", "a.txt")
    context.ledger.known.add("a.txt")
    assert use(context, "write", "x\ny", "a.txt").ok and file.read_bytes() == new


def test_a_program_that_does_not_parse_is_saved_and_fails(context):
    result = use(context, "write", "def f(:\n  pass", "x.py")
    assert result.verdict.startswith("failed, saved x.py, line 1: ") and result.flags == {"saved", "syntax"}
    assert (context.workspace.root / "x.py").exists()


def test_data_that_does_not_parse_is_saved_and_said(context):
    result = use(context, "write", '{"a": 1,\n "b": }', "x.json")
    assert result.ok and result.verdict.startswith("ok, saved x.json, but line 2: ")


def test_read_numbers_lines_and_takes_ranges(context):
    put(context, "a.txt", LONG)
    assert use(context, "read", "a.txt:2-3").text == "a.txt, 100 lines, of which 2-3:\n2|line 2\n3|line 3"
    assert use(context, "read", "a.txt:99-").text.endswith(":\n 99|line 99\n100|line 100")
    assert use(context, "read", "a.txt:7").text.endswith("7:\n7|line 7")
    assert "only 100 lines" in use(context, "read", "a.txt:300-400").text


@pytest.mark.parametrize(
    "line", ["long.txt 3-4", "* long.txt:3-4", "- long.txt lines 3-4", "• long.txt#L3-L4"]
)
def test_a_range_is_read_as_models_write_it(context, line):
    put(context, "long.txt", "".join(f"row {n}\n" for n in range(1, 9)))
    result = use(context, "read", line)
    assert result.text == "long.txt, 8 lines, of which 3-4:\n3|row 3\n4|row 4"


def test_a_name_with_endless_blanks_is_looked_for_at_once(context):
    assert use(context, "read", f"a{' ' * 20_000}b").flags == {"not-found"}


def test_an_append_without_a_path_teaches_its_own_form(context):
    assert use(context, "append", "more").tool == "append"


def test_read_takes_several_paths_and_shows_what_it_can(context):
    put(context, "a.txt", "A\n")
    put(context, "notes.txt", "N\n")
    result = use(context, "read", "a.txt\nnote.txt\nnotes.txt")
    assert (result.verdict, result.tool) == ("failed, note.txt was not found", "read")
    assert "1|A" in result.text and "1|N" in result.text and "There is: notes.txt" in result.text
    assert result.flags == {"not-found"}


def test_a_missing_file_is_looked_for_in_other_folders(context):
    put(context, "docs/deep/report.md", "x")
    assert "docs/deep/report.md" in use(context, "read", "report.md").text


def test_read_lists_a_folder_with_sizes(context):
    put(context, "docs/b.md", "12345")
    put(context, "docs/a/x", "")
    assert use(context, "read", "docs").text == "docs/ holds:\na/\nb.md  5 B"
    assert use(context, "read", ".").text == "This folder holds:\ndocs/"


def test_a_long_file_is_clipped_with_the_way_to_go_on(context):
    put(context, "a.txt", "".join(f"{n:04} {'x' * 40}\n" for n in range(1, 1001)))
    shown, seen = "a.txt", 0
    for _ in range(100):
        result = use(context, "read", shown)
        assert len(result.text) < context.clip + 200
        seen += sum("|" in line for line in result.text.splitlines())
        if "; read " not in result.text:
            break
        shown = result.text.rpartition("; read ")[2]
    assert seen == 1000


def test_one_endless_line_is_cut(context):
    put(context, "a.txt", "x" * 100_000)
    assert "98000 characters more" in use(context, "read", "a.txt").text


def test_a_file_whose_name_looks_like_a_range_is_itself(context):
    put(context, "a.txt:3", "odd\n")
    assert "1|odd" in use(context, "read", "a.txt:3").text


@pytest.mark.parametrize(
    "line",
    [
        "# rest unchanged",
        "    # ... rest of the code unchanged ...",
        "…existing code…",
        "// ... existing code ...",
        "/* rest of the styles */",
        "<!-- rest of the page -->",
        "    pass  # ... existing code ...",
        "-- same as before",
        "# ...",
        "{/* existing components */}",
        "[rest of the file unchanged]",
        "# 其余代码保持不变",
        "// ... le reste du code ...",
        "# restlicher Code bleibt unverändert",
        "// resto del código sin cambios",
        "# остальной код без изменений",
    ],
)
def test_a_line_that_stands_for_others_is_seen_when_it_is_new(line):
    assert find_placeholders("x = 1\n", f"x = 1\n{line}\n", "a.py") == [line.strip()]
    assert find_placeholders(f"{line}\n", f"x = 1\n{line}\n", "a.py") == []


@pytest.mark.parametrize(
    "line",
    [
        "...",
        "# Load the existing users",
        "# other imports",
        "print('rest unchanged')",
        "# TODO",
        "[1, 2, ...]",
        "The rest of the code is unchanged since 1.0.",
        "# Loading...",
        "def rest(): ...",
        "- name: keep",
    ],
)
def test_an_ordinary_line_stands_for_itself(line):
    assert find_placeholders("", line, "a.py") == []


def test_in_prose_a_heading_is_no_comment():
    assert find_placeholders("", "# Existing code\n- same as before\n", "a.md") == []
    assert find_placeholders("", "<!-- rest unchanged -->\n", "a.md") == ["<!-- rest unchanged -->"]


@pytest.mark.parametrize(("name", "ends"), [("start.sh", b"\n"), ("notes.txt", b"\r\n")])
def test_only_a_shell_script_loses_windows_line_ends(context, name, ends):
    (context.workspace.root / name).write_bytes(b"cd data\r\nls\r\n")
    context.ledger.known.add(name)
    assert use(context, "write", "cd data\nls -l", name).ok
    assert (context.workspace.root / name).read_bytes() == b"cd data" + ends + b"ls -l" + ends

"""The line below a block that changed files: which, and how many lines came and went."""

import random
import subprocess
from itertools import pairwise

import pytest
from tests.playing import last

from tripletick.checkpoint.diffs import MOST, count_lines, diff_contents
from tripletick.events import Changed, Interrupted, Output
from tripletick.messages import format_line_counts


def said(events):
    return [format_line_counts(event.files) for event in events if isinstance(event, Changed)]


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("```write:new.txt\na\nb\n```", "created new.txt +2 -0"),
        ("```append:notes.txt\nfour\n```", None),
        ("```bash\necho four >> notes.txt\n```", "changed notes.txt +1 -0"),
        ("```bash\nprintf 'one\\n2\\nthree' > notes.txt\n```", "changed notes.txt +2 -2"),
        (
            "```edit:notes.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n2b\n>>>>>>> REPLACE\n```",
            "changed notes.txt +2 -1",
        ),
        ("```bash\nrm notes.txt\n```", "deleted notes.txt +0 -3"),
        ("```bash\nmv notes.txt b.txt\n```", "renamed notes.txt to b.txt"),
        ("```bash\nprintf 'a\\0b' > notes.txt\n```", "changed notes.txt"),
        ("```bash\nmkdir empty\n```", None),
        ("```bash\ncat notes.txt\n```", None),
        ("```bash\nrm notes.txt; exit 3\n```", "deleted notes.txt +0 -3"),
        (
            "```bash\nfor n in 1 2 3 4 5; do seq $n > $n.txt; done; seq 9 > notes.txt\n```",
            "created 5 files · changed 1 file · +24 -3",
        ),
    ],
)
def test_a_block_that_changed_files_says_which_and_by_how_many_lines(session, block, line):
    it = session(block, "Done.", "Done.")
    (it.folder / "notes.txt").write_text("one\ntwo\nthree\n")
    assert said(it.play()) == ([line] if line else [])


def test_each_block_has_its_own_line_and_one_that_is_skipped_has_none(session):
    it = session(
        "```bash\necho > a\n```\n\n```bash\nseq 3 > b; exit 1\n```\n\n```bash\necho > c\n```",
        "I stop.",
        "I stop.",
    )
    assert said(it.play()) == ["created a +1 -0", "created b +3 -0"]


def test_what_a_block_changed_before_it_was_stopped_is_said(session):
    it = session("```bash\nseq 5 > a; echo there; sleep 60\n```")
    turn = it.loop.run_turn(it.prompts.agents["coder"], "do it")
    while not isinstance(next(turn), Output):
        pass
    events = [turn.throw(KeyboardInterrupt), *turn]
    assert said(events) == ["created a +5 -0"] and isinstance(events[-1], Interrupted)


@pytest.mark.parametrize("size", [0, 1, 7, 60, 2 * MOST])
def test_a_diff_leads_from_the_old_text_to_the_new_one(tmp_path, size):
    chance = random.Random(size)
    texts = [
        "",
        *("".join(chance.choice("abc") + "\n" for _ in range(size)) for _ in range(4)),
        "a\nb",
        "a\r\n",
    ]
    for old, new in pairwise(texts):
        lines = diff_contents("f.txt", old.encode(), new.encode())
        file = tmp_path / "f.txt"
        file.write_bytes(old.encode())
        patch = "".join(f"{line.text}\n" for line in lines).encode()
        if old != new:
            done = subprocess.run(
                ["git", "apply", "-p1"], input=patch, cwd=tmp_path, capture_output=True, check=False
            )
            assert not done.returncode, done.stderr
            assert file.read_bytes() == new.encode()
        added, removed = count_lines(lines)
        assert new.count("\n") + (new[-1:] not in ("", "\n")) - added == (
            old.count("\n") + (old[-1:] not in ("", "\n")) - removed
        )


def test_a_file_of_which_every_other_line_changed_is_counted_in_no_time(session):
    it = session(
        "```bash\nawk '{ if (NR % 2) print; else print \"x\" NR }' notes.txt > b; mv b notes.txt\n```",
        "Done.",
    )
    (it.folder / "notes.txt").write_text("".join(f"{number}\n" for number in range(1, 30_001)))
    ((file,),) = [event.files for event in it.play() if isinstance(event, Changed)]
    assert file.added is not None and file.added == file.removed and file.added >= 15_000


def test_the_count_is_drawn_below_the_block_and_stands_in_the_log(session):
    from tests.turns.test_elisions import drawn

    it = session("```write:new.txt\na\nb\n```", "Done.")
    events = it.play()
    assert "\ncreated new.txt +2 -0\n" in drawn(events, chat=True)
    assert last(events, Changed).files[0].file.path == "new.txt"

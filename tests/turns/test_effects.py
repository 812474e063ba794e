"""What the model is told of the files that its blocks have changed."""

import pytest


def told(it, message=-1):
    """Give what stands behind the results of the last message, up to the task."""
    said = it.model.asked[-1][message].text.partition("\n\nThe task was")[0]
    begins = [said.rfind(f"\n\n{word}") for word in ("Changed: ", "No file was changed.")]
    return said[max(begins) :].strip()


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("mv a.txt b.txt", "Changed: moved a.txt to b.txt.\nFiles here now: b.txt"),
        ("mkdir d; mv a.txt d/", "Changed: moved a.txt to d/a.txt."),
        ("rm a.txt", "Changed: deleted a.txt.\nFiles here now: nothing"),
        ("mkdir empty", "Changed: created empty/."),
        ("touch b.txt", "Changed: created b.txt.\nb.txt is empty."),
        ("echo two > b.txt", "Changed: created b.txt.\nb.txt now:\n```text\ntwo\n```"),
        ("echo two >> a.txt", "Changed: changed a.txt.\na.txt now:\n```text\none\ntwo\n```"),
        ("cat a.txt > /dev/null", "No file was changed."),
        ("cp a.txt b.txt; rm b.txt", "No file was changed."),
    ],
)
def test_a_block_is_followed_by_what_it_changed(session, script, says):
    it = session(f"```bash\n{script}\n```", "Done.")
    (it.folder / "a.txt").write_text("one\n")
    it.play()
    assert told(it).startswith(says)


def test_what_a_save_wrote_is_named_and_not_shown_again(session):
    it = session("```python:a.py\nprint(1)\n```", "Done.")
    it.play()
    assert told(it) == "Changed: created a.py."


def test_many_changes_are_counted(session):
    it = session("```bash\nfor i in $(seq 40); do echo $i > f$i.txt; done\n```", "Done.")
    it.play()
    assert "20 more." in told(it)


def test_a_long_new_file_is_shown_by_its_first_lines(session):
    it = session("```bash\nseq 100 > n.txt\n```", "Done.")
    it.play()
    assert "n.txt now, the first 12 of 100 lines:" in told(it)
    assert "\n13\n" not in told(it)


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo new >> n.txt", "n.txt now, lines 10 to 21 of 21:\n```text\n10\n"),
        ("sed -i 7d n.txt", "n.txt now, lines 5 to 16 of 19:\n```text\n5\n6\n8\n"),
        ("sed -i 20d n.txt", "n.txt now, lines 8 to 19 of 19:\n```text\n8\n"),
        ("sed -i s/1/one/ n.txt", "n.txt now, the first 12 of 20 lines:\n```text\none\n"),
        ("sed -i 13,20d n.txt", "n.txt now:\n```text\n1\n"),
        ("seq -f %080.0f 20 > n.txt", "n.txt now, the first 600 of 1619 characters:"),
    ],
)
def test_a_long_file_is_shown_where_it_was_changed(session, script, says):
    it = session(f"```bash\n{script}\n```", "Done.")
    (it.folder / "n.txt").write_text("".join(f"{n}\n" for n in range(1, 21)))
    it.play()
    assert says in told(it)


def test_the_switch_turns_it_off(session):
    it = session("```bash\nrm -f x\n```", "Done.", trial={"effects": False})
    it.play()
    assert "No file was changed" not in it.model.asked[-1][-1].text

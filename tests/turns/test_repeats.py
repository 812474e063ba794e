"""A model that says the same for ever is stopped; what only looks alike is not."""

import itertools
import random

import pytest

from tripletick.events import Answered, GaveUp, Notice, Refused, Repairing
from tripletick.turn.reply import RepetitionDetector, find_period

REFRAIN = (
    "Row, row, row your boat\nGently down the stream,\nMerrily, merrily, merrily,\nLife is but a dream.\n\n"
)
LEGIT = {
    "rule": "Title\n" + "-" * 900 + "\ntext\n" + "=" * 900 + "\n",
    "table": "| n | square |\n|---|---|\n" + "".join(f"| {n} | {n * n} |\n" for n in range(900)),
    "empty table": "| | | | |\n|---|---|---|---|\n" + "| | | | |\n" * 140,
    "list": "".join(f"{n}. Step {n}: look at the file.\n" for n in range(900)),
    "boxes": "".join(f"- [ ] task {n}\n" for n in range(900)),
    "refrain": "".join(f"Verse {n}\n" + REFRAIN * 3 for n in range(20)),
    "lines for school": "I must not talk in class.\n" * 50,
    "art": ("+" + "-" * 60 + "+\n" + ("|" + " " * 60 + "|\n") * 20) + "+" + "-" * 60 + "+\n",
    "progress": "".join(f"[{'#' * n}{' ' * (50 - n)}] {2 * n} %\n" for n in range(50)) * 2,
    "counting": " ".join(str(n) for n in range(3000)),
    "counting in code": "```python\n" + "".join(f'print("Line {n}")\n' for n in range(900)) + "```\n",
    "rows in code": "```python\nrows = [\n"
    + "".join(f"    ({n}, {n * n}),\n" for n in range(900))
    + "]\n```\n",
    "short cases": "```python\n" + "".join(f"if n == {n}:\n    print({n})\n" for n in range(40)) + "```\n",
    "zeros in code": "```json\n" + "[" + "0, " * 1600 + "0]\n```\n",
}


def heard(text, size=7):
    """Give how much was heard until it was stopped, None where it was not, and what is kept."""
    repeats = RepetitionDetector()
    for at in range(0, len(text), size):
        if repeats.add_text(text[at : at + size]):
            return at, repeats.get_kept_text()
    return None, repeats.get_kept_text()


@pytest.mark.parametrize("text", LEGIT.values(), ids=LEGIT)
@pytest.mark.parametrize("size", [1, 12, 5000])
def test_what_only_looks_alike_is_heard_to_its_end(text, size):
    assert heard(text, size) == (None, text)


@pytest.mark.parametrize(
    "piece", ["I will do it.\n", "ha ", "a", "\n", "- a\n- b\n- c\n", REFRAIN, "é…\n" * 9 + "x"]
)
@pytest.mark.parametrize("before", ["", "This is what I found.\n\n", "```text\ndone\n```\n"])
def test_the_same_for_ever_is_stopped_and_kept_once(piece, before):
    at, kept = heard(before + piece * (30_000 // len(piece)))
    assert at < len(before) + 1500 + 7 * len(piece) + 300
    assert kept.strip().startswith((before + piece).strip())
    assert len(kept) <= len(before) + 2 * len(piece)


def test_the_same_block_ends_a_reply_the_third_time():
    block, other = (
        "```bash\n" + f"echo {word} >> a.txt\nsort -o a.txt a.txt\n```\n\n" for word in ("b", "c")
    )
    said = block + other + "Then:\n" + block
    assert heard(said + other + "Done.\n" * 40)[0] is None
    at, kept = heard(said + other + block + "```bash\nls\n```\n" * 90)
    assert at < len(said + other + block) + 300 and kept == said.strip()


def test_a_block_that_came_for_ever_is_run_once(session):
    it = session("```bash\n" + "echo x >> a.txt; echo yyyyyyyyyyyyyyyyyyyyy\n```\n```bash\n" * 40, "Done.")
    it.play("Add x to a.txt")
    assert (it.folder / "a.txt").read_text() == "x\n"


def test_a_piece_too_long_for_the_first_look_is_stopped_at_the_second():
    piece = "".join(f"Line {n} of it.\n" for n in range(30))
    at, kept = heard("So.\n" + piece * 60)
    assert 4000 <= at < 4000 + len(piece) + 300
    assert kept.startswith("So.\n" + piece)


def test_inside_a_fence_the_same_may_stand_longer():
    at, _ = heard("```text\n" + "0 0 0 0\n" * 9000)
    assert 6000 <= at < 6600


def test_a_code_span_that_begins_a_line_opens_no_fence():
    at, _ = heard("```ls``` shows them.\n" + "0 0 0 0\n" * 9000)
    assert at < 2000


def test_inside_a_fence_words_of_one_line_may_not():
    at, kept = heard("```bash\nmv " + "-f " * 9000)
    assert at < 2000
    assert kept == "```bash\nmv -f"


def test_a_block_that_is_written_again_and_again_is_no_code_of_one_fence():
    at, kept = heard("I run it.\n" + "```bash\nls\n```\n" * 2000)
    assert at < 1900
    assert kept == "I run it.\n```bash\nls\n```\n"


def test_inside_a_fence_lines_that_only_count_on_are_no_program():
    begins = "```python:f.py\ndef f(x, n):\n    if n == 1:\n        return x == 1\n    n = abs(n)\n"
    counts = "".join(f"    if n == {n}:\n        return x == {n}\n" for n in range(2, 900))
    at, kept = heard(begins + counts)
    assert 2000 < at < 2600
    assert kept == begins + "    if n == 2:\n        return x == 2\n"


def test_where_the_chunks_are_cut_does_not_matter():
    text = "So.\n" + "It is so, again.\n" * 900
    assert len({heard(text, size)[1] for size in (1, 3, 17, 256, 1000)}) == 1


def test_the_period_is_that_of_the_whole_text():
    random.seed(7)
    for length, times in itertools.product((1, 2, 9, 120), (6, 11)):
        piece = "".join(random.choice("ab\n") for _ in range(length - 1)) + "c"
        assert find_period(piece * times) == length
        assert find_period(piece * times + "d") == 0


def test_the_person_and_the_model_are_told_and_the_model_goes_on(session):
    it = session("I try.\n" + "It will work.\n" * 2000, "It works.")
    events = it.play()
    (told,) = [e.problem.text for e in events if isinstance(e, Refused) and e.problem.text]
    assert told.startswith("Your answer said the same again and again")
    assert [sampling.temperature for sampling in it.model.samplings] == [0.0, 0.7]
    assert events[-1] == Answered("It works.")
    assert it.model.asked[1][-2].text == "I try.\nIt will work.\n"
    assert "again and again and was stopped" in it.model.asked[1][-1].text


def test_nothing_of_a_reply_that_repeats_itself_runs(session):
    it = session("```bash\ntouch made\n```\n" + "And then.\n" * 2000, "Done.")
    events = it.play()
    assert not (it.folder / "made").exists()
    assert [type(event).__name__ for event in events].count("Called") == 0


def test_of_several_blocks_of_a_reply_that_repeats_itself_the_first_runs(session):
    blocks = [f"```bash\n{line}\n```\n" for line in ("touch made", "touch other", "ls")]
    it = session("I do it.\n" + "\n".join([*blocks, *blocks[1:] * 200]), "Done.")
    assert it.play()[-1] == Answered("Done.")
    assert [path.name for path in it.folder.glob("[!.]*")] == ["made"]
    assert it.model.asked[1][-2].text.strip() == "I do it.\n```bash\ntouch made\n```"


def test_the_engine_is_hung_up_on_at_once(session):
    it = session("It will work.\n" * 100_000, "Done.")
    assert sum(len(e.text) for e in it.play() if type(e).__name__ == "Text") < 2500
    assert not it.model.streaming


def test_twice_in_a_row_ends_the_turn(session):
    it = session(*["Never mind.\n" * 2000] * 5)
    events = it.play()
    assert isinstance(events[-1], GaveUp)
    assert events[-1].code == "repeat"
    assert len(it.model.asked) == 2
    assert len([e for e in events if isinstance(e, Repairing)]) == 2


def test_in_talk_what_was_said_once_is_the_answer(session):
    it = session("Well.\n" + "So it is.\n" * 2000)
    events = it.play(agent="casual")
    assert events[-1] == Answered("Well.\nSo it is.")
    assert Notice("The model was repeating itself and was stopped.") in events


def test_reasoning_that_repeats_itself_is_stopped_too(session):
    from tripletick.models.scripted import ScriptedReply

    it = session(ScriptedReply("", thought="Wait, no. " * 3000), "Done.")
    assert it.play()[-1] == Answered("Done.")
    assert len(it.model.asked) == 2


def test_a_reply_that_is_interrupted_at_its_very_end_is_kept(session):
    it = session("```bash\ntouch made\n```", "Fine.")
    turn = it.loop.run_turn(it.prompts.agents["coder"], "do it")
    while type(next(turn)).__name__ != "Usage":
        pass
    assert type(turn.throw(KeyboardInterrupt)).__name__ == "Interrupted"
    turn.close()
    it.play("again")
    assert it.model.asked[1][-2].text == "```bash\ntouch made\n```\n\n(interrupted by the person)"

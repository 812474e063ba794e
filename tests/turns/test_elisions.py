"""Outputs that are shown in part: the number of lines that are said to be missing is the number that is."""

import io
import re

import pytest
from tests.filing import open_plain
from tests.playing import last

from tripletick.events import Interrupted, Output, Returned
from tripletick.sandbox.box import Finished, OutputEnds
from tripletick.tools import output
from tripletick.ui.output_store import HEAD, TAIL, OutputStore, make_excerpt
from tripletick.ui.renderer import PlainRenderer
from tripletick.ui.turn_display import TurnDisplay


def drawn(events, *, chat):
    stream = io.StringIO()
    teller = TurnDisplay(PlainRenderer(stream), shelf=OutputStore() if chat else None)
    for event in events:
        teller.show_event(event)
    return stream.getvalue()


def hidden(text):
    """The number of lines that a drawing says are not in it."""
    found = re.search(r"^  \.\.\. ([\d ]+) lines", text, re.MULTILINE)
    return int(found[1].replace(" ", "")) if found else 0


@pytest.mark.parametrize("chat", [True, False])
@pytest.mark.parametrize("count", [HEAD + TAIL + 1, HEAD + TAIL + 2, 1000, 20_000, 100_000, 3_000_000])
def test_the_lines_of_an_output_that_are_not_shown_are_counted(session, count, chat):
    it = session(f"```bash\nseq 1 {count}\n```", "Done.")
    told = drawn(it.play(), chat=chat)
    assert f"\n  1\n  2\n  3\n  4\n  5\n  6\n  7\n  8\n  9\n  10\n  11\n  {HEAD}\n" in told
    assert f"\n  {count - 1}\n  {count}\n" in told
    assert hidden(told) == (count - HEAD - TAIL if count > HEAD + TAIL + 1 else 0)


@pytest.mark.parametrize("width", [1, 79, 500, 3000, 20_000])
def test_long_lines_are_counted_as_lines(session, width):
    it = session(f"```python\nfor number in range(400):\n    print('x' * {width})\n```", "Done.")
    events = it.play()
    assert hidden(drawn(events, chat=True)) == 400 - HEAD - TAIL
    told = drawn(events, chat=False)
    assert hidden(told) == 400 - HEAD - TAIL or "bytes left out" in told


def test_a_build_that_says_much_does_not_hide_that_it_did(tmp_path):
    both = output.join_runs(kept(b"warning\n" * 50_000), kept(b"1\n" * 100_000))
    assert (both.head[:8], both.tail[-4:]) == (b"warning\n", b"1\n1\n")
    lines = both.head.count(b"\n") + both.dropped_lines + both.tail.count(b"\n")
    assert (len(both.head) + both.dropped + len(both.tail), lines) == (600_000, 150_000)


def kept(data, size=64 << 10) -> Finished:
    ends = OutputEnds(size)
    for at in range(0, len(data), 7000):
        ends.add(data[at : at + 7000])
    return ends.to_finished(0)


@pytest.mark.parametrize("size", [500, 64 << 10])
@pytest.mark.parametrize(
    "data",
    [
        b"".join(b"%d\n" % number for number in range(9000)),
        b"".join(b"%d\r\n" % number for number in range(9000)) + b"\n\n",
        b"\n" * 9000 + b"end",
        b"one\n" + b"x" * 9000 + b"\ntwo",
        "äöü\n".encode() * 9000,
        b"\xff\n" * 9000,
        b"no end" * 3000,
    ],
)
def test_what_is_sent_and_what_is_left_out_are_all_of_it(tmp_path, data, size):
    with open_plain(tmp_path) as bench:
        text = output.clip_output(kept(data, size), bench)
        ((gap, lines),) = bench.ledger.left_out.items()
    start, _, end = text.partition(f"\n{gap}\n")
    whole = data.rstrip(b"\n").count(b"\n") + 1
    assert start.count("\n") + 1 + lines + end.count("\n") + 1 == whole
    shown = make_excerpt(text, "… ", lambda every: "", {gap: lines})
    said = re.fullmatch(r"… ([\d ]+) lines", shown[HEAD]) if len(shown) > HEAD else None
    assert not said or int(said[1].replace(" ", "")) == whole - HEAD - TAIL


def test_the_ends_of_an_output_that_was_interrupted_are_shown_with_what_lies_between(session):
    it = session("```bash\nseq 1 50000\nsleep 60\n```")
    turn, events = it.loop.run_turn(it.prompts.agents["coder"], "count"), []
    for event in turn:
        events.append(event)
        if isinstance(event, Output) and event.text.endswith("50000\n"):
            break
    events += [turn.throw(KeyboardInterrupt), *turn]
    assert isinstance(events[-1], Interrupted)
    assert last(events, Returned).result.text.startswith("1\n2\n")
    assert hidden(drawn(events, chat=False)) == 50_000 - HEAD - TAIL


def test_the_lines_of_a_file_that_is_read_in_part_are_not_said_to_be_all(session):
    it = session("```read\nbig.txt\n```", "Done.")
    (it.folder / "big.txt").write_bytes(b"1234567\n" * (3 << 20))
    text = last(it.play(), Returned).result.text
    assert text.startswith("big.txt, 2097152 lines in its first 16 MiB, of which 1-")
    assert "only the first 16 MiB of 24 MiB were looked at" in text


def test_a_file_of_one_long_line_is_not_shown_as_if_that_were_all(session):
    it = session("```bash\nprintf 'x%.0s' $(seq 5000) > x.txt\n```", "Done.")
    it.play()
    assert "x.txt now, the first 600 of 5000 characters:" in it.model.asked[-1][-1].text

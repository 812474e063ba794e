"""The streaming twin: any text, any chunks, any size."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tripletick.dialects.fence import FenceDialect, parse_reply
from tripletick.events import Text, Thought
from tripletick.messages import Chunk

OWNED = ("bash", "python", "write", "markdown")
# fmt: off
PIECES = st.sampled_from([
    '```', '~~~', '````', '``````', '`', 'bash', 'python:a.py', 'markdown:b.md', 'text', 'foo',
    '\n', '\n', '\n', '\r\n', '\r', ' ', '\t', '> ', '- ', '<think>', '</think>', '[THINK]',
    '<|im_end|>', 'Output:', "'", '"', '"""', 'cat <<EOF', 'EOF', '$ ls', '&lt;',
    '<|channel|>final<|message|>', 'analysisW', 'assistantfinal', 'é', 'words and more', '\ufeff',
    '{', '$(', '\\',
])
# fmt: on
SOUP = st.lists(PIECES, max_size=40).map("".join)


def _stream(answer, size, finish="stop"):
    reader = FenceDialect().make_reader(OWNED)
    for at in range(0, len(answer), size):
        list(reader.feed(Chunk(text=answer[at : at + size])))
    return reader.close(finish), reader.is_stopped


@settings(max_examples=300)
@given(SOUP, st.integers(1, 9), st.sampled_from(["stop", "length"]))
def test_any_soup_of_fences_is_read_the_same_in_any_chunks(answer, size, finish):
    assert _stream(answer, size, finish) == _stream(answer, len(answer) + 1, finish)


def _shown(answer, size):
    reader = FenceDialect().make_reader(OWNED)
    pieces = [Chunk(text=answer[at : at + size]) for at in range(0, len(answer), size)]
    parts = [part for chunk in (*pieces, Chunk(finish="stop")) for part in reader.feed(chunk)]
    return [(kind, "".join(part.text for part in run)) for kind, run in groupby(parts, type)]


@settings(max_examples=300)
@given(SOUP, st.integers(1, 9))
def test_any_soup_of_fences_is_shown_the_same_in_any_chunks(answer, size):
    assert _shown(answer, size) == _shown(answer, len(answer) + 1)


@settings(max_examples=300)
@given(SOUP)
def test_a_call_s_body_is_never_invented(answer):
    for call in parse_reply(answer, OWNED).calls:
        assert all(line.strip() in answer.replace("&lt;", "<") for line in call.body.split("\n"))


@settings(max_examples=300)
@given(SOUP.filter(lambda soup: "</think>" not in soup))
def test_hanging_up_leaves_the_calls_that_the_whole_answer_has(answer):
    reading, stopped = _stream(answer, 1)
    if stopped:
        assert reading.calls == parse_reply(answer, OWNED).calls


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "x" * 1_000_000,
            "`" * 200_000,
            "```\n" * 2_000,
            "- > " * 50_000,
            "<think>" * 20_000,
            '$("' * 50_000,
        ),
        *("<|channel|>analysis<|message|>x" * 3_000, "````markdown:a.md\n```````x\n" * 5_000),
    ],
)
def test_a_huge_answer_is_read_and_holds_no_call(answer):
    assert parse_reply(answer, OWNED).calls == ()
    assert _stream(answer, 4096)[0].calls == ()


@pytest.mark.parametrize(
    "answer",
    [
        "```python " + "a_" * 500_000,
        "```python\n" + "." * 200_000 + "x",
        "```bash\necho '\n" + "```\n" * 4_000,
        "```python:a" + ":1" * 50_000 + "x",
    ],
)
def test_a_huge_line_of_a_block_takes_no_time(answer):
    assert len(parse_reply(f"{answer}\n```", OWNED).calls) <= 1
    assert parse_reply(answer, OWNED, "length").calls == ()


FRAGMENTS = st.sampled_from([
    '```\n', '```\n', '```\n\n', '\n```\n', '```bash\nls\n```\n', '```bash\n', '```markdown:a.md\n',
    '```text\n', '````', '``````python:b.py\n', '   ```bash\n', '   ```\n', '```<think>', '<think>',
    '<think>\n', ' the </think> tag', '`', '> ```bash\n', '- ```bash\n', '~~~', 'words\n', '# Title\n',
    'Run:\n', '\n', '```sortie\n', 'Output: 3\n', '"""', "'", 'cat <<EOF\n', 'EOF\n', 'Use ```bash\n',
    'C:\\> x\n', 'é', '<|im_end|>',
])  # fmt: skip
"""No closing tag ends a line: before it comes, nobody can tell reasoning that nothing opened."""


@settings(max_examples=300)
@given(st.lists(FRAGMENTS, max_size=14).map("".join), st.data())
def test_wherever_a_soup_is_cut_no_block_appears_that_the_whole_does_not_hold(answer, data):
    whole = [(call.tool, call.path, call.body) for call in parse_reply(answer, OWNED).calls]
    at = data.draw(st.integers(0, len(answer)))
    assert all((c.tool, c.path, c.body) in whole for c in parse_reply(answer[:at], OWNED, "length").calls)


REASONED = [
    ("<think>hm</think> Now:\nx", "hm", " Now:\nx"),
    ("<think>\nhm.</think> Now:\nx\nBye.", "\nhm.", " Now:\nx\nBye."),
    ("<think>\n- ```</think>\nx", "\n- ```", "\nx"),
    ("<think>\nthe `</think>` tag\n</think>\nx", "\nthe `</think>` tag\n", "\nx"),
    ("<think>\nthe </think> tag\n</think>\nx", "\nthe </think> tag\n", "\nx"),
    ("```bash\nls\n```<think>hm</think>\nx", "hm", "```bash\nls\n```\nx"),
    ("```<think>hm\n</think>x", "hm\n", "```x"),
]


@pytest.mark.parametrize(("answer", "thought", "said"), REASONED)
@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_what_is_shown_as_reasoning_is_what_is_read_as_reasoning(answer, thought, said, size):
    shown = _shown(answer, size)
    assert "".join(text for kind, text in shown if kind is Thought) == thought
    assert "".join(text for kind, text in shown if kind is Text) == said
    assert parse_reply(answer, OWNED).reasoning == thought.strip()


def test_an_answer_behind_a_doubtful_end_of_the_reasoning_is_shown_at_the_end():
    shown = _shown("<think>\nI look </think> and act.\nThere.\n", 3)
    assert shown[-1] == (Text, " and act.\nThere.\n")


def test_text_is_shown_before_its_line_has_ended():
    reader = FenceDialect().make_reader(OWNED)
    assert list(reader.feed(Chunk(text="Hello "))) == [Text("Hello ")]


def test_what_may_become_a_tag_is_held_back_until_it_is_told():
    reader = FenceDialect().make_reader(OWNED)
    assert list(reader.feed(Chunk(text="<th"))) == []
    assert list(reader.feed(Chunk(text="ink>so"))) == [Thought("so")]
    assert list(reader.feed(Chunk(text="</think>\nHi"))) == [Text("\n"), Text("Hi")]


def test_reasoning_that_the_engine_keeps_apart_is_a_part_of_the_reading():
    reader = FenceDialect().make_reader(OWNED, thinking=True)
    assert list(reader.feed(Chunk(thought="hm"))) == [Thought("hm")]
    list(reader.feed(Chunk(text="```bash\nls\n```")))
    reading = reader.close()
    assert (reading.reasoning, len(reading.calls)) == ("hm", 1)


def test_the_reader_hangs_up_at_the_line_that_plays_the_tool():
    reader = FenceDialect().make_reader(OWNED)
    list(reader.feed(Chunk(text="```bash\nls\n```\nOutput:")))
    assert not reader.is_stopped
    list(reader.feed(Chunk(text=" a\n")))
    assert reader.is_stopped


def test_a_line_in_a_block_that_looks_like_a_result_does_not_hang_up():
    reader = FenceDialect().make_reader(OWNED)
    list(reader.feed(Chunk(text="```bash\nls\n```\n```bash\ncat <<EOF\nOutput: a\n<|im_end|>\nEOF\n")))
    assert not reader.is_stopped

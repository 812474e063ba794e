"""What other bases learn from: conversations in the base wording, and their own tries as far as kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from training import apart, bases, compare, forms, generate, sample
from training.compare import CannotCompareError, Play
from training.families import FAMILIES
from training.script import (
    Ask,
    Line,
    Script,
    format_bash,
    format_edit,
    format_python,
    format_read,
    format_write,
)
from training.stage import OffScriptError, Stage

from tripletick.messages import Message

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    top = tmp_path_factory.mktemp("stage")
    stage = Stage(top / "shop", top / "state", model=bases.BASES["0.5b"].model)
    yield stage
    stage.close()


def scripted(*lines: Line) -> Script:
    """Give lines as a family that does not care what comes back."""
    yield from (line for line in lines)


def played(stage, files, *lines):
    """Play one script in a folder with these files; gives role, text and mark behind the example."""

    def script():
        for name, text in files.items():
            (stage.root / name).write_text(text)
        yield from scripted(*lines)

    said = [(one.role, one.text, one.taught) for one in stage.play(iter([script()]))]
    return said[1 + len(stage._made.replies.conversation.example) :]


def test_another_base_is_spoken_to_as_the_product_does(stage):
    said = played(
        stage,
        {"a.txt": "one\n"},
        Ask("how long is a.txt?", "file"),
        format_bash("wc -l < a.txt"),
        "One line.",
    )
    assert "Files here: a.txt" in said[0][1] and "a.txt, 1 line:" in said[0][1]
    assert "The task was: how long is a.txt?" in said[2][1]
    assert [mark for _, _, mark in said] == [False, True, False, True]


def test_the_example_is_not_learnt(stage):
    said = list(stage.play(iter([scripted(Ask("hello", "casual"), "Hello!")])))
    assert [one.text for one in said if one.taught] == ["Hello!"]
    assert sum(one.role == "assistant" for one in said) > 1


def test_a_mended_program_is_written_whole_and_runs_by_that(stage):
    lines = (
        Ask("mend a.py", "coder"),
        f"{format_edit('a.py', 'print(1)', 'print(2)')}\n{format_bash('python3 a.py')}",
        "Done.",
    )
    said = played(stage, {"a.py": "# count\nprint(1)\n"}, *lines)
    assert said[1][1] == "```python:a.py\n# count\nprint(2)\n```"
    assert "\n2\n" in said[2][1]


def test_what_was_shown_is_not_looked_at_again(stage):
    files = {"a.txt": "red\nblue\n"}
    said = played(
        stage,
        files,
        Ask("red in a.txt is green", "file"),
        format_read("a.txt"),
        format_bash("sed -i s/red/green/ a.txt"),
        "Done.",
    )
    assert [text for role, text, _ in said if role == "assistant"] == [
        "```bash\nsed -i s/red/green/ a.txt\n```",
        "Done.",
    ]
    said = played(
        stage,
        files,
        Ask("the first color, please", "file"),
        format_read("a.txt"),
        format_bash("head -n 1 a.txt"),
        "Red.",
    )
    assert said[1][1] == "```bash\ncat a.txt\n```"


@pytest.mark.parametrize(
    ("reply", "form"),
    [
        (format_write("a.md", "# A"), "```text:a.md\n# A\n```"),
        (format_python("print(1)", "a b.py"), '```python:"a b.py"\nprint(1)\n```'),
        (format_read("a b.md"), "```bash\ncat 'a b.md'\n```"),
        ("```text\nx\n```\nThis is x.", "```text\nx\n```\nThis is x."),
        ("No block.", "No block."),
    ],
)
def test_replies_have_the_forms_that_untrained_models_are_told(reply, form, tmp_path):
    assert forms.convert_reply(reply, tmp_path) == form


def test_a_mistake_stays_where_looks_go():
    talk = (
        "request shows red",
        format_bash("cat nowhere"),
        "[result 1: bash failed]\n```output\nred\n```",
        format_bash("ls"),
        "ok",
    )
    said = [Message("user" if at % 2 == 0 else "assistant", text) for at, text in enumerate(("", "", *talk))]
    assert all(forms.drop_looks(said, [False] * len(said)))


def test_a_fifth_of_what_other_bases_learn_is_words_alone():
    shares = generate.weights(trained=False)
    words = sum(share for name, share in zip(FAMILIES, shares, strict=True) if name in generate.WORDS)
    assert 0.18 < words / sum(shares) < 0.22


def test_no_request_that_tests_the_model_is_trained_on():
    assert apart.is_apart("a request of nobody's")
    asked = next(one for one in apart._iter_requests())
    assert not apart.is_apart(f"  {asked.upper()} !")
    with pytest.raises(OffScriptError, match=apart.TESTED):
        next(apart.keep_apart(scripted(Ask(asked, "file"), "Done.")))


@pytest.mark.parametrize("folder", apart.SETS)
def test_the_sets_here_are_apart(folder):
    from tripletick.bench.task import load_tasks

    tasks = list(load_tasks(ROOT / "training" / folder))
    assert tasks and not [one for task in tasks for one in task.requests if apart.is_apart(one)]


def asked(tmp_path, *replies):
    """Have the product do a request with these replies as the model's."""
    script, folder = tmp_path / "replies.md", tmp_path / "shop"
    script.write_text("\n---\n".join(replies))
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\n")
    return sample.ask(folder, "How many lines has a.txt?", sample.Plan("", f"scripted:{script}"), 1)


def learnt(said):
    return [text for _, text, mark in said if mark]


def test_of_a_conversation_that_is_kept_the_mended_failure_is_not_learnt(tmp_path):
    good = format_bash("wc -l < a.txt")
    why, answer, said = asked(tmp_path, format_bash("wc -l < b.txt"), good, "a.txt has 2 lines.")
    assert (why, answer) == ("", "a.txt has 2 lines.")
    assert learnt(said) == [good, "a.txt has 2 lines."]
    assert said[-1] == ["assistant", "a.txt has 2 lines.", True]


def test_a_turn_that_goes_on_for_too_long_is_not_kept(tmp_path):
    why, _, _ = asked(tmp_path, *[format_bash(f"echo {number}; cat a.txt") for number in range(5)])
    assert why == "stopped"


def test_a_second_failure_ends_a_try(tmp_path):
    why, _, said = asked(
        tmp_path, format_bash("cat b"), format_bash("cat c"), format_bash("cat a.txt"), "Two."
    )
    assert why == "stopped" and not learnt(said)


def play(**given):
    return Play(
        **{
            "asks": [Ask("How many in a.txt?", "file")],
            "results": ["7 a.txt"],
            "replies": ["7 lines."],
            **given,
        }
    )


def no_run(tree, command):
    raise AssertionError(command)


TREE = {"a.txt": b"x\n"}


@pytest.mark.parametrize(
    ("given", "after", "answer", "fault"),
    [
        ({}, TREE, "There are 7.", ""),
        ({}, TREE, "There are 8.", "the answer lacks 7"),
        ({}, TREE, "7: ```bash\nls\n```", "a block in the answer"),
        ({}, TREE, "The file says 7 things.", ""),
        ({"replies": ["Lamp 7, it costs much."], "results": ["Lamp 7 costs"]}, TREE, "The Lamp is 7.", ""),
        ({"results": [], "replies": ["```text\nls 3\n```"]}, TREE, "```text\nls\n```", ""),
        (
            {"results": [], "replies": ["```text\nls 3\n```"]},
            TREE,
            "```bash\nls\n```",
            "a block in the answer",
        ),
        ({}, {"a.txt": b"y"}, "7", "another content: a.txt"),
        ({}, {**TREE, "b": None}, "7", "one has it alone: b"),
        ({"after": {"b.txt": b"x\n"}}, {"b.txt": b"x \n\n"}, "Done.", ""),
        ({"replies": ["There is no b.txt."], "results": [""]}, TREE, "b.txt is not there.", ""),
        ({"replies": ["There is no b.txt."], "results": [""]}, TREE, "It is there.", "a yes for a no"),
        ({"results": [], "replies": ["It is in Lima."]}, TREE, "Lima has it.", ""),
        ({"results": [], "replies": ["It is in Lima."]}, TREE, "Quito has it.", "the answer lacks Lima"),
    ],
)
def test_a_try_is_held_against_the_familys_own_play(given, after, answer, fault):
    assert (
        compare.find_fault(play(**{"before": TREE, "after": TREE, **given}), after, answer, no_run) == fault
    )


def test_an_answer_in_free_words_is_not_judged():
    with pytest.raises(CannotCompareError):
        compare.find_fault(
            play(before=TREE, after=TREE, replies=["It counts."]), TREE, "It is a list.", no_run
        )


@pytest.mark.parametrize(
    ("code", "fault"), [("print(3 + 4)", ""), ("print(8)", "it prints something else: a.py")]
)
def test_a_program_that_is_written_otherwise_must_print_the_same(stage, code, fault):
    own = play(
        before={}, after={"a.py": b"print(7)\n"}, replies=[format_python("print(7)", "a.py"), "It printed 7."]
    )
    after = {"a.py": code.encode()}
    assert compare.find_fault(own, after, "Done.", lambda *given: sample.run_in(stage, *given)) == fault


def test_a_play_says_what_was_there_before_and_after(stage, tmp_path):
    found = sample.play(stage, "rename", "3", tmp_path / "start")
    assert len(found.asks) == 1 and not found.talks
    assert len(found.before) == len(found.after) and found.before != found.after
    assert compare.read_tree(tmp_path / "start") == found.before


def test_a_run_that_was_stopped_has_less_time_left(tmp_path):
    out = tmp_path / "sampled.jsonl"
    lines = [{"n": 0, "family": "list", "tries": ["solved"], "skipped": "", "seconds": 9.0}]
    sample.sample(out, sample.Plan("", until=0.0), 1, 3, lines)
    assert len(lines) == 1 and not out.read_text()

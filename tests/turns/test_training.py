"""The making of the offline model, as far as it needs no torch: talks, packs, the hash of the wording."""

from __future__ import annotations

import json
import random
import re
import struct

import pytest
from tools import release_check
from training import evaluate, generate, hands, tokens
from training.families import FAMILIES
from training.families.talking import read_section
from training.scene import Scene, quote_text
from training.script import Ask, format_bash, mark_mistake
from training.stage import OffScriptError, Stage

from tripletick.bench.attempt import Attempt
from tripletick.config.config import load_config
from tripletick.session import prompt_fingerprint
from tripletick.system import dirs

SETTINGS = load_config([dirs.find_dirs().shipped_config], {}, {})


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    top = tmp_path_factory.mktemp("stage")
    stage = Stage(top / "shop", top / "state")
    yield stage
    stage.close()


def scene(stage, seed):
    return Scene(stage.root, random.Random(seed))


def played(stage, name, seed):
    """Play a family once; None where what it drew is no example, as a mistake that is none."""
    family, drawn = FAMILIES[name], scene(stage, f"{name}/{seed}")
    drawn.agent = drawn.pick(*family.agents)
    try:
        return stage.play(iter([family.play(drawn)]))
    except OffScriptError:
        return None


def play(stage, *lines):
    """Play one script; gives role and text of each message but the first."""
    script = (line for line in lines)
    return [(one.role, one.text, one.taught) for one in stage.play(iter([script]))][1:]


# every fourth: making the offline model plays them all
@pytest.mark.parametrize("name", list(FAMILIES)[::4])
def test_a_family_plays_to_its_end_through_the_products_own_loop(stage, name):
    said = next(filter(None, (played(stage, name, seed) for seed in range(4))))
    assert said[-1].role == "assistant" and said[-1].taught


def test_a_block_really_runs_and_its_result_is_the_products_own_words(stage):
    said = play(stage, Ask("how much?", "file"), format_bash("echo $((6 * 7))"), "It is 42.")
    assert said[2] == ("user", "[result 1: bash ok]\n```output\n42\n```", False)


def test_a_mistake_on_purpose_is_not_learnt_and_its_repair_is(stage):
    said = play(
        stage,
        Ask("make it", "file"),
        mark_mistake(format_bash("cat nowhere")),
        format_bash("echo yes"),
        "Done.",
    )
    assert [taught for role, _, taught in said if role == "assistant"] == [False, True, True]


def test_a_block_that_fails_unmeant_drops_the_conversation(stage):
    with pytest.raises(OffScriptError, match="ended otherwise"):
        play(stage, Ask("make it", "file"), format_bash("cat nowhere"), "Done.")


def test_a_seed_gives_the_same_conversation_again(stage):
    first, again = (generate.play_conversation(stage, random.Random("3/11")) for _ in range(2))
    assert [one.text for one in first[1] if one.role != "user"] == [
        one.text for one in again[1] if one.role != "user"
    ]


def test_a_run_that_was_stopped_goes_on_where_it_stood(tmp_path):
    out = tmp_path / "talks.jsonl"
    out.write_text(json.dumps({"n": 0, "families": [], "said": []}) + "\n")
    assert not generate.generate(out, 1, generate.A_STAGE, 1)
    assert len(out.read_text().splitlines()) == 1


def test_talk_is_answered_without_a_block():
    answers = [answer for section in ("talk", "facts", "explain") for _, answer in read_section(section)]
    assert len(answers) > 150
    assert not [answer for answer in answers if "```" in answer]


@pytest.mark.parametrize("section", hands.read_wordings())
def test_every_wording_has_all_its_brackets(section):
    for text in hands.read_wordings()[section]:
        left = re.sub(r"\{\w+\}", "", text)
        while (shorter := re.sub(r"\([^()\[\]]*\)|\[[^()\[\]]*\]", "", left)) != left:
            left = shorter
        left = re.sub(r" \| (?=(head|tail|wc|sort)\b)", " ", left)  # a pipe of the shell's
        assert not set(left) & set("()[]{}|"), text


def test_a_section_has_many_wordings():
    drawn = {hands.ask(random.Random(seed), "delete", {"names": "a.txt"}) for seed in range(400)}
    assert len(drawn) > 200


def test_slips_of_the_fingers_leave_names_alone():
    for seed in range(300):
        assert "Zb-ro_9.TXT" in hands.ask(random.Random(seed), "delete", {"names": "Zb-ro_9.TXT"})


@pytest.mark.parametrize("text", ["plain", "two words", "Anna's 5 $", 'a "b" `c` \\d'])
def test_a_text_is_written_for_the_shell_so_that_it_comes_out_whole(stage, text):
    said = play(stage, Ask("say it", "file"), format_bash(f"printf %s {quote_text(text)}"), "Done.")
    assert f"\n{text}\n" in said[2][1]


def talk(ids, taught):
    return tokens.Tokens(tuple(ids), tuple(at in taught for at in range(len(ids))))


AGENT, OTHER = [5, 5, 5, 5], [6, 6, 6, 6]
TALKS = [
    talk([1, 2, *AGENT, 9, 8], {7}),
    talk([1, 2, *AGENT, 7, 7, 7], {8}),
    talk([1, 2, *OTHER, 9, 3], {7}),
]


def test_what_the_conversations_of_an_agent_have_in_front_stands_once_in_a_pack():
    packs = sorted(tokens.pack_conversations(TALKS, 100, random.Random(1)), key=lambda pack: pack.ids)
    assert [pack.ids[: pack.ends[0]] for pack in packs] == [[1, 2, *AGENT], [1, 2, *OTHER]]
    assert sum(sum(pack.taught) for pack in packs) == 3


def test_what_is_learnt_is_never_shared():
    talks = [talk([1, 2, 3, 4], {2, 3}), talk([1, 2, 3, 4], {2, 3})]
    assert tokens.count_common(talks) == 1


def test_positions_begin_anew_behind_the_prefix():
    for pack in tokens.pack_conversations(TALKS, 100, random.Random(1)):
        assert {pack.positions[end] for end in pack.ends[:-1]} == {pack.ends[0]}


def adapter(path, wording):
    """Write the smallest adapter that says on which wording it was trained."""
    field = prompt_fingerprint.FIELD.encode()
    text = wording.encode()
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", len(field)) + field
    path.write_bytes(head + struct.pack("<IQ", 8, len(text)) + text)
    return path


def test_an_adapter_tells_the_wording_that_it_was_trained_on(tmp_path):
    assert prompt_fingerprint.read_adapter_hash(adapter(tmp_path / "a.gguf", "0123abcd")) == "0123abcd"
    assert prompt_fingerprint.read_adapter_hash(tmp_path / "none.gguf") == ""


def test_the_hash_changes_with_a_word_of_a_prompt_and_not_with_the_persons_agents(tmp_path):
    found = dirs.find_dirs()
    ours = prompt_fingerprint.hash_current_prompts(SETTINGS, found)
    prompts = tmp_path / "prompts"
    for path in found.prompts.parent.rglob("*.md"):
        target = prompts / path.relative_to(found.prompts.parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path.read_text("utf-8"), "utf-8")
    moved = dirs.AppDirs(prompts / "base", found.shipped_config, tmp_path, tmp_path, tmp_path)
    assert prompt_fingerprint.hash_current_prompts(SETTINGS, moved) == ours
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "mine.md").write_text("---\nwhen = Mine.\ntools = bash\n---\nYou are mine.\n")
    assert prompt_fingerprint.hash_current_prompts(SETTINGS, moved) == ours
    card = prompts / "offline" / "file.md"
    card.write_text(card.read_text("utf-8").replace("Look", "Peer"), "utf-8")
    assert prompt_fingerprint.hash_current_prompts(SETTINGS, moved) != ours


def test_doctor_warns_of_another_wording_and_not_where_none_is_told(tmp_path):
    found = dirs.find_dirs()
    other, silent = adapter(tmp_path / "a.gguf", "0" * 16), tmp_path / "none.gguf"
    ours = adapter(tmp_path / "b.gguf", prompt_fingerprint.hash_current_prompts(SETTINGS, found))
    said = [prompt_fingerprint.describe_mismatch(SETTINGS, found, one) for one in (other, ours, silent)]
    assert said == [prompt_fingerprint.STALE, "", ""]


def test_no_release_is_made_of_an_adapter_for_another_wording():
    fits = prompt_fingerprint.read_adapter_hash() == prompt_fingerprint.hash_current_prompts(
        SETTINGS, dirs.find_dirs()
    )
    assert (not [*release_check.check_wording()]) == fits


def attempt(task, *, solved, blocks=0, wording="1"):
    """One trial of two steps in three seconds."""
    ended = (solved, "", "done", 0, "words", "file")
    return Attempt(task, wording, 1, *ended, 2, 0, 0, blocks, 3.0, 1.0, 1.0, 9, 5, 3, ())


def test_runs_stand_beside_each_other_by_family_with_what_goes_wrong():
    runs = {
        "ships": [attempt("talk/hi", solved=False, blocks=1), attempt("fix/typo", solved=False)],
        "new": [attempt("talk/hi", solved=True), attempt("fix/typo", solved=True, wording="free 210 de")],
    }
    rows = {row[0]: row[1:] for row in evaluate.build_table(runs)}
    assert rows["talk"] == ["0/1 0%", "1/1 100%"]
    assert rows["all"] == ["0/2 0%", "2/2 100%"]
    assert rows["other languages"] == ["-", "1/1 100%"]
    assert rows["blocks in talk"] == ["1", "0"]
    assert rows["wrong and sure"] == ["2", "0"]
    assert rows["median seconds a step"] == ["1.5", "1.5"]

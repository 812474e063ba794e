"""What a request says of the folder's own rules."""

import pytest

from tripletick.agents.definitions import Agent
from tripletick.models.conversation import Conversation
from tripletick.session import request_text

CODER, CASUAL = Agent("coder", "You write.", "code", ("bash",)), Agent("casual", "You talk.", "talk")
MANY = "".join(f"Rule {number}: write it well.\n" for number in range(200))


@pytest.mark.parametrize(("window", "most"), [(4096, 1000), (8191, 1000), (8192, 2000), (16384, 2000)])
def test_rules_are_bounded_by_the_window_and_cut_with_a_word_at_the_end_of_a_line(window, most):
    rules = request_text.format_rules(MANY, window)
    said = rules.removeprefix("The folder's AGENTS.md says:\n").rstrip("\n")
    assert most - 100 < len(said.encode()) <= most
    *lines, last = said.splitlines()
    assert set(lines) < set(MANY.splitlines())
    assert last.startswith("… (AGENTS.md is longer")


def test_short_rules_are_whole():
    assert (
        request_text.format_rules("\n# Rules\nUse tabs.\n\n", 4096)
        == "The folder's AGENTS.md says:\n# Rules\nUse tabs.\n"
    )


@pytest.mark.parametrize("before", ["", "a", "ab"])
def test_one_long_line_of_wide_characters_is_cut_between_two_of_them(before):
    rules = request_text.format_rules(before + "規則" * 1000, 4096)
    assert 900 < len(rules.encode()) < 1100
    assert "\N{REPLACEMENT CHARACTER}" not in rules


def test_blank_rules_are_none():
    assert request_text.format_rules(" \n\n", 8192) == ""


def test_rules_stand_in_the_first_request_alone_between_card_and_words():
    conversation = Conversation("system", preface="The rules.\n")
    conversation.add_request(CODER, "one")
    conversation.add_reply("done")
    conversation.add_request(CODER, "two")
    first, _, second = [entry.message.text for entry in conversation.entries]
    assert first.index("You write.") < first.index("The rules.") < first.index("one")
    assert "The rules." not in second


def test_rules_are_told_again_where_the_conversation_was_cleared():
    conversation = Conversation("system", preface="The rules.\n")
    conversation.add_request(CODER, "one")
    conversation.clear_history()
    conversation.add_request(CODER, "two")
    assert "The rules." in conversation.entries[0].message.text


def test_rules_that_have_changed_are_told_again():
    conversation = Conversation("system", preface="The rules.\n")
    conversation.add_request(CODER, "one")
    conversation.add_reply("done")
    conversation.preface = "Other rules.\n"
    conversation.add_request(CODER, "two")
    assert "Other rules." in conversation.entries[-1].message.text

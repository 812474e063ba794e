"""Slash commands that give the person something or change how it works, in a real terminal."""

import base64

import pytest
from tests.terminal import CTRL_C, UP, requests

LONG = "```bash\nseq 1 5000\n```"
BLOCKS = "Two of them.\n\n```text:a.txt\nfirst\n```\n\n```text:b.txt\nsecond\nlines\n```\n"
CTRL_T, CTRL_X, CTRL_E = "\x14", "\x18", "\x05"


def test_a_long_output_is_shown_in_full_by_the_number_that_its_excerpt_names(chat):
    with chat(LONG, "Counted.") as terminal:
        terminal.wait("coder>").send("count").wait("4 980 lines, /show 1", "Counted.").wait_line("coder>")
        terminal.send("/show").wait("There are: 1.").wait_line("coder>")
        terminal.send("/show 1").wait("\n5000").wait_line("coder>")
        shown = terminal.scrolled().split("\n")
    assert all(str(number) in shown for number in range(3100, 5001))


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/show 3", "There is no output 3."),
        ("/show", "No output has been shortened so far."),
        ("/copy", "The model has not answered yet."),
        ("/think much", "Expected last, yes, no or auto."),
        ("/ctx many", "a whole number from 0"),
        ("/editor", "To set one: EDITOR=nano tripletick"),
        ("/think", "The model's reasoning is shown."),
        ("/think last", "This chat has no reasoning yet."),
        ("/think yes", "This model is not known to support it."),
        ("/ctx", "The context is 8192 tokens."),
        ("/config", "(--model)"),
        ("/config keep_", "data.keep_size  500 MiB  ("),
        ("/config zzz", "No setting has zzz in its name."),
        ("/tools", "replaces lines of a file"),
    ],
)
def test_slash_commands_answer_in_words(chat, typed, told):
    with chat() as terminal:
        terminal.wait("coder>").send(typed).wait(told).wait_line("coder>")


def test_what_a_slash_command_has_set_is_told_with_it(chat):
    with chat() as terminal:
        terminal.wait("coder>").send("/ctx 4096").wait("The context is 4096 tokens.").wait_line("coder>")
        terminal.send("/config model.context").wait("model.context  4096  (/ctx)").wait_line("coder>")
        terminal.send("/think yes").wait("known to support it").wait_line("coder>")
        terminal.send("/config model.think").wait("model.think         yes  (/think)").wait_line("coder>")


def test_an_answer_is_copied_by_the_terminal_where_it_can(chat):
    with chat("All of it.", TERM="xterm-kitty") as terminal:
        terminal.wait("coder>").send("tell").wait("All of it.").wait_line("coder>")
        terminal.send("/copy")
        drawn = terminal.read_until("Copied to the clipboard: 10 characters.")
    assert b"\x1b]52;c;" + base64.b64encode(b"All of it.") + b"\x07" in drawn


def test_a_copy_for_tmux_lies_in_a_file_too_and_what_tmux_needs_is_said(chat, home):
    with chat("All of it.", TERM="tmux-256color", TMUX="/tmp/none,1,0") as terminal:
        terminal.wait("coder>").send("tell").wait("All of it.").wait_line("coder>")
        terminal.send("/copy").wait("tmux set -g allow-passthrough on", "copied.md").wait_line("coder>")
    assert (home / ".local" / "state" / "tripletick" / "copied.md").read_text() == "All of it."


def test_the_tools_of_the_agent_are_told_with_what_each_costs(chat):
    with chat() as terminal:
        terminal.wait("coder>").send("/tools").wait("edit", "(2 tokens, plus ").wait_line("coder>")


def test_a_block_is_copied_to_a_file_where_the_terminal_cannot(chat, home):
    with chat(BLOCKS, "Made.") as terminal:
        terminal.wait("coder>").send("make").wait("Made.").wait_line("coder>")
        terminal.send("/copy 2").wait("copied.md").wait_line("coder>")
        copied = home / ".local" / "state" / "tripletick" / "copied.md"
        assert copied.read_text() == "second\nlines\n"
        assert copied.stat().st_mode & 0o777 == 0o600
        terminal.send("/copy 3").wait("The last request produced 2 blocks.").wait_line("coder>")


def test_another_context_is_asked_for_and_the_new_prefix_is_said(chat):
    with chat("One.") as terminal:
        terminal.wait("coder>").send("/ctx 4k").wait(
            "which has to read the whole", "conversation again."
        ).wait_line("coder>")
        terminal.send("hello").wait("of 4k").wait_line("coder>")


@pytest.fixture
def editor(home):
    """An editor that adds a line to the file."""
    program = home / "bin" / "edit"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "from the editor\\n" >> "$1"\n')
    program.chmod(0o755)
    return str(program)


def test_the_editor_gives_the_next_request(chat, home, editor):
    with chat("Read.", EDITOR=editor) as terminal:
        terminal.wait("coder>").type("/editor\r").wait("coder> from the editor").type("\r").wait("Read.")
    assert requests(home) == ["from the editor"]


def test_ctrl_x_ctrl_e_edits_the_line(chat, home, editor):
    with chat("Read.", EDITOR=editor) as terminal:
        terminal.wait("coder>").type("so far").wait("so far").type(CTRL_X + CTRL_E).wait("  from the editor")
        terminal.type("\r").wait("Read.")
    assert requests(home) == ["so far\nfrom the editor"]


def test_ctrl_t_tells_that_the_reasoning_is_shown_and_keeps_the_line(chat):
    with chat() as terminal:
        terminal.wait("coder>").type("a thought").wait("a thought").type(CTRL_T).wait("reasoning is shown.")
        terminal.wait_line("coder> a thought").type(CTRL_T).wait("reasoning is folded.").type(CTRL_C)


def test_reasoning_that_was_folded_is_read_by_ctrl_t_and_again(chat):
    with chat({"thought": "Let me count\nto three.", "text": "Three."}) as terminal:
        terminal.wait("coder>").send("count").wait("Three.").wait_line("coder>")
        assert "Let me" not in terminal.text()
        terminal.type(CTRL_T).wait("Let me count\nto three.\nThe model's reasoning is shown.\ncoder>")
        terminal.type(CTRL_T).wait("reasoning is folded.").wait_line("coder>")
        terminal.send("/think last").wait("/think last\nLet me count\nto three.\ncoder>")
        terminal.type(CTRL_T).wait(
            "folded.\ncoder> /think last\nLet me count\nto three.\nThe model's reasoning is shown."
        )


def test_slash_commands_are_found_again_in_the_history(chat):
    with chat() as terminal:
        terminal.wait("coder>").send("/tools").wait("replaces lines").wait_line("coder>")
        terminal.type(UP).wait_line("coder> /tools")

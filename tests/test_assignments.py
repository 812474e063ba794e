"""A request to set one value in a file of data; what the command does, and what is taken back."""

import subprocess

import pytest
from tests.filing import put

from tripletick.turn import attachments
from tripletick.turn.assignments import describe_assignment
from tripletick.turn.request_kinds import note_request

MENU = """\
{
  "hot": [
    {"name": "mocha", "price": 3.6},
    {"name": "flat white", "price": 3.6}
  ],
  "light": {"colour": "white", "period_s": 15},
  "cold": [{"name": "iced flat white", "price": 4.1}]
}
"""
SET = 'set the price of "flat white" to 3.9'
PLANTS = "name;height;light\nfern;95;shade\nfig;110;sun\n"


@pytest.mark.parametrize(
    ("path", "text", "request_", "changed"),
    [
        (
            "a.json",
            MENU,
            f"In a.json, {SET}.",
            ('white", "price": 3.6', 'white", "price": 3.9'),
        ),
        (
            "a.json",
            MENU,
            "please set the light's period_s to 10 and its colour to red. All the rest remains.",
            ('"white", "period_s": 15', '"red", "period_s": 10'),
        ),
        ("a.csv", PLANTS, "change the height of fig from 110 to 120 in a.csv", ("fig;110", "fig;120")),
        ("a.json", MENU, "set the price of latte to 3", None),
        ("a.json", MENU, "set the size of mocha to 3", None),
        ("a.json", MENU.replace("mocha", "flat white"), "set the price of flat white to 3", None),
        ("a.json", MENU, "set the price of mocha to 3 and set the price of flat white to 4", None),
        ("a.txt", MENU, "set the price of mocha to 3", None),
    ],
)
def test_the_command_sets_one_value(tmp_path, path, text, request_, changed):
    (tmp_path / path).write_text(text)
    command = describe_assignment(path, text, request_)
    assert bool(command) == bool(changed), command
    if changed:
        subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
        now, right = ((tmp_path / path).read_text(), text.replace(*changed))
        assert "".join(now.split()) == "".join(right.split())


@pytest.mark.parametrize(
    "request_",
    [
        f"How would I {SET} in a.json? Don't change anything.",
        f"Only show me the command to {SET} in a.json",
    ],
)
def test_nothing_is_set_that_is_only_asked_about(session, request_):
    it = session("```bash\ncat a.jsn\n```", "With sed.", "With sed.", "With sed.")
    put(it.loop.context, "a.json", MENU)
    attachments.attach_named_files(request_, it.loop.context)
    note_request(it.loop.context.ledger, it.loop.conversation.templates, request_, "")
    it.play(request_)
    assert (it.folder / "a.json").read_text() == MENU


@pytest.mark.parametrize(
    ("request_", "code", "price"),
    [
        (f"In a.json, {SET}.", "sed -i 's/flat white/3.9/' a.json", "3.9"),
        (f"In a.json, {SET}.", "sed -i 's/3.6/3.9/' a.json", "3.9"),
        (f"In a.json, {SET}.", "cat a.jsn", "3.9"),
        (f"{SET} and add tea in a.json", "sed -i 's/3.6/3.9/' a.json", "3.9"),
        (f"In a.json {SET} and the size of mocha to 3.9", "sed -i 's/3.6/3.9/' a.json", "3.9"),
    ],
)
def test_what_was_set_elsewhere_is_taken_back(session, request_, code, price):
    it = session(f"```bash\n{code}\n```", "It is set.", "It is set.", "Yes.")
    put(it.loop.context, "a.json", MENU)
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    now, keeps = (it.folder / "a.json").read_text(), " and " not in request_
    assert now.count(price) == (1 if keeps else 2) and ('"mocha"' in now) and now.count("3.6") == keeps

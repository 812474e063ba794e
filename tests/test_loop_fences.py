"""What the loop makes of replies that only fences can be: their faults, and what is told of them."""

import pytest

from tripletick.events import Answered, Repairing, Text


def said(session, request=-1, message=-1):
    return session.model.asked[request][message].text


@pytest.mark.parametrize("dialect", ["fence", "xml"], indirect=True)
def test_invented_results_are_hung_up_on_and_cut_from_the_history(session):
    it = session("```bash\necho real\n```\nOutput:\nfake\n\nSo it is fake." + " more" * 200, "It is real.")
    events = it.play()
    shown = "".join(event.text for event in events if isinstance(event, Text))
    assert shown.count("more") < 20
    assert "fake" not in said(it, -1, -2)
    assert "do not write results yourself" in said(it)


def test_an_unknown_tag_is_told_once_and_then_an_answer(session):
    it = session("```cobol\nmain = pure ()\n```", "```cobol\nmain = pure ()\n```")
    events = it.play()
    assert "Tags you can use" in said(it)
    assert isinstance(events[-1], Answered)
    assert not any(isinstance(event, Repairing) for event in events)


def test_what_failed_teaches(session):
    (it := session("```edit:a.txt\nnonsense\n```", "It did not work.")).play()
    assert "<<<<<<< SEARCH" in said(it)


def test_what_cannot_be_read_twice_gets_a_further_hint(session):
    it = session(*["```bash\necho never closed"] * 2, '{"name": "bash", "arguments": {}}', "Done.")
    it.play()
    assert "Hint" not in said(it, 1)
    assert "Hint: Send one short block" in said(it, 2)
    assert "Hint: Take another way" in said(it, 3)

"""An answer that tells another line of a text than the one that the question is about."""

import pytest
from tests.filing import put
from tests.playing import last

from tripletick.events import Answered, Doubted
from tripletick.turn import attachments
from tripletick.turn.asked_lines import find_asked_line

TIMES = """\
Monday 18:00 Waltz for beginners
Tuesday 19:00 Tango for advanced dancers
Wednesday 18:30 Salsa for beginners
Thursday 20:00 Tango for beginners
"""
NOTES = {
    "notes/april.txt": "Mrs Gale has the key to the club house.\n",
    "notes/may.txt": "Two oars are missing.\nThe key to the boat shed is with Mr Nwosu.\n",
}


@pytest.mark.parametrize(
    ("request_", "answer", "wrong"),
    [
        ("on which day is Tango for beginners?", "Tango is on Wednesday.", True),
        ("on which day is Tango for beginners?", "On Thursday, not on Tuesday.", False),
        ("on which day is Tango for beginners?", "At eight in the evening.", False),
        ("An welchem Tag ist Tango for beginners?", "Am Wednesday.", True),
        # not what one line says
        ("is Tango for beginners on Wednesday?", "Wednesday it is.", False),
        ("which is the first day with Tango for beginners?", "Wednesday", False),
        ("how many classes are there before Tango for beginners?", "Wednesday", False),
        ("on which day is Tango?", "Tango is on Wednesday.", False),
    ],
)
def test_an_answer_is_held_against_the_line_that_is_asked_about(request_, answer, wrong):
    line = find_asked_line(request_, {"times.txt": TIMES})
    says = "times.txt says: Thursday 20:00 Tango for beginners"
    assert (line.find_contradiction(answer) if line else "") == (says if wrong else "")


def test_the_line_is_sought_in_all_texts():
    line = find_asked_line("Who has the key to the boat shed?", NOTES)
    assert line and line.path == "notes/may.txt" and line.own == {"mr", "nwosu"}


def test_a_wrong_answer_is_asked_for_again_with_what_the_text_says(session):
    it = session("Tango is on Wednesday.", "It is on Thursday.")
    put(it.loop.context, "times.txt", TIMES)
    request = "Look in times.txt: on which day is Tango for beginners?"
    attachments.attach_named_files(request, it.loop.context)
    events = it.play(request)
    assert last(events, Doubted).reasons == ("times.txt says: Thursday 20:00 Tango for beginners",)
    receipt = last(events, Answered).receipt
    assert receipt and receipt.doubt == ()

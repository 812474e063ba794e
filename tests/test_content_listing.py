"""The files that a request means by what stands in them."""

import pytest
from tests.filing import open_plain, put

from tripletick.tools.content_listing import list_holding
from tripletick.turn import attachments

LETTERS = {
    "letters/feb.txt": "Dear Mrs Abernathy,\nhello.\n",
    "letters/jan.txt": "I saw Abernathy in Zurich.\n",
    "letters/mar.txt": "Nothing of him.\n",
    "notes/may.txt": "Abernathy again\n",
}
BOTH = 'Files with "Abernathy" in them: letters/feb.txt, letters/jan.txt'


@pytest.fixture
def workspace(tmp_path):
    with open_plain(tmp_path) as context:
        for path, text in LETTERS.items():
            put(context, path, text)
        yield context.workspace


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("Copy the files in letters that contain the name Abernathy into a new folder abernathy.", BOTH),
        ("Delete the letters that mention Abernathy and tell me which", BOTH),
        ('Which files contain "Zurich"?', 'Files with "Zurich" in them: letters/jan.txt'),
        ("Verschiebe alle Dateien in letters, die das Wort Abernathy enthalten, nach x", ""),
        ("Verschiebe die Dateien in letters, die enthalten Abernathy, nach x", BOTH),
        # not all of it, in another case, in none
        ("Copy the files in letters that contain Abernathy and Zurich into x", ""),
        ("Copy the files in letters that don't contain Abernathy into x", ""),
        ("Copy the files in letters that contain the word nothing into x", ""),
        ("Copy the files that contain Berlin into x", ""),
        ("Write a file that contains the word Abernathy", ""),
        ("Verschiebe alle Dateien in letters mit dem Wort Abernathy nach x", BOTH),
    ],
)
def test_files_are_named_that_hold_the_words_of_a_request(workspace, request_, said):
    assert list_holding(request_, workspace) == said


def test_they_go_along_with_a_request_that_makes_a_folder(session):
    it = session("```bash\nls\n```", "No.", "No.", "No.")
    for path, text in LETTERS.items():
        put(it.loop.context, path, text)
    request = "Copy the files in letters that contain the name Abernathy into a new folder abernathy."
    said = attachments.attach_files(request, ["bash"], it.loop.context, it.loop.conversation.templates)
    assert BOTH in said

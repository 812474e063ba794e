"""The files that a request means by what stands in them."""

import pytest
from tests.filing import open_plain, put

from tripletick.tools.content_listing import describe_taking, list_holding
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


MIXED = BOTH.replace("Abernathy", "ABERNATHY")


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("Copy the files in letters that contain the name Abernathy into a new folder abernathy.", BOTH),
        ("Delete the letters that mention Abernathy and tell me which", BOTH),
        ('Which files contain "Zurich"?', 'Files with "Zurich" in them: letters/jan.txt'),
        ("Verschiebe alle Dateien in letters, die das Wort Abernathy enthalten, nach x", ""),
        ("Verschiebe die Dateien in letters, die enthalten Abernathy, nach x", BOTH),
        ("Copy the files below letters that mention ABERNATHY, in upper or lower case, into x", MIXED),
        ("Which files mention Zurich? Skip letters.", ""),
        ("Which files mention hello?", 'Files with "hello" in them: letters/feb.txt'),
        ("Which files mention hello and bye?", ""),
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


@pytest.mark.parametrize(
    ("request_", "command"),
    [
        (
            "Copy the files in letters that contain the name Abernathy into a new folder abernathy.",
            "mkdir -p abernathy && cp letters/feb.txt letters/jan.txt abernathy/",
        ),
        (
            "Please move the letters that mention Abernathy into the folder done",
            "mkdir -p done && mv letters/feb.txt letters/jan.txt done/",
        ),
        ("Delete the letters that mention Zurich", "rm letters/jan.txt"),
        ("Which letters mention Zurich?", ""),
        ("Copy the letters that mention Zurich", ""),
    ],
)
def test_the_command_that_takes_them_is_known(workspace, request_, command):
    assert describe_taking(request_, workspace) == command


def test_it_is_run_where_a_reply_finds_no_way(session):
    it = session("```bash\nmkdir -p x && cp letters/*Aber* x/\n```", "x is there.", "They are there.", "Yes.")
    for path, text in LETTERS.items():
        put(it.loop.context, path, text)
    it.play("Copy the files in letters that contain the name Abernathy into a new folder x.", "file")
    assert sorted(path.name for path in (it.folder / "x").iterdir()) == ["feb.txt", "jan.txt"]

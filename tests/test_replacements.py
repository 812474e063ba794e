"""The command for a request to put one text in the place of another; what it says is what sed does."""

import subprocess

import pytest
from tests.filing import open_plain, put

from tripletick.turn.replacements import describe_replacement

FILES = {
    "notices/a.txt": "Room 4, 19:30\nRoom 42\n",
    "notices/b.txt": "in Room 4\n",
    "minutes/c.txt": "Room 4\n",
    "price.txt": "costs 1.50 & more, not 1950\n",
}


@pytest.fixture
def folder(tmp_path):
    with open_plain(tmp_path) as context:
        for path, text in FILES.items():
            put(context, path, text)
        yield context.workspace


@pytest.mark.parametrize(
    ("request_", "changed"),
    [
        (
            "In all files in the folder notices replace Room 4 with Room 7. Don't touch minutes.",
            {"notices/a.txt": "Room 7, 19:30\nRoom 42\n", "notices/b.txt": "in Room 7\n"},
        ),
        ("Replace 'Room 4' by 'Hall & Bar' in b.txt", {"notices/b.txt": "in Hall & Bar\n"}),
        ("Replace Room 4 by Hall in notices/b.txt", {"notices/b.txt": "in Hall\n"}),
        (
            "Replace the room number 4 with 9 in all files in notices, except in minutes",
            {"notices/a.txt": "Room 9, 19:30\nRoom 42\n", "notices/b.txt": "in Room 9\n"},
        ),
        ("Ersetze Room durch Saal in minutes", {"minutes/c.txt": "Saal 4\n"}),
        ('in price.txt change "1.50" to "2/3"', {"price.txt": "costs 2/3 & more, not 1950\n"}),
        ("Change the name Room to Saal in minutes", {"minutes/c.txt": "Saal 4\n"}),
        ("Change the Room to 5 in minutes", {}),
        ("Replace Room 5 with Room 6 in notices", {}),
        ("Replace Room 4 with Room 6", {}),
        ("Replace Room 4 with Room 6 in notices, and replace Room 42 with Room 8 there", {}),
        ("Fix notices", {}),
    ],
)
def test_a_text_is_replaced_in_the_files_that_are_meant(folder, request_, changed):
    command = describe_replacement(request_, folder)
    assert bool(command) == bool(changed), command
    if command:
        subprocess.run(["bash", "-c", command], cwd=folder.root, check=True)
    assert {path: (folder.root / path).read_text() for path in FILES} == FILES | changed


@pytest.mark.parametrize(
    ("request_", "block", "after"),
    [
        (
            "Change the name Room 4 to Hall everywhere in a.txt",
            "s/Room 4, 19/Hall/",
            "Hall, 19:30\nRoom 42\n",
        ),
        ("Replace Room 4 by Hall in a.txt", "s/Room/Hall/", "Hall, 19:30\nRoom 42\n"),
        ("Replace Room 4 by Hall in a.txt", "s/Room 4,/Hall,/", "Hall, 19:30\nRoom 42\n"),
        ("Replace Room 4 by Hall in line 1 of a.txt", "s/Room/Hall/", "Hall 4, 19:30\nHall 42\n"),
        ("Change Room 4 to Hall in a.txt", "s/Room 4,/Hall/", "Hall 19:30\nRoom 42\n"),
        ("Replace every comma by a blank in a.txt", "s/,/ /", "Room 4  19:30\nRoom 42\n"),
        ("Replace Room 4 by Hall in a.txt, except on Mondays", "s/Room/Hall/", "Hall 4, 19:30\nHall 42\n"),
        ("Replace room by Hall in a.txt", "s/Room/Hall/", "Hall 4, 19:30\nHall 42\n"),
    ],
)
def test_a_text_that_was_replaced_in_part_is_taken_back(session, request_, block, after):
    it = session(f"```bash\nsed -i '{block}' notices/a.txt\n```", "It is so.", "It is so now.", "Yes.")
    for path, text in FILES.items():
        put(it.loop.context, path, text)
    it.play(request_)
    assert (it.folder / "notices/a.txt").read_text() == after


def test_the_command_is_run_where_a_reply_finds_no_way(session):
    it = session("```bash\nfor f in notices/*; do mv $f $f; done\n```", "minutes is in notices.", "Done.")
    for path, text in FILES.items():
        put(it.loop.context, path, text)
    it.play("Replace Room 4 with Room 7 in notices")
    assert (it.folder / "notices/b.txt").read_text() == "in Room 7\n"

"""Renames that a request shows with one file."""

import shutil

import pytest
from tests.filing import put

from tripletick.events import Returned
from tripletick.turn.rename_examples import find_other_renaming, iter_shown_renames


@pytest.mark.parametrize(
    ("request_", "shown"),
    [
        ("Give the chapters two digits, e.g. chapter1.txt becomes chapter01.txt.", ["chapter01.txt"]),
        ("beach.jpg -> 2024-beach.jpg, and so on for all", ["2024-beach.jpg"]),
        ("for example 'my song.mp3' should become 'my_song.mp3'", ["my_song.mp3"]),
        ("kapitel1.txt soll kapitel01.txt heißen; a.txt wird zu b.txt", ["b.txt"]),
        ("rename a.txt to b.txt", []),
        ("Rename chapter-1.txt to chapter-01.txt and so on in novel", ["chapter-01.txt"]),
        ("rename a1.txt to a01.txt, then b.txt to c.txt", []),
        ("a.txt becomes a.txt", []),
        ('Number them: the first, My Song, becomes "01 My Song.mp3"', ["01 My Song.mp3"]),
        ("the cover becomes c.jpg", []),
    ],
)
def test_a_rename_is_shown(request_, shown):
    names = [
        "a.txt",
        "a1.txt",
        "er.txt",
        "chapter1.txt",
        "chapter-1.txt",
        "beach.jpg",
        "my song.mp3",
        "My Song.mp3",
    ]
    assert [new for _, new in iter_shown_renames(request_, names)] == shown


@pytest.mark.parametrize(
    ("old", "new", "others"),
    [
        (
            "chapter1.txt",
            "chapter01.txt",
            {"chapter2.txt": "chapter02.txt", "chapter10.txt": "chapter10.txt"},
        ),
        ("beach.jpg", "2024-beach.jpg", {"sea.jpg": "2024-sea.jpg", "notes.txt": "notes.txt"}),
        ("a.txt", "a-old.txt", {"b.txt": "b-old.txt"}),
        ("my song.mp3", "my_song.mp3", {"your own song.mp3": "your_own_song.mp3"}),
        ("IMG_1.jpg", "photo-1.jpg", {"IMG_22.jpg": "photo-22.jpg", "me.jpg": "me.jpg"}),
        ("DSC_1.jpg", "1.jpg", {"DSC_2.jpg": "2.jpg"}),
        ("a.jpeg", "a.jpg", {"b.jpeg": "b.jpg"}),
        ("ONE.txt", "one.txt", {"TWO.txt": "two.txt"}),
    ],
)
@pytest.mark.parametrize("folder", ["", "my files/"])
def test_what_was_renamed_in_another_way_is_taken_back_with_the_loop_that_does_it(
    session, old, new, others, folder
):
    """The loop is run where the reply leaves it out: what it says is what a shell does."""
    if not shutil.which("bash"):
        pytest.skip("bash is not there")
    it = session(f"```bash\nmv '{folder}{old}' '{folder}x{new}y'\n```", "I cannot.", "No.")
    for name in (old, *others):
        put(it.loop.context, folder + name, name)
    events = it.play(f"Rename the files: '{old}' becomes '{new}'")
    result = next(event.result for event in events if isinstance(event, Returned))
    assert result.text.startswith(f"{old} is to become {new}, and became something else.")
    assert "This renames as shown: " in result.text
    left = {path.name: path.read_text() for path in (it.folder / folder).iterdir() if path.is_file()}
    assert left == {new: old} | {name: was for was, name in others.items()}


@pytest.mark.parametrize(
    ("request_", "how", "told"),
    [
        ("Rename all the .text files in in so that they end with .txt", '"${f%.txt}.txt"', True),
        ("all *.text in in and below should be *.txt", '"$f.txt"', True),
        ("all *.text in in and below should be *.txt", '"${f%.text}.txt"', False),
        ("add .bak behind the .text files in in", '"$f.bak"', False),
        ("rename the *.text files in in to *.text.bak", '"$f.bak"', False),
    ],
)
def test_a_new_ending_behind_the_old_one_is_taken_back_with_what_replaces_it(session, request_, how, told):
    it = session(f'```bash\nfor f in in/*.text; do mv "$f" {how}; done\n```', "No.", "No.")
    for name in ("a b.text", "sub/c.text", "d.txt"):
        put(it.loop.context, f"in/{name}", name)
    events = it.play(request_)
    result = next(event.result for event in events if isinstance(event, Returned))
    assert ("This renames them: " in result.text) == told
    if told and shutil.which("bash"):
        # it is run, since the reply leaves it out
        names = {path.name for path in it.folder.rglob("*") if path.is_file()}
        assert names == {"a b.txt", "c.txt", "d.txt"}


@pytest.mark.parametrize(
    "block",
    [
        "sed -i 's/-/-0/' in/*",
        "mv in/b-1.txt in/b-2.txt in/b-01.txt",
        "mv in/b-1.txt in/b-01.txt; mv in/b-2.txt in/b-01.txt",
    ],
)
def test_the_loop_is_shown_also_where_nothing_was_renamed(session, block):
    it = session(f"```bash\n{block}\n```", "It cannot be done.", "No.")
    for n in (1, 2):
        put(it.loop.context, f"in/b-{n}.txt", str(n))
    it.play("Rename b-1.txt to b-01.txt and so on in the folder in")
    told = it.model.asked[1][-1].text
    assert told.endswith('cd in/ && for f in b-[0-9].txt; do mv "$f" "b-0${f#b-}"; done\n```')
    assert "b-1.txt is not there" not in told


def test_a_rename_as_shown_stays(session):
    it = session("```bash\nmv a.txt '01 a.txt'; mv b.txt '02 b.txt'\n```", "They are.", "No.")
    for name in ("a.txt", "b.txt"):
        put(it.loop.context, name, name)
    it.play('Number the files: a becomes "01 a.txt" and so on')
    assert (it.folder / "02 b.txt").exists()


def test_of_nothing_no_rename_is_shown():
    assert find_other_renaming((), "a.txt becomes b.txt") is None


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("rename the files in songs so that every space becomes an underscore", "danny_boy.txt"),
        ("In the file names in songs replace the spaces with hyphens", "danny-boy.txt"),
        ("Ersetze in den Dateinamen in songs die Leerzeichen durch Unterstriche", "danny_boy.txt"),
        ("Put a space with an underscore into songs", ""),
    ],
)
def test_blanks_of_names_get_the_sign_that_is_meant(session, request_, name):
    it = session("```bash\nsed -i 's/zzz/x/' songs/*.txt\n```", "Done.", "Done.", "Done.")
    for each in ("songs/danny boy.txt", "songs/green.txt", "other one.txt"):
        put(it.loop.context, each, each)
    it.play(request_, "file")
    names = {path.name for path in it.folder.rglob("*.txt")}
    assert names == {name or "danny boy.txt", "green.txt", "other one.txt"}

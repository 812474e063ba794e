"""A hidden name hides what it leads to, and each further name of that, in every tier; case does not count."""

import os
import shutil
import subprocess
import sys

import pytest

from tripletick.paths.file_identity import has_hard_links
from tripletick.paths.hidden_paths import HiddenPathFinder
from tripletick.sandbox.box import Grant

TIERS = ["bubblewrap", "landlock"]


@pytest.fixture(params=TIERS)
def opened(request, make):
    """Open a place of the tier; what may be let in lies beside the workspace."""

    def open_place(**changes):
        place = make(request.param, **changes)
        if not place.box.holds:
            pytest.skip(place.box.sentence)
        return place

    if request.param == "bubblewrap" and not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    return open_place


def put(path, text="KEY=CANARY"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o644)
    return path


@pytest.mark.parametrize("name", [".env", ".ENV", ".Env.Local", "deep/.env.prod"])
@pytest.mark.parametrize("late", [False, True])
def test_a_link_hides_what_it_leads_to(opened, top, name, late):
    place = opened()
    if late:
        place.bash("true")
    real = put(top / "ws/envs/prod")
    (top / "ws" / name).parent.mkdir(exist_ok=True)
    (top / "ws/way").symlink_to("envs/prod")
    (top / "ws" / name).symlink_to(top / "ws/way")
    text, _ = place.bash(f"cat {name} envs/prod way {real}; cp envs/prod copy; mv envs/prod o; cat copy o; :")
    assert "CANARY" not in text


@pytest.mark.parametrize("name", [".env", ".ENV"])
def test_a_hidden_file_is_hidden_by_its_other_names_too(opened, top, name):
    os.link(put(top / "ws" / name), top / "ws/plain.txt")
    put(top / "ws/other.txt", "seen")
    text, _ = opened().bash("cat plain.txt; cat other.txt")
    assert "CANARY" not in text
    assert text.endswith("seen")


def test_a_file_that_ignore_patterns_name_in_another_case_is_seen(opened, top):
    put(top / "ws/.tripletickignore", "key\n")
    put(top / "ws/KEY", "seen")
    assert opened().bash("cat KEY")[0] == "seen"


@pytest.mark.parametrize("shown_late", [False, True])
def test_a_link_hides_what_lies_in_a_folder_that_was_let_in(opened, top, shown_late):
    shown = top / "shown"
    real = put(shown / "conf/prod")
    put(shown / "conf/page", "seen")
    (top / "ws/.env").symlink_to(real)
    place = opened(see=() if shown_late else (shown,))
    if shown_late:
        place.box.allow_reading(shown)
    text, _ = place.bash(f"cat .env {real} {shown}/conf/page")
    assert "CANARY" not in text
    assert text.endswith("seen")


def test_env_files_and_links_of_a_folder_that_was_let_in_are_hidden(opened, top):
    shown = top / "shown"
    for name in (".env", ".ENV.local", "deep/real", "sub/.env"):
        put(shown / name)
    (shown / ".env.link").symlink_to("deep/real")
    inside = put(top / "ws/mine")
    (shown / ".env.ws").symlink_to(inside)
    os.link(shown / ".env", shown / "hard")
    text, _ = opened(see=(shown,)).bash(
        f"cd {shown}; cat .env .ENV.local .env.link deep/real sub/.env hard {inside}"
    )
    assert "CANARY" not in text


@pytest.mark.parametrize("way", ["envs/prod", "turns/turn/prod"])
def test_what_a_hidden_link_leads_to_only_later_is_hidden(opened, top, way):
    (top / "ws/envs").mkdir()
    (top / "ws/turns").mkdir()
    (top / "ws/.env").symlink_to(way)
    place = opened()
    # Until nothing of the folder is fresh any more.
    place.bash("sleep .2")
    place.bash("true")
    put(top / "ws/envs/prod")
    (top / "ws/turns/turn").symlink_to("../envs")
    assert "CANARY" not in place.bash("cat .env envs/prod")[0]


MANY = "import os\nfor n in range(1100):\n    {each}"
"""Without a process for each: that is most of the time of a shell's loop."""


@pytest.mark.parametrize(
    "each",
    [
        "open(f'.env.{n}', 'w').write('x')",
        "os.mkdir(f'd{n}'); open(f'd{n}/.env', 'w').write('x')",
        "open(f'f{n}', 'w').write('x'); os.symlink(f'f{n}', f'.env.{n}')",
        "os.mkdir(f'c{n}'); os.chmod(f'c{n}', 0)",
    ],
)
def test_many_hidden_names_of_one_block_keep_no_later_one_from_running(opened, top, each):
    put(top / "ws/.env")
    (top / "ws/.env.way").symlink_to("prod")
    put(top / "ws/prod")
    place = opened()
    assert place.python(MANY.replace("{each}", each))[1].status == 0
    put(top / "ws/.env.late")
    text, finished = place.bash("cat .env prod .env.way .env.late; echo ran")
    assert (text, finished.status) == ("ran\n", 0) or "Permission denied" in text
    assert "CANARY" not in text
    assert text.endswith("ran\n")


def test_a_link_that_a_block_has_made_hides_nothing_until_it_is_changed(opened, top):
    put(top / "ws/main", "seen")
    put(top / "ws/src/main", "seen")
    place = opened()
    place.bash("ln -s main .env; ln -s src .env.src")
    assert place.bash("cat main src/main")[0] == "seenseen"
    put(top / "ws/main", "now CANARY")
    assert "CANARY" not in place.bash("cat main")[0]


def test_a_block_that_removes_a_hidden_link_uncovers_nothing(opened, top, owner):
    put(top / "ws/envs/prod")
    (top / "ws/.env").symlink_to("envs/prod")
    place = opened()
    place.bash("sleep .2")
    told = place.bash("rm .env; ln -s envs/prod .env; mv .env other; ls -A")[0]
    assert "Put back, because blocks may not change it: .env" in told
    assert "CANARY" not in place.bash("rm -f .env; cat envs/prod other")[0]
    assert (top / "ws/.env").readlink().name == "prod"
    assert "CANARY" not in place.bash("cat envs/prod")[0]


@pytest.mark.parametrize(
    "how", ["echo '*' > .tripletickignore", "ln -s a .tripletickignore", "mkdir .tripletickignore"]
)
def test_an_ignore_file_that_a_block_makes_is_put_back(opened, top, how):
    put(top / "ws/a", "*\n")
    place = opened()
    text = place.bash(how)[0]
    assert "tripletick: Put back, because blocks may not change it: .tripletickignore" in text
    assert not (top / "ws/.tripletickignore").is_symlink() and not (top / "ws/.tripletickignore").exists()
    assert place.bash("cat a")[0] == "*\n"


def test_a_yes_lets_a_block_make_the_ignore_file(opened, top):
    put(top / "ws/a", "seen")
    place = opened()
    text = place.bash("echo a > .tripletickignore", grant=Grant(ignore=True))[0]
    assert "Put back" not in text
    assert "seen" not in place.bash("cat a")[0]


def test_a_file_that_goes_while_it_is_looked_at_has_no_further_names(top):
    path = top / "gone"
    path.write_text("")
    (top / "other").hardlink_to(path)
    assert has_hard_links(str(path))
    path.unlink()
    assert not has_hard_links(str(path))


CHURN = """
import os
while True:
    for number in range(100):
        os.mkfifo(f"pipe{number}")
    for number in range(100):
        os.unlink(f"pipe{number}")
"""


def test_a_pipe_that_goes_while_it_is_looked_at_uncovers_nothing_beside_it(top):
    (top / ".env").write_text("SECRET=1")
    with subprocess.Popen([sys.executable, "-c", CHURN], cwd=top) as program:
        try:
            looks = [HiddenPathFinder(top.resolve()).find_hidden() for _ in range(1500)]
        finally:
            program.kill()
    assert all(str(top.resolve() / ".env") in found.files for found in looks)

"""Which tier is taken, and that none counts as a box before its probe has passed."""

import csv
import os
import shutil
import stat
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tripletick.config.schema import SandboxSection
from tripletick.errors import ConfigError
from tripletick.sandbox import BOXES, live_probe, open_box, open_tier
from tripletick.sandbox.box import Limits, RunRequest, SandboxSpec
from tripletick.sandbox.container import Mount, arguments
from tripletick.sandbox.live_probe import Probe, find_problem
from tripletick.sandbox.seatbelt import Rows, profile, quote
from tripletick.sandbox.user import User
from tripletick.system import platforms

ROWS = Rows(
    Path("/w"), Path("/h/.state/box/home"), "work", (Path("/h"),), kept=(Path("/w/.git"), Path("/h/.state"))
)
ODD = ['a "quoted" \\ path', "new\nline\ttab", "数据 🙂", "comma, and = sign", "bell\x07"]


@pytest.fixture
def ground(top):
    return SandboxSpec(top / "ws", top / "state")


def program(folder, name, script):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_without_bubblewrap_landlock_is_taken_and_without_both_there_is_no_box(ground, monkeypatch):
    monkeypatch.setenv("PATH", "relative:/nonexistent")
    box = open_box(ground)
    box.close()
    assert box.name == ("landlock" if box.holds else "none")
    with pytest.raises(ConfigError, match=r"tier = bubblewrap .*\n.* not installed .*\nsudo apt install bub"):
        open_box(ground, "bubblewrap")


@pytest.fixture
def programs(top, monkeypatch):
    """A folder before all others on PATH, which every user may write."""
    folder = top / "bin"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


@pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed")
@pytest.mark.parametrize("seconds", ["61.0831", "0.5"])
def test_a_bubblewrap_that_is_slow_to_start_is_not_passed_over(ground, programs, monkeypatch, seconds):
    monkeypatch.setattr(live_probe, "PATIENCE", (2, 20))
    first = f"[ -e {programs}/flag ] || {{ touch {programs}/flag; sleep {seconds}; }}"
    program(programs, "bwrap", f'{first}; exec {shutil.which("bwrap")} "$@"')
    box = open_box(ground)
    box.close()
    assert box.name == "bubblewrap"


def test_why_a_lesser_box_holds_is_told_once(ground, programs):
    program(programs, "bwrap", "echo no room here; exit 1")
    told: list[str] = []
    ground = replace(ground, notice=told.append)
    boxes = [open_box(ground), open_box(ground)]
    for box in boxes:
        box.close()
    if not boxes[0].holds:
        pytest.skip("there is no second tier here")
    assert told == ["sandbox: using landlock, because a stronger tier does not work: no room here"]


def test_a_bubblewrap_that_cannot_be_started_does_not_hold(ground, programs):
    program(programs, "bwrap", "true").write_text("#!/nonexistent/interpreter")
    with pytest.raises(ConfigError, match="bwrap"):
        open_box(ground, "bubblewrap")


def test_what_may_be_chosen_is_what_there_is():
    allowed = SandboxSection.__dataclass_fields__["tier"].metadata["allowed"]
    assert {*allowed} == {"auto", *BOXES, "none"}
    assert {*platforms.list_sandbox_tiers()} <= BOXES.keys()


@pytest.mark.parametrize("tier", ["seatbelt", "docker", "podman"])
def test_a_tier_that_was_chosen_and_cannot_pass_its_probe_is_an_error(ground, tier, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ConfigError, match=rf"tier = {tier} does not work here"):
        open_box(ground, tier)


@pytest.mark.parametrize(
    "script, seen",
    [
        ("exit 3", "it exited with 3"),
        ("env; exit 3", "it exited with 3"),
        ("echo holds", ""),
        ('echo x > "$1/written"; echo holds', "a file outside"),
        (': > "$1/cut"; echo holds', "a file outside"),
        ('cat "$1/secret"; echo; echo holds', "a file outside"),
        ("env; echo holds", "the environment"),
        ("echo signalled; echo holds", "another process"),
        ('bash -c ": > /dev/tcp/127.0.0.1/$3"; echo holds', "the network"),
    ],
)
def test_a_box_that_leaks_does_not_pass(make, monkeypatch, script, seen):
    monkeypatch.setenv("SOME_KEY", "1")
    bare = make("none").box
    probe = Probe(bare.home.parent, bare.environment, shared=True)
    env = {"SOME_KEY": "1"}
    problem = find_problem(
        probe, lambda asked: bare.run(RunRequest(["sh", "-c", script, *asked.command[3:]], env=env))
    )
    assert problem == (seen if not seen or "exited" in seen else f"the live probe saw {seen}")


@pytest.mark.parametrize("times, seen", [(1, ""), (2, "its live probe was stopped twice")])
def test_a_probe_that_a_limit_stops_is_run_once_more(make, limits, times, seen):
    bare = make("none", limits=replace(limits, output=1 << 16)).box
    probe = Probe(bare.home.parent, bare.environment, shared=True)
    scripts = iter(["yes"] * times + ["echo holds"])
    problem = find_problem(probe, lambda asked: bare.run(RunRequest(["sh", "-c", next(scripts)])))
    assert problem.startswith(seen) and bool(problem) == bool(seen)
    assert bool(seen) == (next(scripts, None) is not None)


@pytest.mark.parametrize("name", ODD)
def test_a_path_stays_one_string_of_the_profile(name):
    text = quote(Path("/w", name))
    body = text[1:-1]
    assert "\n" not in text and not any(ord(char) < 32 for char in text)
    assert body.replace("\\\\", "").replace('\\"', "").count('"') == 0


def test_the_profile_denies_first_and_keeps_what_no_block_may_change():
    lines = profile(ROWS).splitlines()
    order = [
        "(deny default)",
        '(deny file-read* (subpath "/h"))',
        '(allow file-write* (subpath "/w") (subpath "/h/.state/box/home"))',
        next(line for line in lines if line.startswith("(deny file-write* ")),
        '(allow file-read* file-write* (subpath "/h/.state/box/home"))',
        next(line for line in lines if line.startswith("(deny file-write-unlink ")),
    ]
    assert [lines.index(line) for line in order] == sorted(lines.index(line) for line in order)
    assert all(f'(subpath "{path}")' in order[3] for path in ("/w/.git", "/h/.state", "/h/.bashrc"))
    assert all(f'(literal "{path}")' in order[5] for path in ("/w", "/h", "/h/.state/box"))


def test_a_block_that_may_only_read_gets_a_profile_without_the_workspace_to_write():
    text = profile(replace(ROWS, mode="read"))
    assert [line for line in text.splitlines() if "allow file-write*" in line and '"/w"' in line] == []


def test_the_profile_opens_no_network():
    assert "network" not in profile(ROWS)


def test_a_container_gets_nothing_but_what_is_mounted():
    user, mounts = User(7, 8, (), "x", Path("/h")), [Mount(Path("/w"), Path("/w"), read_only=False)]
    words = arguments("n", user, Limits(memory=5, processes=6), mounts)
    pairs = list(pairwise(words))
    wanted = {
        "--network": "none",
        "--memory": "5",
        "--pids-limit": "6",
        "--cap-drop": "ALL",
        "--pull": "never",
    }
    wanted |= {
        "--security-opt": "no-new-privileges",
        "--user": "7:8",
        "--mount": "type=bind,source=/w,target=/w",
    }
    assert {*wanted.items()} <= {*pairs}
    assert "--read-only" in words


@pytest.mark.parametrize("name", [*ODD[:1], *ODD[2:4]])
def test_a_mount_is_one_row_of_comma_separated_values(name):
    [fields] = csv.reader([Mount(Path("/w", name), Path("/t")).word()])
    assert fields == ["type=bind", f"source=/w/{name}", "target=/t", "readonly"]


def test_a_container_engine_is_told_to_end_what_it_runs(ground, tmp_path, monkeypatch):
    monkeypatch.setattr(live_probe, "PATIENCE", (2, 2))
    heard = tmp_path / "heard"
    engine = program(tmp_path, "docker", f'echo "$1" >> {heard}; [ "$1" = kill ] || sleep 61.09')
    tmp_path.chmod(stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
    monkeypatch.setenv("PATH", f"{engine.parent}:/usr/bin:/bin")
    box = open_tier(ground, "docker")
    box.close()
    assert not box.holds
    assert heard.read_text().split()[:2] == ["run", "kill"]

import json
import os
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
from tests.test_checkpoint import look, never
from tests.turns.test_undo import blocks

from tripletick.checkpoint import Checkpoints

DATA = Path(__file__).parent / "data"
LATER, HARMLESS = ((DATA / f"runs_{when}.txt").read_text().split() for when in ("later", "never"))


def put(ws, name, text="x"):
    (ws / name).parent.mkdir(parents=True, exist_ok=True)
    (ws / name).write_text(text)


@pytest.mark.parametrize("name", LATER)
def test_a_new_file_that_runs_later_is_told_and_a_changed_one_again(ws, points, name):
    told = blocks(points, partial(put, ws, name), partial(put, ws, name, "y"))
    assert len(told) == 2 and all(line.startswith(f"Runs later: {name} (") for line in told)


def test_a_repository_that_a_block_makes_of_a_lent_folder_is_told_and_undone(ws, tmp_path):
    (ws / "site").mkdir()
    points = Checkpoints(ws, tmp_path / "other state", in_parts=True)
    points.track_paths(["site"])
    (told,) = blocks(points, partial(put, ws, "site/.git/config", "[core]\n\tfsmonitor = ./evil\n"))
    assert told.startswith("Runs later: site/.git (git runs programs")
    assert points.changed == ()
    assert points.undo(ask=never).removed == ("site/.git/config",)
    assert not (ws / "site/.git").exists()


def test_what_runs_only_when_it_is_asked_for_is_not_told(ws, points):
    (ws / ".git").mkdir()
    assert blocks(points, *[partial(put, ws, name) for name in HARMLESS]) == []


def test_a_file_that_was_there_before_or_is_gone_is_not_told(ws, points):
    put(ws, ".envrc")
    put(ws, "Makefile")
    assert blocks(points, (ws / ".envrc").unlink, partial(put, ws, "notes.txt", "new")) == []


def test_what_the_person_writes_is_not_told(ws, points):
    assert blocks(points, lambda: None, lambda: None, between=partial(put, ws, ".envrc")) == []


def test_a_line_gives_the_reason_and_counts_what_is_too_much(ws, points):
    (line,) = blocks(points, lambda: [put(ws, f"{n:02}/.envrc") for n in range(14)])
    assert line.startswith("Runs later: 00/.envrc, 01/.envrc,") and "09/.envrc and 4 more (direnv" in line


def test_many_files_of_one_kind_hide_no_other_kind(ws, points):
    told = blocks(points, lambda: [put(ws, f"{n:02}/Makefile") for n in range(99)] + [put(ws, ".envrc")])
    assert len(told) == 2 and any(".envrc" in line for line in told)


def test_a_new_repository_is_one_line(ws, points):
    git = ["git", "init", "-q"]
    told = blocks(
        points,
        partial(subprocess.run, [*git, ws / "sub"], check=True),
        partial(subprocess.run, [*git, "--bare", ws / "bare"], check=True),
        partial(put, ws, "linked/.git", "gitdir: ../sub/.git"),
        partial(put, ws, "sub/.git/config", "[core]\nfsmonitor = evil"),
    )
    assert [line.partition(" (")[0] for line in told] == [
        f"Runs later: {path}" for path in ("sub/.git", "bare", "linked/.git", "sub/.git")
    ]


@pytest.mark.parametrize("top", ["", "sub/"])
def test_a_git_that_a_block_makes_is_told_whatever_it_is_and_undone(ws, points, top):
    (ws / "sub").mkdir()
    before = look(ws)
    for step in (
        lambda: (ws / top / ".git").symlink_to("nowhere"),
        lambda: (ws / top / ".git").mkdir(),
        partial(put, ws, f"{top}.git", "gitdir: .x"),
        lambda: [put(ws, f"{top}.git/{name}") for name in ("HEAD", "commondir", "objects/ab/cd")],
        partial(subprocess.run, ["git", "init", "-q", ws / top], check=True),
    ):
        (told,) = blocks(points, step)
        assert told.startswith(f"Runs later: {top}.git (git runs programs")
        points.undo(ask=never)
        assert look(ws) == before


@pytest.mark.parametrize("name", ["commondir", "config.worktree", "config", "hooks/pre-commit"])
@pytest.mark.parametrize("top", ["", "sub/"])
def test_what_leads_git_elsewhere_in_a_repository_of_the_person_is_told_and_undone(ws, points, top, name):
    put(ws, f"{top}.git/HEAD")
    blocks(points, lambda: None)
    before = look(ws)
    for text in ("a", "b"):
        (told,) = blocks(points, partial(put, ws, f"{top}.git/{name}", text))
        assert told.startswith(f"Runs later: {top}.git")
    points.undo(2, ask=never)
    assert look(ws).keys() - {f"{top}.git/hooks"} == before.keys()


def test_a_git_file_that_leads_elsewhere_now_is_told(ws, points):
    put(ws, "sub/.git", "gitdir: ../.git/modules/sub")
    (told,) = blocks(points, partial(put, ws, "sub/.git", "gitdir: ../evil"))
    assert told.startswith("Runs later: sub/.git (git runs programs")


def test_a_repository_of_the_person_is_no_turns_to_undo(ws, points):
    blocks(points, partial(subprocess.run, ["git", "init", "-q", ws], check=True))
    points.undo(ask=never)
    subprocess.run(["git", "init", "-q", ws], check=True)
    blocks(points, lambda: (put(ws, "a.txt"), put(ws, ".git/objects/ab/cd")))
    assert points.undo(ask=never).removed == ("a.txt",)
    assert (ws / ".git/objects/ab/cd").exists()


def test_a_repository_that_was_used_since_is_left_whole(ws, points):
    blocks(points, partial(subprocess.run, ["git", "init", "-q", ws], check=True))
    before = look(ws)
    put(ws, ".git/config", "[user]\nname = Ann\n")
    assert points.undo(ask=lambda _: False).removed == ()
    assert look(ws).keys() == before.keys()


def test_ignored_files_count_too(ws, points):
    put(ws, ".gitignore", "*\n")
    (line,) = blocks(points, partial(put, ws, ".envrc"))
    assert ".envrc" in line


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"scripts": {"test": "a"}}, {"scripts": {"test": "b"}}, True),
        ({"scripts": {"test": "a"}}, {"scripts": {"test": "a"}, "version": "2"}, False),
        ({}, {"dependencies": {"a": "1"}}, False),
        ({}, {"scripts": {"postinstall": "evil"}}, True),
        ({}, ["no object"], False),
    ],
)
def test_of_a_package_file_only_the_part_that_runs_counts(ws, points, before, after, told):
    put(ws, "package.json", json.dumps(before))
    assert bool(blocks(points, partial(put, ws, "package.json", json.dumps(after)))) is told


def test_a_package_file_that_cannot_be_read_is_told(ws, points):
    put(ws, "package.json", "{}")
    assert "package.json" in blocks(points, partial(put, ws, "package.json", "{"))[0]


def test_of_a_project_file_only_the_part_that_runs_counts(ws, points):
    put(ws, "pyproject.toml", '[project]\nname = "a"\n')
    told = blocks(
        points,
        partial(put, ws, "pyproject.toml", '[project]\nname = "b"\n'),
        partial(put, ws, "pyproject.toml", '[build-system]\nrequires = ["evil"]\n'),
    )
    assert len(told) == 1


@pytest.mark.parametrize(
    ("name", "texts", "told"),
    [
        (".gitattributes", ("", "* text=auto\n*.png binary\n# *.c filter=evil\n"), False),
        (".gitattributes", ("", "*.c filter=evil\n"), True),
        ("sub/.gitattributes", ("* text=auto\n", "* text=auto\n*.x -text diff=exif\n"), True),
        (".gitattributes", ("*.c filter=lfs\n", "*.c filter=lfs\n* text=auto\n"), False),
        (".gitattributes", ("*.c filter=lfs\n", "*.d filter=lfs\n"), True),
        (".gitattributes", ("*.c merge=ours\n", ""), False),
        ("run.sh", ("", "echo hello\n# docker run alpine\n"), False),
        ("run.sh", ("", "set -e\nsudo docker run -v /:/host alpine sh\n"), True),
        ("tools/up.sh", ("", "docker --context x compose up -d\n"), True),
        ("up.sh", ("podman run a\n", "podman run a\necho\n"), False),
    ],
)
def test_of_attributes_and_scripts_the_lines_that_run_something_count(ws, points, name, texts, told):
    before, after = texts
    put(ws, name, before)
    assert bool(blocks(points, partial(put, ws, name, after))) is told


def test_a_link_and_an_executable_bit_count_as_changes(ws, points):
    put(ws, "tool")
    put(ws, ".husky/push")
    told = blocks(
        points, lambda: (ws / ".envrc").symlink_to("tool"), lambda: (ws / ".husky/push").chmod(0o755)
    )
    assert ".envrc" in told[0] and ".husky/push" in told[1]


def test_what_a_killed_program_left_is_told_by_the_next(ws, tmp_path):
    pid = os.fork()
    if not pid:
        killed = Checkpoints(ws, tmp_path / "state")
        killed.begin_turn("session", "killed")
        killed.snapshot_before_block()
        put(ws, ".envrc")
        os._exit(0)
    os.waitpid(pid, 0)
    points = Checkpoints(ws, tmp_path / "state")
    points.begin_turn("session", "next")
    assert "Runs later: .envrc" in points.snapshot_before_block()


def test_a_name_that_steers_a_terminal_is_told_without_its_lone_surrogates(ws, points):
    name = os.fsdecode(b"\xff/.envrc")
    (line,) = blocks(points, partial(put, ws, name))
    line.encode()


def test_a_moved_folder_brings_its_alerts(ws, points):
    put(ws, "a/.envrc")
    (line,) = blocks(points, partial(shutil.move, ws / "a", ws / "b"))
    assert "b/.envrc" in line

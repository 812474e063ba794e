"""git, and the facts of the machine: what is asked of the system is asked, never remembered."""

from __future__ import annotations

import os
import subprocess

from training import words
from training.scene import Scene, quote_text
from training.script import Script, allow_failure, format_bash
from training.tables import get_rows


def get_system_fact(scene: Scene) -> Script:
    section, command, answer = scene.pick(*get_rows("system"))
    yield scene.ask(section)
    seen = yield format_bash(command)
    yield answer.format(o=seen.text.strip())


def check_installed(scene: Scene) -> Script:
    """Is a program there?"""
    name = scene.pick(
        "python3",
        "git",
        "gcc",
        "node",
        "ruby",
        "perl",
        "java",
        "go",
        "make",
        "tar",
        "docker",
        "ffmpeg",
        "sqlite3",
        "jq",
        "curl",
    )
    yield scene.ask("installed", name=name)
    seen = yield allow_failure(format_bash(f"command -v {name}"))
    yield f"Yes, {name} is at {seen.text}." if seen.ok else f"No, {name} is not installed here."


def show_status(scene: Scene) -> Script:
    """What git would commit."""
    one, _ = _make_repository(scene)
    new = scene.draw_chance(0.7)
    if new:
        scene.put_file(one, scene.draw_note(2))
    if scene.draw_chance(0.5):
        scene.put_file(scene.draw_name("text"), "x")
    yield scene.ask("git-status")
    seen = yield format_bash("git status --short")
    names = [line[3:] for line in seen.lines]
    yield f"Not committed yet: {words.format_list(names)}." if names else "Everything is committed."


def show_log(scene: Scene) -> Script:
    _make_repository(scene)
    last = scene.draw_chance(0.4)
    yield scene.ask("git-last" if last else "git-log")
    seen = yield format_bash("git log --oneline -n 1" if last else "git log --oneline -n 5")
    if last:
        yield f'The last commit is "{seen.text.partition(" ")[2]}".'
    else:
        yield f"The last commits are:\n{seen.text}"


def show_branch(scene: Scene) -> Script:
    _make_repository(scene)
    yield scene.ask("git-branch")
    seen = yield format_bash("git branch --show-current")
    yield f"You are on the branch {seen.text}."


def show_diff(scene: Scene) -> Script:
    one, _ = _make_repository(scene)
    line = words.draw_phrase(scene.random)
    scene.put_file(one, f"{(scene.root / one).read_text()}{line}")
    yield scene.ask("git-diff")
    yield format_bash("git diff")
    yield f"In {one} the line {line} is new."


def count_commits(scene: Scene) -> Script:
    _make_repository(scene)
    yield scene.ask("git-count")
    seen = yield format_bash("git rev-list --count HEAD")
    yield f"There are {seen.text} commits."


def report_no_repository(scene: Scene) -> Script:
    """A folder without git is said to be one."""
    scene.add_other_files(3)
    yield scene.ask(scene.pick("git-log", "git-status", "git-branch"))
    command = scene.pick("git status --short", "git log --oneline -n 5")
    seen = yield allow_failure(format_bash(command))
    yield "This folder is not a git repository." if not seen.ok else "There is nothing."


def _make_repository(scene: Scene) -> tuple[str, list[str]]:
    """Make a repository with a few commits; gives a file of it and the messages."""
    if (scene.root / ".git").exists():
        names = _run_git(scene, "ls-files").split()
        return names[0], []
    name = scene.draw_name("text")
    _run_git(scene, "init", "-q", "-b", scene.pick("main", "main", "master", "develop", scene.draw_word()))
    said = []
    for _ in range(scene.random.randint(1, 4)):
        said.append(
            f"{scene.pick('Add', 'Fix', 'Update', 'Remove', 'Improve', 'Rename')} {scene.draw_word()}"
        )
        scene.put_file(name, scene.draw_note(4))
        scene.put_file(scene.draw_name("text"), "x")
        _run_git(scene, "add", ".")
        _run_git(scene, "commit", "-q", "-m", said[-1])
    return name, said


def _run_git(scene: Scene, *arguments: str) -> str:
    who = ("-c", "user.name=Anna", "-c", "user.email=anna@example.org", "-c", "commit.gpgsign=false")
    env = {"PATH": os.environ["PATH"], "HOME": str(scene.root), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ("git", *who, *arguments), cwd=scene.root, env=env, capture_output=True, text=True, check=True
    )
    return done.stdout


def commit_file(scene: Scene) -> Script:
    _make_repository(scene)
    name, message = (
        scene.make_file("text", inside=0),
        f"{scene.pick('Add', 'Save', 'Write')} {scene.draw_word()}",
    )
    for key, value in (("user.name", "Anna"), ("user.email", "anna@example.org")):
        _run_git(scene, "config", key, value)
    yield scene.ask("git-commit", name=name, message=message)
    yield format_bash(f"git add {quote_text(name)}\ngit commit -q -m {quote_text(message)}")
    yield f'I committed {name} with the message "{message}".'

"""git, and the facts of the machine: what is asked of the system is asked, never remembered."""

from __future__ import annotations

import os
import subprocess

from training import words
from training.scene import Scene, quoted
from training.script import Script, bash, either
from training.tables import rows


def fact(scene: Scene) -> Script:
    section, command, answer = scene.pick(*rows("system"))
    yield scene.ask(section)
    seen = yield bash(command)
    yield answer.format(o=seen.text.strip())


def installed(scene: Scene) -> Script:
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
    seen = yield either(bash(f"command -v {name}"))
    yield f"Yes, {name} is at {seen.text}." if seen.ok else f"No, {name} is not installed here."


def status(scene: Scene) -> Script:
    """What git would commit."""
    one, _ = _repository(scene)
    new = scene.chance(0.7)
    if new:
        scene.put(one, scene.note(2))
    if scene.chance(0.5):
        scene.put(scene.fresh("text"), "x")
    yield scene.ask("git-status")
    seen = yield bash("git status --short")
    names = [line[3:] for line in seen.lines]
    yield f"Not committed yet: {words.listed(names)}." if names else "Everything is committed."


def log(scene: Scene) -> Script:
    _repository(scene)
    last = scene.chance(0.4)
    yield scene.ask("git-last" if last else "git-log")
    seen = yield bash("git log --oneline -n 1" if last else "git log --oneline -n 5")
    if last:
        yield f'The last commit is "{seen.text.partition(" ")[2]}".'
    else:
        yield f"The last commits are:\n{seen.text}"


def branch(scene: Scene) -> Script:
    _repository(scene)
    yield scene.ask("git-branch")
    seen = yield bash("git branch --show-current")
    yield f"You are on the branch {seen.text}."


def difference(scene: Scene) -> Script:
    one, _ = _repository(scene)
    line = words.phrase(scene.random)
    scene.put(one, f"{(scene.root / one).read_text()}{line}")
    yield scene.ask("git-diff")
    yield bash("git diff")
    yield f"In {one} the line {line} is new."


def commits(scene: Scene) -> Script:
    _repository(scene)
    yield scene.ask("git-count")
    seen = yield bash("git rev-list --count HEAD")
    yield f"There are {seen.text} commits."


def not_git(scene: Scene) -> Script:
    """A folder without git is said to be one."""
    scene.litter(3)
    yield scene.ask(scene.pick("git-log", "git-status", "git-branch"))
    command = scene.pick("git status --short", "git log --oneline -n 5")
    seen = yield either(bash(command))
    yield "This folder is not a git repository." if not seen.ok else "There is nothing."


def _repository(scene: Scene) -> tuple[str, list[str]]:
    """Make a repository with a few commits; gives a file of it and the messages."""
    if (scene.root / ".git").exists():
        names = _git(scene, "ls-files").split()
        return names[0], []
    name = scene.fresh("text")
    _git(scene, "init", "-q", "-b", scene.pick("main", "main", "master", "develop", scene.word()))
    said = []
    for _ in range(scene.random.randint(1, 4)):
        said.append(f"{scene.pick('Add', 'Fix', 'Update', 'Remove', 'Improve', 'Rename')} {scene.word()}")
        scene.put(name, scene.note(4))
        scene.put(scene.fresh("text"), "x")
        _git(scene, "add", ".")
        _git(scene, "commit", "-q", "-m", said[-1])
    return name, said


def _git(scene: Scene, *arguments: str) -> str:
    who = ("-c", "user.name=Anna", "-c", "user.email=anna@example.org", "-c", "commit.gpgsign=false")
    env = {"PATH": os.environ["PATH"], "HOME": str(scene.root), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ("git", *who, *arguments), cwd=scene.root, env=env, capture_output=True, text=True, check=True
    )
    return done.stdout


def commit(scene: Scene) -> Script:
    _repository(scene)
    name, message = scene.file("text", inside=0), f"{scene.pick('Add', 'Save', 'Write')} {scene.word()}"
    for key, value in (("user.name", "Anna"), ("user.email", "anna@example.org")):
        _git(scene, "config", key, value)
    yield scene.ask("git-commit", name=name, message=message)
    yield bash(f"git add {quoted(name)}\ngit commit -q -m {quoted(message)}")
    yield f'I committed {name} with the message "{message}".'

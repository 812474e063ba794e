"""`/commit` and `[git] commit = turn`: what the turns made is committed, and nothing else runs or goes in."""

import subprocess
from dataclasses import replace

import pytest
from tests.turns.test_approval import log, repository, results

from tripletick.events import Ask, Event, Notice
from tripletick.messages import Answer
from tripletick.permission import AskPolicy, PermissionGate
from tripletick.session import git_commit

YES = Answer("y")


def git(it, *words):
    done = subprocess.run(["git", *words], cwd=it.folder, check=True, capture_output=True, text=True)
    return done.stdout


def begun(it, **files):
    """A repository of one commit."""
    repository(it)
    for name, text in {"notes_txt": "one\ntwo\n", **files}.items():
        (it.folder / name.replace("_", ".")).write_text(text)
    git(it, "add", "-A")
    git(it, "commit", "-qm", "Begin")
    return it


def commit(it, *answers, message="", **how):
    """Commit, and give what was said and asked."""
    waiting, events, reply = list(answers), list[Event](), None
    turn = git_commit.commit_turns(it.loop, message, **how)
    while True:
        try:
            event = turn.send(reply)
        except StopIteration:
            return events
        events.append(event)
        reply = waiting.pop(0) if isinstance(event, Ask) else None


def told(events):
    return "\n".join(event.text for event in events if isinstance(event, Notice))


def block(script):
    return f"```bash\n{script}\n```"


def test_what_a_turn_changed_is_committed_with_the_model_s_message_after_a_yes(session):
    script = "echo three >> notes.txt; printf 'a\\nb\\n' > new.txt"
    it = begun(session(block(script), "Done.", "`Add a third note.`\n\nIt was missing."))
    (it.folder / "mine.txt").write_text("of the user\n")
    it.play()
    events = commit(it, YES)
    (question,) = [event for event in events if isinstance(event, Ask)]
    counts = "created new.txt +2 -0 · changed notes.txt +1 -0"
    assert question.question == f"Commit “Add a third note” ({counts})?"
    assert ("added", "+three") in question.diff
    assert log(it) == "Ann Add a third note\nAnn Begin\n"
    assert git(it, "show", "--format=", "--name-only") == "new.txt\nnotes.txt\n"
    assert git(it, "status", "--short") == "?? mine.txt\n"
    assert "Committed " in told(events) and "git reset --soft HEAD~1" in told(events)
    assert "+three" in it.model.asked[-1][-1].text and len(it.loop.conversation.entries) == 4


def test_a_no_commits_nothing_and_another_message_is_taken(session):
    it = begun(session(block("rm notes.txt"), "Done.", "Remove the notes", "Remove the notes"))
    it.play()
    assert told(commit(it, Answer("n"))) == "Nothing was committed." and log(it) == "Ann Begin\n"
    commit(it, Answer("e", "Away with them\n\nNobody reads notes.\n# not a comment"))
    assert (
        git(it, "log", "-1", "--format=%B").strip()
        == "Away with them\n\nNobody reads notes.\n# not a comment"
    )
    assert git(it, "status", "--short") == ""


@pytest.mark.parametrize(
    ("reply", "subject"),
    [
        ("```\n```", "Change notes.txt"),
        ("", "Change notes.txt"),
        ("Commit message: **Count more notes**", "Count more notes"),
        ("-F/etc/passwd --amend", "-F/etc/passwd --amend"),
        ("word " * 40, ("word " * 14).strip()),
    ],
)
def test_any_reply_of_the_model_becomes_one_line_that_says_something(session, reply, subject):
    it = begun(session(block("echo more >> notes.txt"), "Done.", reply))
    it.play()
    commit(it, YES)
    assert git(it, "log", "-1", "--format=%s").strip() == subject


def test_the_user_s_own_message_is_taken_as_it_is(session):
    it = begun(session(block("echo more >> notes.txt"), "Done."))
    it.play()
    commit(it, YES, message="More notes")
    assert log(it) == "Ann More notes\nAnn Begin\n"


HOSTILE = """
[core]
    hooksPath = hooks
    fsmonitor = touch /tmp/ran; touch .git/ran; true
    pager = touch .git/ran
[commit]
    gpgsign = true
[gpg]
    program = ./evil
[diff]
    external = ./evil
[alias]
    commit = !touch .git/ran
    add = !touch .git/ran
[filter "x=y"]
    clean = touch .git/ran; cat
    smudge = touch .git/ran; cat
    required = true
[diff "x"]
    textconv = ./evil
"""


def test_nothing_that_the_repository_s_settings_name_is_run(session):
    it = begun(session(block("echo more >> notes.txt"), "Done."), other_dat="1\n")
    for name in (
        "evil",
        "hooks/pre-commit",
        "hooks/post-commit",
        "hooks/reference-transaction",
        ".git/hooks/pre-commit",
    ):
        path = it.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\ntouch .git/ran\n")
        path.chmod(0o755)
    (it.folder / ".gitattributes").write_text("*.dat filter=x=y diff=x\n")
    (it.folder / "other.dat").write_text("2\n")
    with (it.folder / ".git/config").open("a") as file:
        file.write(HOSTILE)
    it.play()
    events = commit(it, YES, message="More")
    assert "Committed " in told(events) and not (it.folder / ".git/ran").exists()
    done = subprocess.run(
        ["git", "-c", "core.fsmonitor=", "cat-file", "-p", "HEAD:notes.txt"],
        cwd=it.folder,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "one\ntwo\nmore\n"


ENV = "printf 'TOKEN=abc\\n' > .env"
LEFT_OUT = [
    (
        "notes.txt",
        lambda it: (it.folder / "notes.txt").write_text("mine\ntwo\n"),
        None,
        "it also has changes that were not made by a turn",
    ),
    (
        "notes.txt",
        None,
        lambda it: (it.folder / "notes.txt").write_text("later\n"),
        "it was changed again after the turn",
    ),
    ("notes.txt", None, lambda it: staged(it), "another version of it is staged"),
    (
        "notes.txt",
        lambda it: (it.folder / ".gitattributes").write_text("notes.txt filter=lfs\n"),
        None,
        "a git filter applies to it",
    ),
]


def staged(it):
    text = (it.folder / "notes.txt").read_text()
    (it.folder / "notes.txt").write_text("staged\n")
    git(it, "add", "notes.txt")
    (it.folder / "notes.txt").write_text(text)


@pytest.mark.parametrize(("path", "before", "after", "why"), LEFT_OUT)
def test_a_file_that_holds_more_than_the_turn_s_work_is_left_out(session, path, before, after, why):
    it = begun(session(block("echo more >> notes.txt; echo new > new.txt"), "Done."))
    if before:
        before(it)
    it.play()
    if after:
        after(it)
    events = commit(it, YES, message="Mine alone")
    assert f"Not committed: {path}: {why}." in told(events)
    assert git(it, "show", "--format=", "--name-only") == "new.txt\n"


@pytest.mark.parametrize(
    ("script", "path", "why"),
    [
        ("mkdir keys; echo x > keys/id_ed25519", "keys/id_ed25519", "it looks like a secret"),
        ("printf -- '-----BEGIN RSA PRIVATE KEY-----\\nx\\n' > k.txt", "k.txt", "it looks like a secret"),
        ("echo x > build.log", "build.log", "git ignores it"),
        ("head -c 60000000 /dev/zero > big", "big", "it is too large to compare"),
        ("echo x > plan.secret", "plan.secret", "it is hidden from the model"),
    ],
)
def test_what_is_secret_hidden_ignored_or_too_large_is_never_committed(session, script, path, why):
    it = begun(session(block(script), "Done."))
    (it.folder / ".gitignore").write_text("*.log\n")
    it.play()
    if "hidden" in why:
        (it.folder / ".tripletickignore").write_text("*.secret\n")
    said = told(commit(it, YES, message="Everything"))
    assert f"Not committed: {path}: {why}." in said and "Nothing was committed" in said
    assert log(it) == "Ann Begin\n"


def test_turns_that_build_on_one_another_are_committed_together_and_what_was_undone_is_not(session):
    replies = (block("echo three >> notes.txt"), "Done.", block("echo four >> notes.txt"), "Done.")
    it = begun(session(*replies, block("echo no > no.txt"), "Done."))
    for _ in range(3):
        it.play()
    it.loop.checkpoints.undo(1, ask=lambda line: True)
    commit(it, YES, message="Two more")
    assert git(it, "show", "HEAD:notes.txt") == "one\ntwo\nthree\nfour\n"
    assert git(it, "show", "--format=", "--name-only") == "notes.txt\n"
    assert "no turn has uncommitted changes" in told(commit(it, YES))


def test_the_last_turn_alone_is_committed_without_a_question(session):
    it = begun(session(block("echo 1 > a.txt"), "Done.", block("echo 2 > b.txt"), "Done.", "Add b"))
    it.play()
    it.play()
    events = commit(it, asks=False, last=True)
    assert not [event for event in events if isinstance(event, Ask)]
    assert git(it, "show", "--format=%s", "--name-only") == "Add b\n\nb.txt\n"
    assert git(it, "status", "--short") == "?? a.txt\n"


def test_the_first_commit_of_a_repository_can_be_made(session):
    it = repository(session(block("echo 1 > 'a b.txt'; echo 2 > ':(glob)*'"), "Done."))
    (it.folder / "mine.txt").write_text("mine\n")
    it.play()
    said = told(commit(it, YES, message="First"))
    assert "Committed " in said and "git reset" not in said
    assert (
        git(it, "-c", "core.quotePath=no", "show", "--format=%s", "--name-only")
        == "First\n\n:(glob)*\na b.txt\n"
    )


def test_a_merge_that_is_not_over_is_not_ended_by_a_commit(session):
    it = begun(session(block("echo 1 > a.txt"), "Done."))
    (it.folder / ".git/MERGE_HEAD").write_text(git(it, "rev-parse", "HEAD"))
    it.play()
    assert "Nothing was committed: cannot do a partial commit during a merge." in told(
        commit(it, YES, message="x")
    )
    assert git(it, "status", "--short") == "?? a.txt\n"


@pytest.mark.parametrize(
    ("asks", "says"), [(True, "Nothing was committed: there is no .git here"), (False, "")]
)
def test_without_a_repository_that_is_said_where_it_was_asked_for(session, asks, says):
    it = session(block("echo 1 > a.txt"), "Done.")
    it.play()
    said = told(commit(it, YES, asks=asks, last=not asks))
    assert said.startswith(says) and bool(said) == bool(says)


def test_below_a_repository_its_folder_is_named(session):
    it = session(block("echo 1 > a.txt"), "Done.")
    (it.folder.parent / ".git").mkdir()
    it.play()
    top = it.folder.parent
    assert told(commit(it, YES)) == (
        f"Nothing was committed: the repository is {top}. Start tripletick there: tripletick -C {top}."
    )
    assert told(commit(it, YES, asks=False, last=True)) == ""


def test_a_worktree_is_left_to_the_user(session):
    it = session(block("echo 1 > a.txt"), "Done.")
    (it.folder / ".git").write_text("gitdir: ../elsewhere\n")
    it.play()
    assert told(commit(it, YES)) == (
        "Nothing was committed: worktrees and submodules (.git is a file) are not supported."
        " Commit it yourself: git commit."
    )


def test_blocks_commit_nothing_where_commits_are_off(session):
    it = begun(session(block("git commit -qam x"), "I cannot.", "I cannot.", answers=[YES]))
    it.loop = replace(it.loop, gate=PermissionGate(AskPolicy(person=True, commits=False)))
    assert results(it.play())[0].verdict == "was not run: the person has turned commits off"
    assert log(it) == "Ann Begin\n"

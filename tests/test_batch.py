"""A batch's parts: the lines of tasks, who is next, what is recorded, and patches."""

import fcntl
import json
import os
import subprocess
import tarfile
import time
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import pytest

from tripletick.batch import layout, results
from tripletick.batch.id_set import IdSet
from tripletick.batch.packing import pack_task, unpack_task
from tripletick.batch.patches import CopySnapshot, make_patch
from tripletick.batch.progress import BatchProgress
from tripletick.batch.results import ResultsFile
from tripletick.batch.runner import BatchRunner
from tripletick.batch.task_attempt import AttemptResult, BatchJob
from tripletick.batch.task_queue import BatchSlot, HostHealth, TaskQueue
from tripletick.batch.tasks import BatchTask, TaskReader
from tripletick.config.config import SettingValue, load_config
from tripletick.errors import TripletickError, UsageError
from tripletick.system.job import JobOutcome

DONE = AttemptResult(JobOutcome(answer="Done.", ended=True))
FAILED = AttemptResult(JobOutcome(error="no answer", exit=4, ended=True))
A, B = "http://a:1", "http://b:1"


@pytest.fixture
def read(tmp_path):
    def reader(*lines):
        path = tmp_path / "tasks.jsonl"
        path.write_text("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines))
        return TaskReader(path, tmp_path, {"auto", "coder", "file"})

    return reader


def test_a_line_is_a_request_with_its_folder_agent_time_and_model(read, tmp_path):
    (tmp_path / "in").mkdir()
    line = {"id": 7, "request": "do", "folder": "in", "agent": "file", "timeout": 5, "model": "m"}
    tasks = read("", line, {"request": "do"})
    assert tasks.check_file("t") == 2
    first, second = tasks.read_tasks()
    assert first == BatchTask(2, "7", "do", tmp_path / "in", agent="file", seconds=5, model="m")
    assert (second.id.split("-")[0], second.folder) == ("3", None)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nothing", "invalid JSON"),
        ("[1]", "not a JSON object"),
        ("[" * 100_000, "invalid JSON"),
        ({"folder": "."}, "`request` is missing"),
        ({"request": " "}, "`request` is not a non-empty string"),
        ({"request": "do", "foldr": "."}, "there is no key 'foldr' (did you mean folder?)"),
        ({"request": "do", "folder": "absent"}, "absent is not a folder"),
        ({"request": "do", "timeout": True}, "`timeout` is not a number of seconds above 0"),
        ({"request": "do", "timeout": -1}, "`timeout` is not a number of seconds above 0"),
        ({"request": "do", "timeout": 10**400}, "`timeout` is not a number of seconds above 0"),
        ({"request": "do", "folder": "a" * 5000}, f"{'a' * 5000} cannot be opened: File name too long"),
        ({"request": "do", "model": "m\ud800"}, "`model` is not the name of a model"),
        ({"request": "do", "check": "\ud800"}, "`check` is not a command"),
        ({"request": "do", "agent": "codr"}, "there is no agent 'codr' (did you mean coder?)"),
        ({"request": "do", "repo": "."}, "use either `folder`, or both `repo` and `commit`"),
        ({"request": "do", "folder": ".", "repo": ".", "commit": "x"}, "use either `folder`, or both"),
        ({"request": "do", "repo": "/usr", "commit": "--all"}, "/usr has no commit '--all'"),
        ({"request": "do", "id": "one"}, "id 'one' is already used on an earlier line"),
    ],
)
def test_a_wrong_line_is_told_with_its_number_and_reason(read, line, reason):
    with pytest.raises(UsageError) as wrong:
        read({"request": "do", "id": "one"}, line).check_file("t")
    assert f"line 2: {reason}" in wrong.value.why


def test_a_commit_without_git_is_told_with_its_line(read, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="line 1: git cannot be run: No such file or directory"):
        read({"request": "do", "repo": ".", "commit": "no git"}).check_file("t")


def test_an_id_with_half_a_character_is_known_again_in_the_results(read, out):
    (task,) = read({"request": "do", "id": "a\ud800"}).read_tasks()
    written = ResultsFile.open(out)
    written.add_result(task, DONE, A, 1)
    written.close()
    again = ResultsFile.open(out)
    assert task.id in again.ended
    again.close()


def test_of_many_wrong_lines_the_first_are_named_and_the_others_counted(read):
    with pytest.raises(UsageError) as wrong:
        read(*["x"] * 50, {"request": "do"}).check_file("t.jsonl")
    assert wrong.value.what == "50 of 51 lines of t.jsonl are invalid."
    assert wrong.value.why.splitlines()[-1] == "… and 30 more"


def test_a_file_without_a_task_or_none_at_all_is_told(read, tmp_path):
    for reader in (read(), TaskReader(tmp_path / "absent", tmp_path)):
        with pytest.raises(UsageError):
            reader.check_file("t")


def test_ids_are_known_in_eight_bytes_each():
    ids = IdSet()
    assert all(ids.add(f"task {number}") for number in range(5000))
    assert not any(ids.add(f"task {number}") for number in range(5000))
    assert "task 4999" in ids
    assert "task 5000" not in ids
    assert len(ids) == 5000


def numbered(*numbers, folder=None):
    return [BatchTask(number, str(number), "do", folder) for number in numbers]


def queue(tasks, hosts=(A,), most=10, one_by_one=False):
    made = TaskQueue(iter(tasks), most, lambda task: hosts, HostHealth(), one_by_one)
    made.fill_queue()
    return made


def test_only_so_many_tasks_are_held_as_there_is_room_for():
    tasks = iter(numbered(*range(100)))
    made = queue(tasks, most=4)
    made.take_task(BatchSlot(A, 0), 0)
    made.finish_task(BatchSlot(A, 0))
    made.fill_queue()
    assert next(tasks).number == 5


def test_a_free_engine_gets_the_task_that_waits_longest():
    made = queue(numbered(1, 2, 3))
    first = made.take_task(BatchSlot(A, 0), 0)
    made.requeue_task(BatchSlot(A, 0), first.make_retry(A, 0))
    assert made.take_task(BatchSlot(A, 0), 0).task.number == 2
    assert made.take_task(BatchSlot(A, 1), 5).task.number == 1


def test_a_task_that_failed_waits_longer_each_time():
    (wanted,) = queue(numbered(1)).held
    pauses = []
    for _ in range(8):
        wanted = wanted.make_retry(A, 0)
        pauses.append(wanted.due)
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]


def test_an_engine_that_fails_is_left_alone_with_growing_pauses():
    hosts = HostHealth()
    assert [hosts.record_failure(A, now) for now in (0, 10, 20)] == [1, 2, 4]
    assert (hosts.is_available(A, 23), hosts.is_available(A, 24)) == (False, True)
    hosts.record_success(A)
    assert hosts.record_failure(A, 30) == 1


def test_two_tasks_that_fail_at_once_are_one_failure_of_their_engine():
    hosts = HostHealth()
    hosts.record_failure(A, 0)
    hosts.record_failure(A, 0.5)
    assert hosts.failures == {A: 1}


def test_a_task_goes_to_another_engine_than_the_one_it_failed_at():
    made = queue(numbered(1), hosts=(A, B))
    place = BatchSlot(A, 0)
    made.requeue_task(place, made.take_task(place, 0).make_retry(A, 0))
    assert made.take_task(place, 9) is None
    assert made.take_task(BatchSlot(B, 0), 9).task.number == 1


def test_where_the_others_are_left_alone_it_is_tried_at_the_same_one():
    made = queue(numbered(1), hosts=(A, B))
    place = BatchSlot(A, 0)
    made.requeue_task(place, made.take_task(place, 0).make_retry(A, 0))
    made.hosts.until[B] = 99
    assert made.take_task(place, 9).task.number == 1


def test_an_engine_in_doubt_gets_one_task_to_see():
    made = queue(numbered(1, 2))
    made.hosts.record_failure(A, 0)
    assert made.take_task(BatchSlot(A, 0), 2)
    assert made.take_task(BatchSlot(A, 1), 2) is None


def test_in_place_tasks_of_one_folder_are_done_one_after_the_other(tmp_path):
    tasks = numbered(1, folder=tmp_path) + numbered(2, folder=tmp_path / "in") + numbered(3)
    made = queue(tasks, one_by_one=True)
    assert [made.take_task(BatchSlot(A, number), 0).task.number for number in range(2)] == [1, 3]
    made.finish_task(BatchSlot(A, 0))
    assert made.take_task(BatchSlot(A, 2), 0).task.number == 2


@dataclass
class FailingWorkers:
    """Workers whose tasks all fail; asked to wait for nothing, they say so instead of waiting for ever."""

    ended: list[tuple[BatchSlot, AttemptResult]] = field(default_factory=list)

    def start_job(self, place, job):
        self.ended.append((place, FAILED))

    def collect_finished(self, seconds):
        assert self.ended or seconds is not None, "nothing is at work, and nothing is to be waited for"
        ended, self.ended = self.ended, []
        return ended

    def stop(self):
        """Nothing runs."""


def test_a_task_that_is_due_while_it_is_decided_about_is_not_waited_for_for_ever(out):
    waiting = queue(numbered(1))
    written = ResultsFile.open(out)
    board = BatchProgress(1, 0, waiting.hosts)
    places = [BatchSlot(A, 0)]
    run = BatchRunner(
        waiting, places, FailingWorkers(), written, board, lambda one, place: BatchJob(one.task), retries=1
    )

    def wait_until_due(task):
        while waiting.held and waiting.seconds_until_due(time.monotonic()):
            pass
        return (A,)

    waiting.pool = wait_until_due
    assert run.run()
    assert board.ended == {"failed": 1}
    written.close()


def laid(text, **given):
    config = load_config([], {}, {}, [SettingValue(*one) for one in text])
    return layout.build_layout(config, **{"each": 1, "parallel": 0, **given})


def test_each_engine_has_its_places_and_an_agent_its_own_engines():
    text = [("model", "hosts", "a:1, b:1", "x"), ("model.coder", "hosts", "c:1/v1", "x")]
    plan = laid(text, each=2)
    assert [place.host for place in plan.list_slots()] == [A, B, "http://c:1/v1"] * 2
    assert plan.choose_pool(BatchTask(1, "1", "do", agent="coder")) == ("http://c:1/v1",)
    assert plan.choose_pool(BatchTask(1, "1", "do", agent="file")) == (A, B)


def test_one_engine_has_as_many_places_as_tasks_side_by_side():
    assert len(laid([], parallel=3).list_slots()) == 3
    assert laid([], flag="a:1").list_slots() == (BatchSlot(A, 0),)
    unnamed = layout.spread_over_machines(laid([]), 2, 0)
    assert len({place.host for place in unnamed.list_slots()}) == 2


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out" / "results.jsonl"


def test_what_is_done_is_on_the_disk_and_not_done_again(out):
    written = ResultsFile.open(out)
    written.add_result(BatchTask(1, "one", "do"), DONE, A, 1)
    written.add_result(BatchTask(2, "two", "do"), FAILED, A, 3)
    written.close()
    told = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(one["id"], one["status"], one["attempt"]) for one in told] == [
        ("one", "done", 1),
        ("two", "failed", 3),
    ]
    again = ResultsFile.open(out)
    assert ("one" in again.ended, "two" in again.ended) == (True, False)
    again.close()


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (JobOutcome(ended=True), "done"),
        (JobOutcome(exit=1, ended=True), "unsolved"),
        (JobOutcome(exit=3, ended=True), "unsolved"),
        (JobOutcome(exit=6, ended=True), "unsolved"),
        (JobOutcome(), "failed"),
        (JobOutcome(exit=1), "failed"),
        (JobOutcome(exit=2), "failed"),
        (JobOutcome(exit=5, ended=True), "failed"),
        (JobOutcome(exit=124, ended=True), "failed"),
        (JobOutcome(exit=-9), "failed"),
    ],
)
def test_a_task_is_done_or_unsolved_or_failed_for_another_reason(outcome, status):
    assert results.classify_outcome(outcome) == status


def test_a_torn_last_line_is_taken_off_and_its_task_done_again(out):
    out.parent.mkdir()
    out.write_text('{"id": "one", "status": "done"}\n{"id": "two", "sta')
    written = ResultsFile.open(out)
    assert "was incomplete" in written.told[0]
    assert "two" not in written.ended
    written.add_result(BatchTask(2, "two", "do"), DONE, A, 1)
    written.close()
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["one", "two"]


def test_a_last_line_that_lacks_its_end_alone_is_kept(out):
    out.parent.mkdir()
    out.write_text('{"id": "one", "status": "done"}')
    ResultsFile.open(out).close()
    assert out.read_text() == '{"id": "one", "status": "done"}\n'


@pytest.mark.parametrize(
    "damaged", [b"\0" * 300, b"\0" * 300 + b"\n", b'{"id": "b", "st' + b"\0" * 300 + b'ne"}\n']
)
def test_what_a_power_cut_leaves_is_skipped_and_its_task_done_again(out, damaged):
    out.parent.mkdir()
    out.write_bytes(b'{"id": "a", "status": "done"}\n' + damaged + b'{"id": "c", "status": "done"}\n')
    written = ResultsFile.open(out)
    assert [name in written.ended for name in "abc"] == [True, False, True]
    assert "was damaged" in written.told[0]
    written.close()


@pytest.mark.parametrize(
    "text",
    [
        '{"request": "do"}\n{"tor',
        '{"important": "settings on one line"}',
        '{"id": "settings", "kept": true}',
        "the only copy of a key",
        "\0\0\1\0picture",
    ],
)
def test_a_file_of_other_things_is_left_as_it_is(out, text):
    out.parent.mkdir()
    out.write_text(text)
    with pytest.raises(UsageError, match="is not a results file"):
        ResultsFile.open(out)
    assert out.read_text() == text


def test_two_programs_do_not_write_one_file(out):
    held = ResultsFile.open(out)
    with pytest.raises(UsageError, match="written by another tripletick"):
        ResultsFile.open(out)
    fcntl.flock(held.handle, fcntl.LOCK_UN)
    held.close()


@pytest.mark.parametrize("place", ["/dev/null", "/proc/self", "/proc/nowhere/x"])
def test_what_is_no_file_is_refused(place):
    with pytest.raises(UsageError):
        ResultsFile.open(Path(place))


def test_a_full_disk_is_told(out):
    written = ResultsFile.open(out)
    full = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(TripletickError, match=r"The result of one cannot be saved[\s\S]*Free some space"):
        ResultsFile(out, full).add_result(BatchTask(1, "one", "do"), DONE, A, 1)
    os.close(full)
    written.close()


def test_a_file_in_the_place_of_the_patches_is_named(out):
    written = ResultsFile.open(out)
    written.patches.write_text("a file")
    with pytest.raises(TripletickError, match=rf"{written.patches}: File exists\.\nFix that, then run"):
        written.add_result(BatchTask(1, "one", "do"), AttemptResult(JobOutcome(ended=True), b"patch"), A, 1)
    written.close()


def test_patches_have_names_of_their_own_whatever_the_id(out):
    written = ResultsFile.open(out)
    for task_id in ("plain-1", "../up", ".. up", "\ud800", "x" * 300):
        written.add_result(BatchTask(1, task_id, "do"), AttemptResult(JobOutcome(ended=True), b"patch"), A, 1)
    written.close()
    names = sorted(path.name for path in (out.parent / "patches").iterdir())
    assert len(names) == 5
    assert "plain-1.patch" in names
    assert {path.stat().st_mode & 0o777 for path in (out.parent / "patches").iterdir()} == {0o600}


@pytest.fixture
def copied(tmp_path):
    """Give a folder with all kinds of files, a copy of it, and what makes a patch of that."""
    folder, copy, room = (tmp_path / name for name in ("folder", "copy", "room"))
    for each in (folder / "sub", copy, room):
        each.mkdir(parents=True)
    (folder / "kept").write_text("same\n")
    (folder / "old").write_text("old\n")
    (folder / "sub/gone").write_text("gone\n")
    (folder / "program").write_text("#!/bin/sh\n")
    (folder / "link").symlink_to("old")
    (folder / ".gitignore").write_text("*.o\nbuild/\n")
    (folder / os.fsdecode(b"latin-\xe4")).write_text("old\n")
    os.mkfifo(folder / "pipe")
    start = BytesIO()
    pack_task(BatchTask(1, "1", "do", folder), start)
    start.seek(0)
    unpack_task(start, copy)
    before = CopySnapshot.from_folder(copy)
    return folder, copy, lambda: make_patch(before, start, copy, room)


def test_a_patch_makes_of_the_folder_what_the_copy_became(copied, tmp_path):
    folder, copy, patched = copied
    for name in ("old", os.fsdecode(b"latin-\xe4")):
        (copy / name).write_text("new\n")
    (copy / "sub/gone").unlink()
    (copy / "program").chmod(0o755)
    (copy / "link").unlink()
    (copy / "link").symlink_to("kept")
    (copy / "deep/er").mkdir(parents=True)
    (copy / "deep/er/bytes").write_bytes(bytes(range(256)) * 20)
    (copy / "empty").touch()
    (copy / 'odd "nä\nme').write_text("no newline")
    (copy / "locked").write_text("x\n")
    (copy / "locked").chmod(0)
    made = tmp_path / "made.patch"
    made.write_bytes(patched())
    (folder / "pipe").unlink()
    subprocess.run(["git", "apply", str(made)], cwd=folder, check=True)
    assert (folder / "old").read_text() == "new\n"
    assert (folder / os.fsdecode(b"latin-\xe4")).read_text() == "new\n"
    assert not (folder / "sub/gone").exists()
    assert (folder / "program").stat().st_mode & 0o111
    assert (folder / "link").readlink().name == "kept"
    assert (folder / "deep/er/bytes").read_bytes() == bytes(range(256)) * 20
    assert (folder / "empty").read_bytes() == b""
    assert (folder / 'odd "nä\nme').read_text() == "no newline"
    assert b"diff --git a/empty b/empty" in made.read_bytes()
    assert b"kept" not in made.read_bytes().replace(b"+kept", b"")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("closed", ["sub", "."])
def test_a_folder_that_was_closed_is_not_taken_for_deleted(copied, closed):
    _, copy, patched = copied
    (copy / "old").write_text("new\n")
    (copy / closed).chmod(0)
    assert b"gone" not in patched()


def test_where_nothing_was_changed_there_is_no_patch(copied):
    _, copy, patched = copied
    (copy / "kept").touch()
    assert patched() == b""


def test_tools_caches_repositories_and_new_ignored_files_are_in_no_patch(copied):
    _, copy, patched = copied
    for name in ("node_modules/x", ".git/config", "sub/.git/x", "build/x", "a.o", "sub/b.o"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text("x\n")
    assert patched() == b""


def test_a_folder_that_became_a_link_leads_a_patch_nowhere(copied, tmp_path):
    _, copy, patched = copied
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/gone").write_text("secret\n")
    (copy / "sub/gone").unlink()
    (copy / "sub").rmdir()
    (copy / "sub").symlink_to(tmp_path / "outside")
    assert b"secret" not in patched()
    assert (tmp_path / "outside/gone").exists()


def test_no_program_that_the_copy_names_is_run(copied, tmp_path):
    _, copy, patched = copied
    ran = tmp_path / "ran"
    subprocess.run(["git", "init", "--quiet", str(copy)], check=True)
    for key in ("core.fsmonitor", "diff.external", "diff.x.command", "diff.x.textconv"):
        subprocess.run(["git", "-C", str(copy), "config", key, f"touch {ran}"], check=True)
    (copy / ".gitattributes").write_text("* diff=x\n")
    (copy / "old").write_text("new\n")
    assert b"+new" in patched()
    assert not ran.exists()


def test_a_commit_is_put_down_as_a_repository_of_its_own(tmp_path):
    repo, copy = tmp_path / "repo", tmp_path / "copy"
    git = ["git", "-C", str(repo), "-c", "user.name=a", "-c", "user.email=a"]
    subprocess.run(["git", "init", "--quiet", str(repo)], check=True)
    for text in ("one\n", "two\n"):
        (repo / "file").write_text(text)
        subprocess.run([*git, "add", "file"], check=True)
        subprocess.run([*git, "commit", "--quiet", "-m", text], check=True)
    (tmp_path / "t").write_text(json.dumps({"request": "do", "repo": str(repo), "commit": "HEAD~1"}))
    (task,) = TaskReader(tmp_path / "t", tmp_path).read_tasks()
    start = BytesIO()
    pack_task(task, start)
    start.seek(0)
    copy.mkdir()
    unpack_task(start, copy)
    assert (copy / "file").read_text() == "one\n"
    log = subprocess.run(["git", "-C", str(copy), "log", "--format=%H"], capture_output=True, text=True)
    assert log.stdout.split() == [task.commit]


def test_a_repository_that_is_gone_is_told_whatever_its_name(tmp_path):
    task = BatchTask(1, "1", "do", repo=tmp_path / os.fsdecode(b"latin-\xe4"), commit="0" * 40)
    with pytest.raises(OSError, match="git fetch: fatal"):
        pack_task(task, BytesIO())


def test_a_folder_too_large_to_be_sent_is_told(tmp_path):
    (tmp_path / "file").write_bytes(bytes(100))
    with pytest.raises(UsageError, match="is larger than"):
        pack_task(BatchTask(1, "1", "do", tmp_path), BytesIO(), most=99)


def test_a_folder_is_packed_by_the_python_of_debian_12_too(tmp_path, monkeypatch):
    monkeypatch.delattr(tarfile.TarInfo, "replace", raising=False)
    (tmp_path / "file").write_text("text")
    pack_task(BatchTask(1, "1", "do", tmp_path), start := BytesIO())
    start.seek(0)
    with tarfile.open(fileobj=start) as tar:
        assert tar.getnames() == ["file"]


def test_what_we_write_ourselves_is_in_no_copy(tmp_path):
    (tmp_path / "patches").mkdir()
    (tmp_path / "patches/a.patch").touch()
    (tmp_path / "kept").touch()
    start = BytesIO()
    pack_task(BatchTask(1, "1", "do", tmp_path), start, [tmp_path / "patches"])
    (tmp_path / "copy").mkdir()
    start.seek(0)
    unpack_task(start, tmp_path / "copy")
    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["kept"]

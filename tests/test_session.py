import json
import os
import resource
import signal
import subprocess
import sys

import pytest

from tripletick.errors import TripletickError, UsageError
from tripletick.event_log import session_log
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Answered, Called, Notice, Output, Requested, Returned, Text, Thought, Usage
from tripletick.messages import Call, Counts, Result

WRITER = """
import sys
from pathlib import Path
from tripletick.events import Notice
from tripletick.event_log.session_log import SessionLog
log = SessionLog.open(Path(sys.argv[1]), workspace=Path("/ws"), session_id="killed")
for number in range(100000):
    log.write_event(Notice(f"{number} " + "x" * 300))
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""


@pytest.fixture
def log(tmp_path):
    log = SessionLog.open(tmp_path / "sessions", workspace=tmp_path)
    yield log
    log.close()


def events(log):
    return session_log.read_records(log.path).records[1:]


def run_writer(folder, lines):
    """Start the writer, kill it after it has said `lines` numbers, give the last number it said."""
    with subprocess.Popen([sys.executable, "-c", WRITER, folder], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        said = [writer.stdout.readline() for _ in range(lines)]
        os.kill(writer.pid, signal.SIGKILL)
        said += writer.stdout.read().splitlines(keepends=True)
    return int([line for line in said if line.endswith(b"\n")][-1])


def test_the_first_record_names_format_session_and_workspace(log, tmp_path):
    first = session_log.read_records(log.path).records[0]
    assert (first["format"], first["event"], first["id"]) == (1, "Session", log.id)
    assert first["workspace"] == str(tmp_path)
    assert log.path.name == f"{log.id}.jsonl"


def test_folder_and_file_are_for_their_owner_alone(log):
    assert log.path.stat().st_mode & 0o777 == 0o600
    assert log.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_record_is_one_line_with_the_events_fields(log):
    call = Call("bash", "ls\n", args=("timeout=9",), line=3)
    log.write_event(
        Returned(call, Result("failed", "failed, exit 1", flags=frozenset({"timeout", "disk"})), 1)
    )
    (record,) = events(log)
    assert record["event"] == "Returned" and record["at"] >= 0
    assert record["call"]["args"] == ["timeout=9"]
    assert record["result"]["flags"] == ["disk", "timeout"]


@pytest.mark.parametrize("kind", [Text, Thought, Output])
def test_pieces_in_a_row_become_one_record_and_nothing_is_lost(log, kind):
    for piece in ("To ", "be", "", " or\nnot"):
        log.write_event(kind(piece))
    log.end_turn()
    assert [(r["event"], r["text"]) for r in events(log)] == [(kind.__name__, "To be or\nnot")]


def test_pieces_of_different_kinds_stay_in_their_order(log):
    for event in (Thought("a"), Text("b"), Text("c"), Thought("d"), Called(Call("sh", ""), 1, 1), Text("e")):
        log.write_event(event)
    log.end_turn()
    assert [r.get("text", r["event"]) for r in events(log)] == ["a", "bc", "d", "Called", "e"]


def test_a_finished_line_of_text_does_not_wait(log):
    log.write_event(Text("one line\n"))
    assert events(log)[0]["text"] == "one line\n"


def test_text_without_an_end_of_line_waits_at_most_for_4096_characters(log):
    for _ in range(1024):
        log.write_event(Text("word"))
    assert events(log)[0]["text"] == "word" * 1024


def test_surrogates_and_nul_are_made_harmless(log):
    log.write_event(Notice("a\0b \ud800 \ud83d\ude00 \udcff"))
    assert events(log)[0]["text"] == "a\ufffdb \ufffd \U0001f600 \ufffd"
    log.path.read_bytes().decode()


def test_a_character_cut_in_two_pieces_is_whole_in_the_log(log):
    log.write_event(Text("\ud83d"))
    log.write_event(Text("\ude00"))
    log.end_turn()
    assert events(log)[0]["text"] == "\U0001f600"


def test_every_line_is_json_as_the_standard_has_it(log):
    log.write_event(Usage(Counts(output_seconds=float("inf"), load_seconds=float("nan")), 4096))
    line = log.path.read_text().splitlines()[1]
    assert json.loads(line, parse_constant=pytest.fail)["counts"]["output_seconds"] is None


def test_encode_gives_what_jsonl_prints():
    assert session_log.encode_event(Requested("hi")) == {"event": "Requested", "text": "hi"}


def test_killed_at_any_moment_the_log_lacks_at_most_the_last_record(tmp_path):
    for round_ in range(12):
        folder = tmp_path / str(round_)
        last = run_writer(folder, lines=1 + round_ * 17)
        found = session_log.read_records(folder / "killed.jsonl")
        numbers = [int(record["text"].split()[0]) for record in found.records[1:]]
        assert numbers[: last + 1] == list(range(last + 1))
        assert len(numbers) <= last + 2


def test_a_killed_session_can_be_gone_on_with(tmp_path):
    run_writer(tmp_path, lines=5)
    log = SessionLog.open(tmp_path, workspace=tmp_path, session_id="killed")
    log.write_event(Answered("again"))
    log.close()
    found = session_log.read_records(tmp_path / "killed.jsonl")
    assert [record["event"] for record in found.records[-2:]] == ["Resumed", "Answered"]
    assert (log.id, found.skipped) == ("killed", 0)


@pytest.mark.parametrize("rest", [b'{"event":"Te', b"\x00" * 70000, b'{"event":"Text","text":"\xc3'])
def test_bytes_after_the_last_newline_go_to_a_file_of_their_own(tmp_path, rest):
    path = tmp_path / "old.jsonl"
    path.write_bytes(b'{"event":"Session"}\n' + rest)
    log = SessionLog.open(tmp_path, workspace=tmp_path, session_id="old")
    log.close()
    assert (tmp_path / "old.torn").read_bytes() == rest + b"\n"
    assert [record["event"] for record in session_log.read_records(path).records] == ["Session", "Resumed"]
    assert "old.torn" in log.notices[0]


def test_a_log_whose_end_cannot_be_moved_is_left_to_other_programs(tmp_path):
    (tmp_path / "old.jsonl").write_bytes(b'{"event":"Session"}\n{"cut')
    (tmp_path / "old.torn").mkdir()
    log = SessionLog.open(tmp_path, workspace=tmp_path, session_id="old")
    assert (log.path, log.notices) == (None, ["This session is not saved: Is a directory."])
    (tmp_path / "old.torn").rmdir()
    again = SessionLog.open(tmp_path, workspace=tmp_path, session_id="old")
    assert again.id == "old"
    again.close()


def test_lines_that_cannot_be_read_are_skipped_and_counted(tmp_path):
    path = tmp_path / "bad.jsonl"
    bad = [b"{", b"\xff\xfe", b"[1]", b'"text"', b'{"no":"event"}', b"[" * 100000, b'{"event":"cut']
    path.write_bytes(b'{"event":"A"}\n' + b"\n".join(bad[:3]) + b'\n{"event":"B"}\n' + b"\n".join(bad[3:]))
    found = session_log.read_records(path)
    assert [record["event"] for record in found.records] == ["A", "B"]
    assert found.skipped == len(bad)


def test_a_newer_versions_log_is_refused_with_a_word(tmp_path):
    (tmp_path / "new.jsonl").write_text('{"format":2,"event":"Session"}\n')
    with pytest.raises(TripletickError, match="newer"):
        session_log.read_records(tmp_path / "new.jsonl")


def test_the_second_instance_gets_a_session_of_its_own_and_is_told(log, tmp_path):
    second = SessionLog.open(log.path.parent, workspace=tmp_path, session_id=log.id)
    second.write_event(Notice("second"))
    second.close()
    assert second.id != log.id
    assert log.id in second.notices[0] and second.id in second.notices[0]
    assert events(log) == ()


def test_sessions_begun_in_the_same_second_have_a_file_each(tmp_path):
    logs = [SessionLog.open(tmp_path, workspace=tmp_path) for _ in range(400)]
    for log in logs:
        log.close()
    assert len({log.path for log in logs}) == len(list(tmp_path.glob("*.jsonl"))) == 400


def test_a_folder_that_others_could_read_is_closed_to_them(tmp_path):
    tmp_path.chmod(0o755)
    SessionLog.open(tmp_path, workspace=tmp_path).close()
    assert tmp_path.stat().st_mode & 0o777 == 0o700


def test_without_saving_nothing_is_written(tmp_path):
    log = SessionLog.open(tmp_path / "sessions", workspace=tmp_path, save=False)
    log.write_event(Notice("secret"))
    log.close()
    assert log.path is None and not (tmp_path / "sessions").exists()


def test_a_full_disk_is_said_once_and_loses_no_record(log):
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.path.stat().st_size + 100, allowed[1]))
    try:
        for number in range(5):
            log.write_event(Notice(f"{number}" * 50))
        log.end_turn()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
    assert len(events(log)) < 5 and len(log.notices) == 1
    log.write_event(Notice("there is room again"))
    assert [record["text"][0] for record in events(log)] == ["0", "1", "2", "3", "4", "t"]
    assert session_log.read_records(log.path).skipped == 0


def test_a_folder_that_cannot_be_made_is_said_and_work_goes_on(tmp_path):
    (tmp_path / "file").write_text("")
    log = SessionLog.open(tmp_path / "file" / "sessions", workspace=tmp_path)
    log.write_event(Notice("goes on"))
    log.close()
    assert log.path is None and "not saved" in log.notices[0]


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".hidden", "x" * 65, "a\n"])
def test_an_id_that_could_leave_the_folder_is_refused(tmp_path, name):
    with pytest.raises(UsageError):
        SessionLog.open(tmp_path, workspace=tmp_path, session_id=name)


def test_a_log_that_is_a_link_is_not_written_through(tmp_path):
    (tmp_path / "other").write_text("untouched")
    (tmp_path / "linked.jsonl").symlink_to(tmp_path / "other")
    log = SessionLog.open(tmp_path, workspace=tmp_path, session_id="linked")
    log.write_event(Notice("x"))
    log.close()
    assert (tmp_path / "other").read_text() == "untouched" and log.path is None

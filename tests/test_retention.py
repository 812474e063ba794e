"""What is kept goes by age and size, at most once a day; what is in use stays."""

import os
from datetime import UTC, datetime

import pytest

from tripletick.config.schema import DataSection
from tripletick.event_log.session_log import SessionLog
from tripletick.history import retention
from tripletick.system import dirs

DAY = 86_400


@pytest.fixture
def found(tmp_path):
    (tmp_path / "state" / "sessions").mkdir(parents=True)
    return dirs.find_dirs()._replace(state=tmp_path / "state")


def put(found, name, days, size=100):
    """Make a session's file that was last written so many days ago."""
    path = found.sessions / name
    path.write_bytes(b"x" * size)
    then = datetime.now(UTC).timestamp() - days * DAY
    os.utime(path, (then, then))
    return path


def names(found):
    return sorted(path.name for path in found.sessions.iterdir())


def test_sessions_go_by_their_age_with_what_was_torn_off(found):
    for name in ("old.jsonl", "old.torn", "alone.torn"):
        put(found, name, days=31)
    put(found, "new.jsonl", days=29)
    retention.prune_old_data(found, DataSection())
    assert names(found) == ["new.jsonl"]


def test_what_sessions_are_searched_by_goes_with_a_session(found):
    put(found, "new.jsonl", days=1)
    found.session_index.write_bytes(b"words")
    retention.prune_old_data(found, DataSection())
    assert found.session_index.exists()
    put(found, "old.jsonl", days=31)
    os.utime(found.state / "pruned", (0, 0))
    retention.prune_old_data(found, DataSection())
    assert not found.session_index.exists()


def test_a_session_that_was_gone_on_with_is_as_young_as_its_last_record(found):
    put(found, "a.torn", days=90)
    put(found, "a.jsonl", days=1)
    retention.prune_old_data(found, DataSection())
    assert names(found) == ["a.jsonl", "a.torn"]


def test_over_the_size_the_oldest_go_first(found):
    for days in range(1, 7):
        put(found, f"{days}.jsonl", days, size=300_000)
    retention.prune_old_data(found, DataSection(keep_size=1_048_576))
    assert names(found) == ["1.jsonl", "2.jsonl", "3.jsonl"]


def test_the_newest_session_stays_however_large(found):
    put(found, "1.jsonl", days=1, size=3_000_000)
    put(found, "2.jsonl", days=2)
    retention.prune_old_data(found, DataSection(keep_size=1_048_576))
    assert names(found) == ["1.jsonl"]


def test_a_session_that_is_open_stays_however_old(found, tmp_path):
    log = SessionLog.open(found.sessions, workspace=tmp_path, session_id="open")
    put(found, "other.jsonl", days=90)
    os.utime(found.sessions / "open.jsonl", (0, 0))
    retention.prune_old_data(found, DataSection())
    log.close()
    assert names(found) == ["open.jsonl"]


def test_it_is_done_once_a_day(found):
    retention.prune_old_data(found, DataSection())
    put(found, "old.jsonl", days=90)
    retention.prune_old_data(found, DataSection())
    assert names(found) == ["old.jsonl"]
    os.utime(found.state / "pruned", (0, 0))
    retention.prune_old_data(found, DataSection())
    assert names(found) == []


def test_a_clock_that_went_back_does_not_keep_it_from_being_done(found):
    retention.prune_old_data(found, DataSection())
    later = datetime.now(UTC).timestamp() + 900 * DAY
    os.utime(found.state / "pruned", (later, later))
    put(found, "old.jsonl", days=90)
    retention.prune_old_data(found, DataSection())
    assert names(found) == []


def test_what_is_not_ours_stays(found):
    put(found, "notes.txt", days=900)
    retention.prune_old_data(found, DataSection())
    assert names(found) == ["notes.txt"]


def test_without_a_folder_of_ours_none_is_made(tmp_path):
    found = dirs.find_dirs()._replace(state=tmp_path / "none")
    retention.prune_old_data(found, DataSection())
    assert not found.state.exists()


def test_a_link_in_the_place_of_a_log_is_not_followed(found, tmp_path):
    (tmp_path / "other").write_text("untouched")
    (found.sessions / "linked.jsonl").symlink_to(tmp_path / "other")
    os.utime(found.sessions / "linked.jsonl", (0, 0), follow_symlinks=False)
    put(found, "old.jsonl", days=90)
    retention.prune_old_data(found, DataSection())
    assert (tmp_path / "other").read_text() == "untouched"
    assert names(found) == ["linked.jsonl"]


def test_what_is_not_to_be_kept_is_gone_at_the_end(tmp_path):
    found = dirs.find_dirs()._replace(state=tmp_path / "state" / "tripletick")
    with retention.make_temporary_dirs(found) as there:
        assert there.snapshot_base.parent == found.state
        assert there.snapshot_base.stat().st_mode & 0o777 == 0o700
        (there.snapshot_base / "snapshots").write_text("secret")
    assert not found.state.exists()


def test_what_a_killed_program_should_not_have_kept_goes_at_the_next_start(found):
    (found.state / "unsaved-dead" / "snapshots").mkdir(parents=True)
    with retention.make_temporary_dirs(found) as alive:
        retention.prune_old_data(found, DataSection())
        assert alive.snapshot_base.exists()
        assert not (found.state / "unsaved-dead").exists()


def test_snapshots_give_way_to_sessions_up_to_half_of_the_room(found):
    for days in range(1, 4):
        put(found, f"{days}.jsonl", days, size=300_000)
    folder = found.state / "snapshots" / "workspace"
    folder.mkdir(parents=True)
    (folder / "store.db").write_bytes(b"x" * 400_000)
    retention.prune_old_data(found, DataSection(keep_size=1_048_576))
    assert names(found) == ["1.jsonl", "2.jsonl"]

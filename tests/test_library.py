"""Sessions are listed, searched, copied, deleted and exported from their logs."""

import json
import re
import sqlite3
import stat
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tripletick.errors import TripletickError, UsageError
from tripletick.event_log.session_log import SessionLog, encode_event
from tripletick.events import (
    Answered,
    Ask,
    Called,
    FreshStart,
    GaveUp,
    Interrupted,
    Loading,
    Requested,
    Returned,
    Routed,
    Text,
    Thought,
)
from tripletick.history import export, index, logs, transcript
from tripletick.messages import Call, Receipt, Result
from tripletick.system import dirs

HOSTILE = "<script>alert(1)</script> ![p](http://evil/p.png) [l](javascript:alert(1)) \x1b[31m \u202e"


@pytest.fixture
def found(tmp_path):
    (tmp_path / "state" / "sessions").mkdir(parents=True)
    return dirs.find_dirs()._replace(state=tmp_path / "state")


def write(found, *events, folder="/ws", name=None):
    log = SessionLog.open(found.sessions, workspace=folder, session_id=name)
    for event in events:
        log.write_event(event)
    log.close()
    return log.id


def said(request, reply="Done."):
    return [Requested(request), Routed("coder"), Loading("ollama:m", 4096), Text(reply), Answered(reply)]


def titles(rows):
    return [row.title for row in rows]


def test_sessions_of_a_folder_are_listed_the_newest_first_with_their_first_words(found):
    write(found, *said("fix the parser\nplease"), *said("again"), name="20260101-000000-aaaa")
    write(found, *said("write a poem"), name="20260102-000000-bbbb")
    write(found, *said("elsewhere"), folder="/other", name="20260103-000000-cccc")
    write(found, name="20260104-000000-dddd")
    rows = index.listed(found, Path("/ws"))
    assert titles(rows) == ["write a poem", "fix the parser please"]
    assert (rows[1].turns, rows[1].model, rows[1].workspace) == (2, "ollama:m", "/ws")
    assert len(index.listed(found)) == 3


@pytest.mark.parametrize(
    ("end", "word"),
    [
        ([Answered("Done.")], "done"),
        ([Answered("I made a.txt.", receipt=Receipt(doubt=("a.txt is not there",)))], "doubtful"),
        ([GaveUp("attempts", "Gave up: 5 failures in a row.")], "gave up"),
        ([GaveUp("interrupted", "Stopped by the user.", 130)], "stopped"),
        ([Interrupted("")], "stopped"),
        ([], "stopped"),
    ],
)
def test_how_the_last_turn_ended_is_listed(found, end, word):
    write(found, *said("one"), Requested("two"), *end)
    (row,) = index.listed(found)
    assert row.outcome == word
    assert f"  2 turns  no changes  {word}  m  one" in next(logs.lines([row], found))


def test_a_session_that_has_grown_is_listed_as_it_is_now(found):
    name = write(found, *said("first"))
    assert index.listed(found)[0].turns == 1
    write(found, *said("second"), name=name)
    assert index.listed(found)[0].turns == 2


@pytest.mark.parametrize(
    "sought", ["parser", "PARS", "exhausted iterator", "Größe", "rse", "100%", "漢字", '"q']
)
def test_what_was_asked_said_or_printed_is_found(found, sought):
    result = Returned(Call("bash", "ls"), Result("failed", "failed, exit 1", "iterator was exhausted"), 1)
    write(found, *said("fix the parser", 'Größe is 100% of 漢字, "quoted"')[:-1], result)
    write(found, *said("write a poem"))
    assert titles(index.search(found, sought)) == ["fix the parser"]


@pytest.mark.parametrize(
    "sought", ["absent", "10%0", "p_rser", "'; DROP TABLE words", "*", "", "parser poem"]
)
def test_what_stands_in_no_turn_is_not_found(found, sought):
    write(found, *said("fix the parser"), *said("write a poem"))
    assert index.search(found, sought) == []


def test_words_are_found_where_sqlite_has_no_full_text_search(found):
    write(found, *said("fix the parser", "It was in line_5, 100 %."))
    with sqlite3.connect(found.session_index) as db:
        db.executescript(f"{index.TABLES}{index.PLAIN}; PRAGMA user_version = {index.VERSION}")
    db.close()
    assert titles(index.search(found, "ARSER line_5")) == ["fix the parser"]
    assert index.search(found, "lineX5") == []


def cut(path):
    path.write_bytes(path.read_bytes()[:5000] + b"\0" * 3000)


def empty_table(path):
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE words")
    db.close()


def newer(path):
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()


@pytest.mark.parametrize(
    "damage",
    [lambda path: path.write_text("rubbish" * 999), cut, empty_table, newer, lambda path: path.unlink()],
)
def test_an_index_that_is_no_good_is_made_anew(found, damage):
    write(found, *said("fix the parser"))
    index.listed(found)
    damage(found.session_index)
    write(found, *said("write a poem"))
    assert titles(index.search(found, "parser")) == ["fix the parser"]
    assert len(index.listed(found)) == 2
    assert stat.S_IMODE(found.session_index.stat().st_mode) == 0o600
    with sqlite3.connect(found.session_index) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (index.VERSION,)
    db.close()


def test_an_index_that_another_program_holds_is_left_alone(found):
    write(found, *said("fix the parser"))
    index.listed(found)
    write(found, *said("write a poem"))
    other = sqlite3.connect(found.session_index)
    other.execute("BEGIN EXCLUSIVE")
    before = found.session_index.stat().st_ino
    assert len(index.listed(found)) == 2
    other.close()
    assert found.session_index.stat().st_ino == before


def test_the_index_takes_less_than_half_of_what_the_logs_take(found):
    for session in range(40):
        words = [f"word{number * number % 997}" for number in range(session, session + 900)]
        write(found, *said(" ".join(words[:50]), " ".join(words)))
    assert len(index.search(found, "word9 word16")) == 40
    logs = sum(path.stat().st_size for path in found.sessions.iterdir())
    assert found.session_index.stat().st_size < logs / 2


def test_what_a_session_no_longer_says_is_not_found(found):
    name = write(found, *said("fix the parser"))
    assert titles(index.search(found, "parser")) == ["fix the parser"]
    (found.sessions / f"{name}.jsonl").unlink()
    write(found, *said("write a poem"), name=name)
    assert index.search(found, "parser") == []
    assert titles(index.search(found, "poe")) == ["write a poem"]


def test_without_saving_no_index_is_written(found):
    write(found, *said("fix the parser"))
    assert titles(index.search(found, "parser", save=False)) == ["fix the parser"]
    assert not found.session_index.exists()


def test_logs_that_are_damaged_or_of_a_newer_version_do_not_stop_the_list(found):
    write(found, *said("fix the parser"))
    (found.sessions / "newer.jsonl").write_text('{"event": "Session", "format": 99}\n')
    (found.sessions / "rubbish.jsonl").write_bytes(
        b"\xff\0{}\n[1]\n" + b'{"event": "Requested", "text": 5}\n'
    )
    assert titles(index.listed(found)) == ["fix the parser"]


def test_a_session_is_found_by_the_beginning_or_the_end_of_its_id(found):
    for name in ("20260101-000000-aaaa", "20260102-000000-bbbb"):
        write(found, name=name)
    assert logs.find(found, "20260101") == logs.find(found, "aaaa") == "20260101-000000-aaaa"
    for part, why in (("2026", "2 sessions match"), ("x", "no session"), ("", "no session")):
        with pytest.raises(UsageError, match=why):
            logs.find(found, part)


def test_a_fork_has_the_same_history_and_its_own_id(found):
    name = write(found, *said("first"))
    copy = logs.fork(found, name)
    old, new = (transcript.transcript(logs.records(found, one).records) for one in (name, copy))
    assert (new.id, new.parts, new.workspace) == (copy, old.parts, "/ws")
    write(found, *said("second"), name=copy)
    assert [row.turns for row in index.listed(found)] == [2, 1]


def test_a_deleted_session_is_in_neither_list_nor_index(found):
    name = write(found, *said("a secret word"))
    index.listed(found)
    logs.remove(found, name)
    assert index.listed(found) == []
    assert b"secret" not in found.session_index.read_bytes()


def test_a_session_that_is_open_is_not_deleted(found):
    log = SessionLog.open(found.sessions, workspace=Path("/ws"))
    with pytest.raises(UsageError, match="open in another"):
        logs.remove(found, log.id)
    assert logs.is_open(found, log.id)
    log.close()
    assert not logs.is_open(found, log.id)


@pytest.fixture
def told(found):
    """One session with everything that can be in one."""
    call = Call("python", "print(1)")
    name = write(
        found,
        Requested(f"# look at this\n{HOSTILE}"),
        Routed("coder"),
        Thought("hm\n"),
        Text("I run it.\n\n```python:a.py\nprint(1)\n"),
        Text("```\nThen a [link](https://example.org) and\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
        Called(call, 1, 1),
        Returned(call, Result("failed", "failed, exit 1", "```\n" + HOSTILE + "\n" * 30 + "end"), 1),
        Text(f"{HOSTILE}\n```bash\nleft open"),
        Interrupted(""),
        Called(Call("bash", "ls"), 1, 1),
        Returned(Call("bash", "ls"), Result("ok", "ok", "a.py"), 1),
        Requested("more"),
        Routed("casual"),
        GaveUp("attempts", "Gave up."),
    )
    return logs.records(found, name).records


def test_markdown_has_requests_replies_and_results_and_no_fence_is_left_open(told):
    text = export.markdown(told)
    assert text.startswith("# # look at this <script>")
    assert "## @coder\n\n> # look at this\n> <script>" in text
    assert "*python failed, exit 1*\n\n````output\n```\n" in text
    assert "left open\n```\n\n**Stopped by the user.**\n\n## !\n\n```bash\nls\n```" in text
    assert text.endswith("## @casual\n\n> more\n\n**Gave up.**\n")


def test_json_has_the_events_joined_and_the_messages(told):
    whole = json.loads(export.as_json(told))
    assert [event["event"] for event in whole["events"]].count("Text") == 2
    assert whole["title"].startswith("# look at this")
    assert [message["role"] for message in whole["messages"]] == ["user"]


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_the_page_loads_and_runs_nothing_and_shows_no_control_character(told):
    text = export.html(told)
    found = Elements(text).found
    assert not {"script", "img", "iframe", "link", "object"} & {tag for tag, _ in found}
    hrefs = {attrs["href"] for tag, attrs in found if tag == "a"}
    assert hrefs == {"https://example.org", "http://evil/p.png"}
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", text)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "default-src 'none'" in text


def test_the_page_has_both_grounds_code_in_colours_and_long_results_folded(told):
    text = export.html(told)
    assert text.count("prefers-color-scheme: dark") == 2
    assert re.search(r'<span class="nb">print</span>', text)
    assert "<summary>python failed, exit 1, 32 lines</summary>" in text
    assert "<td>1</td>" in text


def test_nothing_is_written_over_a_file(tmp_path):
    export.save(tmp_path / "a.md", "one \ud800")
    with pytest.raises(UsageError, match="already exists"):
        export.save(tmp_path / "a.md", "two")
    assert (tmp_path / "a.md").read_text() == "one \\ud800"
    with pytest.raises(UsageError, match="cannot be written"):
        export.save(tmp_path / "none" / "a.md", "two")


def test_a_session_that_is_not_there_is_told(found):
    with pytest.raises(TripletickError, match="cannot be read"):
        logs.records(found, "none")


def test_titles_end_at_a_word():
    assert transcript.title("one  two\nthree") == "one two three"
    assert transcript.title("word " * 20) == "word " * 12 + "…"
    assert transcript.title("x" * 99) == "x" * 59 + "…"


def test_records_of_the_conversation_are_no_event_of_the_export(found):
    log = SessionLog.open(found.sessions, workspace=Path("/ws"))
    log.write_record({"event": "History", "number": 0})
    log.close()
    events = list(transcript.joined(logs.records(found, log.id).records))
    assert [event["event"] for event in events] == ["Session"]


def test_a_fresh_start_is_told_where_it_happened():
    events = (Requested("do it"), FreshStart(3, 5, "NameError: x"), Answered("Done."))
    parts = transcript.transcript([encode_event(event) for event in events]).parts
    assert [(part.kind, "NameError: x" in part.text) for part in parts] == [
        ("request", False),
        ("note", True),
    ]


@pytest.mark.parametrize(
    ("events", "answer"),
    [
        ([Text("I see.\n"), Ask("Which colour?", "")], "I see.\n\nWhich colour?"),
        ([Ask("Which colour?", "")], "Which colour?"),
        ([Ask("Which colour?", ""), Text("Red it is.")], "Red it is."),
        ([Text("I see."), Ask("Run it?")], "I see."),
    ],
)
def test_a_session_s_last_words_have_the_question_that_the_model_asked(events, answer):
    said = [Requested("before"), Text("Done."), Answered("Done."), Requested("paint it"), *events]
    assert transcript.transcript([encode_event(event) for event in said]).answer == answer

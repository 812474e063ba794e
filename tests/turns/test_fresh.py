"""After the third failure in a row a turn begins anew: from its request, with its files, warmer."""

import pytest
from tests.playing import last
from tests.writing import EVERY_DIALECT, words

from tripletick.events import Answered, FreshStart, GaveUp, Repairing
from tripletick.history.history import Written, rebuild
from tripletick.messages import Answer

BROKEN = "```bash\necho trying; exit {n}\n```\n"
WRITES = "```bash\n{does}; exit {n}\n```\n"


def broken(first, after):
    return [BROKEN.format(n=n) for n in range(first, after)]


def never(question):
    return False


@EVERY_DIALECT
def test_the_request_is_sent_again_byte_for_byte_with_what_did_not_work(session):
    it = session("Hello.", *broken(1, 4), "Done.")
    it.play("greet me", "casual")
    events = it.play("count the lines")
    before, anew = it.model.asked[1], it.model.asked[4]
    assert anew[:-1] == before[:-1]
    added = anew[-1].text.removeprefix(before[-1].text)
    assert added != anew[-1].text
    assert added.startswith("\n\nThis was tried 3 times and failed, the last time with: bash failed, exit 3")
    assert events[-1] == Answered("Done.")


def test_the_third_failure_in_a_row_begins_anew_and_no_other(session):
    it = session(*broken(1, 3), "```bash\ntrue\n```", *broken(3, 6), "Done.")
    events = it.play()
    (anew,) = (event for event in events if isinstance(event, FreshStart))
    assert (anew.attempt, anew.limit, anew.error) == (3, 5, "bash failed, exit 5: trying")
    assert events.index(anew) > events.index(Repairing(3, 5, anew.error))


def test_files_are_as_they_were_before_the_turn(session):
    does = "echo new >> kept; echo a > made; rm -f gone; mkdir -p folder; echo b > folder/deep"
    it = session(*(WRITES.format(does=does, n=n) for n in (1, 2, 3)), "```bash\nls; cat kept\n```", "Done.")
    for name in ("kept", "gone"):
        (it.folder / name).write_text("old\n")
    events = it.play()
    assert words(it.model.asked[4][-1]).split("```output\n")[1] == "gone\nkept\nold\n```"
    anew = last(events, FreshStart)
    assert (set(anew.restored), set(anew.removed), anew.kept) == (
        {"kept", "gone"},
        {"made", "folder/deep"},
        (),
    )
    assert "The files are as they were before.\n" in words(it.model.asked[3][-1])


@pytest.mark.parametrize(
    ("program", "request_", "told"),
    [
        ("print(1 / 0)", "write a.py", "python failed, exit 1: ZeroDivisionError: division by zero"),
        ("def f(n): return n", "write a.py: f(1) == 2", "a.py: f(1) must give 2"),
        ("raise ValueError('a.py is there')", "write a.py", ""),
        (
            "open('b.txt', 'w').write('x' + 1)",
            "change b.txt",
            'python failed, exit 1: TypeError: can only concatenate str (not "int") to str',
        ),
    ],
)
def test_what_did_not_work_is_told_although_the_program_is_gone(session, program, request_, told):
    save = f"```python:a.py\n{program}\n```" if "a.py" in request_ else f"```python\n{program}\n```"
    it = session(save, save, "Done.")
    (it.folder / "b.txt").write_text("old\n")
    it.play(request_)
    said = words(it.model.asked[2][-1])
    assert (f"times and failed, the last time with: {told}\n" if told else "times and failed.\n") in said
    assert "saved a.py" not in said.partition("This was tried")[2]
    assert "Two types do not go together" in said or "b.txt" not in program


def test_what_the_person_has_touched_since_stays(session):
    it = session(*(WRITES.format(does="echo new > a; echo new > b", n=n) for n in (1, 2, 3)), "Done.")
    for name in ("a", "b"):
        (it.folder / name).write_text("old\n")
    turn, third = (
        it.loop.run_turn(it.prompts.agents["coder"], "do it"),
        Repairing(3, 5, "bash failed, exit 3"),
    )
    while next(turn) != third:
        pass
    (it.folder / "a").write_text("mine\n")
    anew = next(turn)
    list(turn)
    assert (anew.restored, anew.kept) == (("b",), ("a",))
    assert [(it.folder / name).read_text() for name in "ab"] == ["mine\n", "old\n"]
    assert "as they were before, but for a." in words(it.model.asked[3][-1])


def test_a_file_of_the_persons_that_was_never_touched_by_the_turn_stays(session):
    it = session(*broken(1, 4), "Done.")
    turn = it.loop.run_turn(it.prompts.agents["coder"], "do it")
    next(turn)
    (it.folder / "mine").write_text("mine\n")
    list(turn)
    assert (it.folder / "mine").read_text() == "mine\n"


def test_undo_of_such_a_turn_puts_all_back_and_redo_brings_its_end(session):
    it = session(
        *(WRITES.format(does=f"echo {n} > a; echo {n} > b", n=n) for n in (1, 2, 3)),
        "```text:c.txt\nlast\n```\n```bash\necho last > a\n```",
        "Done.",
    )
    (it.folder / "a").write_text("old\n")
    changed = {one.path: one.action for one in it.play()[-1].files}
    assert changed == {"a": "changed", "c.txt": "created"}
    it.loop.checkpoints.undo(1, ask=never)
    assert {path.name for path in it.folder.iterdir()} - {".tripletick"} == {"a"}
    assert (it.folder / "a").read_text() == "old\n"
    it.loop.checkpoints.redo(1, ask=never)
    assert [(it.folder / name).read_text() for name in ("a", "c.txt")] == ["last\n", "last\n"]


def test_the_fourth_gets_a_smaller_step_and_the_fifth_is_the_end_whose_files_stay(session):
    it = session(*(WRITES.format(does=f"echo {n} > a", n=n) for n in range(1, 6)))
    events = it.play()
    assert [event.attempt for event in events if isinstance(event, Repairing)] == [1, 2, 3, 4, 5]
    assert "smaller step" in words(it.model.asked[4][-1])
    assert (events[-1].code, len(it.model.asked)) == ("attempts", 6)
    assert (it.folder / "a").read_text() == "5\n"


def test_the_first_tries_are_the_most_likely_ones_and_the_later_ones_warmer(session):
    it = session(*broken(1, 5), "```bash\ntrue\n```", "Done.", model={"temperature": 0.2})
    it.play()
    warmth = [round(sampling.temperature, 2) for sampling in it.model.samplings]
    assert warmth == [0.2, 0.2, 0.2, 0.5, 0.5, 0.2]


@pytest.mark.parametrize("temperature", [1.9, 2.0])
def test_nothing_is_asked_for_above_the_highest_temperature(session, temperature):
    it = session(*broken(1, 4), "Done.", model={"temperature": temperature})
    it.play()
    assert it.model.samplings[-1].temperature == 2.0


def test_what_the_person_answered_is_told_again(session):
    it = session("REQUEST_CLARIFICATION: Which name?", *broken(1, 4), "Done.", answers=[Answer("", "Ann")])
    it.play()
    told = words(it.model.asked[-1][-1])
    assert "You asked: Which name? The person answered: Ann\n\nThis was tried" in told


def test_a_file_that_was_read_before_is_not_known_any_more(session):
    it = session("```read\na.txt\n```", *broken(1, 4), "```text:a.txt\nnew\n```", "It did not work.")
    (it.folder / "a.txt").write_text("line\n" * 99)
    it.play()
    assert "a.txt exists and has not been read" in words(it.model.asked[-1][-1])


def test_the_same_block_counts_anew_once_the_model_has_forgotten_it(session):
    same = BROKEN.format(n=1)
    it = session(same, same, BROKEN.format(n=2), same, "It did not work.")
    assert it.play()[-1] == Answered("It did not work.")


def test_it_goes_back_to_the_request_also_where_outputs_were_dropped_to_save_room(session):
    big = (f"```bash\nseq {n} {n + 400}\n```" for n in range(6))
    it = session(*big, *broken(1, 4), "Done.", window=2900)
    it.play("count on")
    first, anew = it.model.asked[0], it.model.asked[-1]
    assert "(output dropped to save room)" in "".join(map(words, it.model.asked[-2]))
    assert (len(anew), anew[0], anew[1].text.startswith(first[1].text)) == (2, first[0], True)


def test_who_took_over_is_introduced_again(session):
    it = session(*(f"```read\nno{n}.txt\n```" for n in range(3)), "Done.")
    file, casual = it.prompts.agents["file"], it.prompts.agents["casual"]
    list(it.loop.run_turn(casual, "show it", relief=[file]))
    told = words(it.model.asked[3][-1])
    assert told.index("[casual]") < told.index("[file: ") < told.index("This was tried 3 times")
    assert file.card in told


def test_a_reply_that_cannot_be_read_three_times_begins_anew_too(session):
    it = session(*["```python\nnever closed, {n}"] * 3, "Done.")
    events = it.play()
    assert isinstance(last(events, FreshStart), FreshStart)
    assert it.model.asked[3][-1].text.startswith(it.model.asked[0][-1].text)


@EVERY_DIALECT
def test_a_log_gives_the_conversation_as_it_was_left(session):
    it = session(*broken(1, 4), "Done.")
    written, records = Written(), []
    for event in it.loop.run_turn(it.prompts.agents["coder"], "do it"):
        del event
        records.append(written.changes(it.loop.conversation, it.loop.replies.budget, model="m", dialect="d"))
    past = rebuild(record for record in records if record)
    assert past.entries == it.loop.conversation.entries
    assert past.exact


@EVERY_DIALECT
def test_the_next_request_follows_on_what_was_left(session):
    it = session(*broken(1, 4), "Done.", "Again.")
    it.play("one")
    it.play("two")
    assert it.model.asked[-1][:-2] == it.model.asked[-2]
    it.loop.conversation.remove_request()
    assert it.loop.conversation.build_messages() == it.model.asked[-1][:-1]


@pytest.mark.parametrize(
    ("trial", "anew", "warm"),
    [({"fresh_start": False}, 0, 0.3), ({"heat": 0.0}, 1, 0.0), ({"fresh_start": False, "heat": 0}, 0, 0)],
)
def test_each_part_of_it_can_be_turned_off(session, trial, anew, warm):
    it = session(*broken(1, 4), "It did not work.", trial=trial)
    events = it.play()
    assert sum(isinstance(event, FreshStart) for event in events) == anew
    assert it.model.samplings[-1].temperature == warm
    assert (len(it.model.asked[-1]) == 2) == bool(anew)
    assert "another way" in words(it.model.asked[-1][-1])


def test_fewer_attempts_than_three_end_it_before(session):
    it = session(*broken(1, 3), agent={"max_attempts": 2})
    assert isinstance(it.play()[-1], GaveUp)


def test_an_interrupt_at_a_fresh_start_leaves_what_was_put_back(session):
    it = session(*(WRITES.format(does="echo new > a", n=n) for n in (1, 2, 3)), "Fine.")
    turn = it.loop.run_turn(it.prompts.agents["coder"], "do it")
    while not isinstance(next(turn), FreshStart):
        pass
    turn.throw(KeyboardInterrupt)
    turn.close()
    assert not (it.folder / "a").exists()
    it.play("again")
    assert [message.role for message in it.model.asked[-1]] == ["system", "user"]


def test_what_has_succeeded_before_stays_and_is_not_asked_for_again(session):
    it = session("```text:a.txt\nright\n```", *broken(1, 4), "Done.")
    events = it.play("write a.txt")
    assert (it.folder / "a.txt").read_text() == "right\n"
    after, anew = it.model.asked[1], it.model.asked[4]
    assert anew[:-1] == after[:-1]
    assert anew[-1].text.startswith(f"{after[-1].text}\n\nThis was tried 3 times and failed")
    assert events[-1].receipt.saved == ("a.txt",)


def test_with_the_switch_off_all_of_it_is_put_back(session):
    it = session("```text:a.txt\nright\n```", *broken(1, 4), "Done.", trial={"progress": False})
    it.play("write a.txt")
    assert not (it.folder / "a.txt").exists()


EXAMPLE = "Write f.py with a function f(x) that doubles x. f(3) == 6 and f(4) == 8"


def program(source):
    return f"```python:f.py\ndef f(x):\n    return {source}\n```\n"


@EVERY_DIALECT
def test_where_an_example_tells_what_is_right_there_are_twice_as_many_tries_each_a_sample_of_its_own(session):
    it = session(
        *(program(f"x + {n}") for n in range(100, 109)), program("2 * x"), "Done.", model={"seed": 7}
    )
    events = it.play(EXAMPLE)
    assert isinstance(events[-1], Answered)
    assert {event.limit for event in events if isinstance(event, Repairing)} == {10}
    assert (it.folder / "f.py").read_text() == "def f(x):\n    return 2 * x\n"
    seeds = [sampling.seed for sampling in it.model.samplings]
    assert (seeds[0], seeds[-1]) == (7, 7)
    assert len(set(seeds[:10])) == 10
    assert [round(each.temperature, 1) for each in it.model.samplings] == [0, *[0.7] * 4, *[1.0] * 5, 0]
    assert "This was tried once and failed with: f.py: f(4) must give 8\n" in words(it.model.asked[1][-1])
    assert it.model.asked[5] == it.model.asked[9] == it.model.asked[0]


@pytest.mark.parametrize(("trial", "allowed"), [({}, 1), ({"fresh_start": False}, 3)])
def test_there_are_no_samples_where_one_attempt_is_allowed_or_nothing_starts_over(session, trial, allowed):
    programs = (program(f"x + {n}") for n in range(100, 104))
    it = session(*programs, trial=trial, agent={"max_attempts": allowed})
    events = it.play(EXAMPLE)
    assert sum(isinstance(event, Repairing) for event in events) == allowed
    assert events[-1].code == "attempts"


def test_a_program_whose_fault_is_named_is_mended_first(session):
    wrong, right = (f"```python:age.py\nprint({what})\n```" for what in ("'Sum:', 1 + 2", "1 + 2"))
    it = session(wrong, right, "Done.")
    events = it.play("Write age.py: it prints the sum of 1 and 2")
    assert not [event for event in events if isinstance(event, FreshStart)]
    assert "for the value alone: print(1 + 2)" in words(it.model.asked[1][-1])
    assert (it.folder / "age.py").read_text() == "print(1 + 2)\n"


def test_a_sample_whose_value_is_right_but_for_its_form_is_mended(session):
    source = "```python:fee.py\nimport sys\nprint({})\n```"
    programs = ("5.0", "round(int(sys.argv[1]) * 0.2, 2)", "f'{int(sys.argv[1]) * 0.2:.2f}'")
    it = session(*map(source.format, programs), "Done.")
    events = it.play(
        "Write fee.py: python3 fee.py DAYS prints 0.20 for each day. python3 fee.py 7 prints 1.40."
    )
    assert [event.attempt for event in events if isinstance(event, FreshStart)] == [1]
    assert isinstance(events[-1], Answered)
    assert "an f-string writes 2 decimals with" in words(it.model.asked[2][-1])


FEE = (
    "Write fee.py: python3 fee.py DAYS prints the fee, 0.20 a day, with two decimals and nothing else. "
    "python3 fee.py 7 prints 1.40."
)


@pytest.mark.parametrize(
    ("computed", "anew"),
    [("days / 8", 1), ("5.0 if days > 5 else days / 5", 1), ("days / 5", 0), ("f'{days / 5} EUR'", 0)],
)
def test_a_program_that_computes_something_else_is_not_mended_in_its_form(session, computed, anew):
    source = "```python:fee.py\nimport sys\ndays = int(sys.argv[1])\nfee = {}\nprint(fee)\n```"
    it = session(source.format(computed), source.format("f'{days / 5:.2f}'"), "Done.")
    events = it.play(FEE)
    assert sum(isinstance(event, FreshStart) for event in events) == anew
    assert isinstance(events[-1], Answered)

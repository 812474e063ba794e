"""How a request ends, and what stands behind results: the sentence that says what to do now."""

import pytest
from tests.filing import open_plain, put, use
from tests.playing import kinds, last

from tripletick.agents import templates
from tripletick.agents.definitions import EVERY_LANGUAGE
from tripletick.events import Answered, Doubted, FreshStart, GaveUp, Repairing
from tripletick.languages.registry import names_other_language
from tripletick.messages import Call, Result
from tripletick.system import dirs
from tripletick.turn import attachments
from tripletick.turn.attempts import format_error_line

BASE = templates.load_templates(dirs.find_dirs().prompts)
ANSWER = "Now answer the user"
HELLO = "print('hi')"


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as context:
        yield context


def told(it, at=-1):
    return it.model.asked[at][-1].text


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("true", "That printed nothing and changed nothing, so the task is not done."),
        ("find . -name nothing", "That printed nothing"),
        ("sed -i s/a/b/ there", "sed changes lines that are there, cat >> FILE adds some."),
        ("mv x y; true", "Find the cause and write the corrected block."),
        ("cat x | sort", "Find the cause"),
        ("echo 5", ANSWER),
        ("echo a > b", ANSWER),
        ("mv x y; echo a > b", "mv did not do all of it"),
        ("cp *.png d; echo a > b", ANSWER),
        ("cp x d || echo a > b", ANSWER),
        ("mkdir d", ANSWER),
        ("chmod 600 there", ANSWER),
    ],
)
def test_what_came_to_nothing_is_not_taken_for_done(session, script, says):
    it = session(f"```bash\n{script}\n```", "Done.", "Done.")
    (it.folder / "there").touch()
    it.play()
    assert says in told(it, 1)


def test_what_comes_to_nothing_a_second_time_may_be_right(session):
    it = session("```bash\ntrue\n```", "```bash\nmkdir -p there\n```", "It is there.")
    (it.folder / "there").mkdir()
    it.play()
    assert ANSWER in told(it)


def test_what_was_not_allowed_is_not_done(session):
    it = session("```bash\npip install pandas\n```", "It needs pandas.", "It still does.")
    it.play()
    assert "That is not allowed, so the task is not done." in told(it)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ("Create note.txt that says: hello", "Write what belongs in note.txt, in a block that begins with"),
        ("Create an empty file note.txt", ANSWER),
        ("Erstelle eine leere Datei note.txt", ANSWER),
        ("Create a file", ANSWER),
    ],
)
def test_an_empty_file_is_asked_for_again_unless_it_was_wanted(session, request_, says):
    it = session("```bash\ntouch note.txt\n```", "Done.")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert says in told(it)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (
            "Write count.py that counts the words of story.txt and run it",
            "It gives no arguments and no input.",
        ),
        ("Write count.py that gets a file as argument", ANSWER),
        ("Write count.py so that python3 count.py story.txt prints the words", ANSWER),
        ("Write count.py; I call it as count.py 7", ANSWER),
        ("Schreibe count.py, das nach einer Datei fragt", ANSWER),
    ],
)
def test_a_program_that_wants_arguments_is_asked_for_without_where_none_were_spoken_of(
    session, request_, says
):
    it = session("```python:count.py\nimport sys\nprint(len(sys.argv[1]))\n```", "Done.")
    it.play(request_)
    assert says in told(it)


def test_a_program_to_repair_that_comes_back_as_it_was_is_a_failure(session):
    again = "```python:a.py\nprint(1)\n```"
    it = session(again, "```python:a.py\nprint(2)\n```", "Repaired.")
    put(it.loop.context, "a.py", "print(1)\n")
    attachments.attach_named_files("Fix a.py", it.loop.context)
    events = it.play("Fix a.py")
    assert last(events, Repairing).error == "python failed, a.py is as it was, nothing is repaired: 1"
    assert "That is the file as it was, so nothing is mended." in told(it, 1)


@pytest.mark.parametrize(
    ("request_", "repairs"),
    [
        ("a.py prints 1. It should print 2.", True),
        ("a.py stops at 2. It should count down to 1", True),
        ("a.py overwrites the notes. It should keep the older ones.", True),
        ("a.py gives 12, but children should get 5", True),
        ("Add a flag to a.py, which should work with all others", False),
        ("What should a.py do with an empty file?", False),
        ("Could you make a.py shorter? It should fit on a page.", False),
    ],
)
def test_what_a_program_should_do_instead_is_a_repair(session, request_, repairs):
    it = session("I do not know.", "No.")
    put(it.loop.context, "a.py", "print(1)\n")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert ("Find what is wrong in a.py, and write the whole program" in told(it, 0)) == repairs


def test_a_repair_that_is_only_described_is_made(session):
    old = "const total = a + b;\nconsole.log(total);\n"
    says = "The line `const total = a + b;` is wrong. It should be `const total = Number(a) + Number(b)`."
    it = session(f"```javascript:a.js\n{old}```", says, "It adds now.")
    put(it.loop.context, "a.js", old)
    attachments.attach_named_files("a.js joins numbers, fix it", it.loop.context)
    it.play("a.js joins numbers, fix it")
    assert (it.folder / "a.js").read_text() == old.replace("a + b;", "Number(a) + Number(b);")


def test_a_common_mistake_in_a_program_that_came_back_as_it_was_is_named(session):
    it = session("```python:a.py\nfor n in range(1, 3):\n    print(n)\n```", "I do not know.", "No.")
    put(it.loop.context, "a.py", "for n in range(1, 3):\n    print(n)\n")
    attachments.attach_files("a.py is wrong, fix it", ("python",), it.loop.context, BASE)
    it.play("a.py is wrong, fix it")
    assert "Line 1 stops before 3. With 3 too it reads: for n in range(1, 4):" in told(it, 1)


def test_a_script_that_keeps_its_mistake_is_shown_as_it_should_be(session):
    old = 'for f in $(ls *.txt); do\n  echo "$(wc -l < $f)"\ndone\n'
    half = old.replace("< $f", '< "$f"')
    right = half.replace("$(ls *.txt)", "*.txt")
    it = session(f"```bash:a.sh\n{half}```", f"```bash:a.sh\n{right}```", "Repaired.")
    put(it.loop.context, "a.sh", old)
    attachments.attach_files("a.sh is wrong, fix it", ("bash",), it.loop.context, BASE)
    it.play("a.sh is wrong, fix it")
    assert f"This block puts that right:\n```bash:a.sh\n{right}```" in told(it, 1)
    assert "puts that right" not in told(it, 2)
    assert (it.folder / "a.sh").read_text() == right


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('where = input("Which folder? ")', "Instead of where = input(\"Which folder? \") write where = '.'"),
        ("name = sys.argv[1]", None),
    ],
)
def test_who_needs_no_argument_hears_what_stands_in_its_place(session, line, says):
    program = f"```python:a.py\nimport sys\n{line}\nprint(1)\n```"
    it = session(program, "It was saved.", "It was.")
    attachments.attach_named_files("write a.py that lists all there is", it.loop.context, below=False)
    it.play("write a.py that lists all there is")
    assert (says in told(it, 1)) if says else ("Instead of" not in told(it, 1))


def test_a_program_to_repair_that_has_lost_an_empty_line_is_as_it_was(session):
    it = session("```python:a.py\nX = 1\nprint(X)\n```", "```python:a.py\nprint(2)\n```", "Repaired.")
    put(it.loop.context, "a.py", "X = 1\n\n\nprint(X)\n")
    attachments.attach_named_files("Fix a.py", it.loop.context)
    it.play("Fix a.py")
    assert "That is the file as it was, so nothing is mended." in told(it, 1)


def test_of_several_new_programs_one_is_asked_for_after_the_other(session):
    it = session("```python:a.py\nX = 1\n```", "```python:b.py\nimport a\nprint(a.X)\n```", "Both are there.")
    request = "Write a.py, which has X = 1, and b.py, which prints it"
    attachments.attach_named_files(request, it.loop.context)
    it.play(request)
    assert "in a block that begins with ```python:a.py" in told(it, 0)
    assert "in a block that begins with ```python:b.py" in told(it, 1)
    assert ANSWER in told(it, 2)


def test_a_repaired_program_may_want_arguments_and_may_be_sent_again(session):
    repaired = "```python:count.py\nimport sys\nprint(len(sys.argv[1]) or 0)\n```"
    it = session(repaired, repaired, "Repaired.")
    put(it.loop.context, "count.py", "import sys\nprint(1 / len(sys.argv[1]))\n")
    attachments.attach_named_files("Fix count.py", it.loop.context)
    assert kinds(it.play("Fix count.py")).count("Repairing") == 0
    assert ANSWER in told(it, 1)
    assert ANSWER in told(it, 2)


def test_a_repair_whose_check_failed_is_none_when_it_is_sent_again(session):
    half = "```python:a.py\nprint(2)\n```"
    it = session(half, "Repaired.", half, "```python:a.py\nprint(3)\n```", "Now it is.")
    put(it.loop.context, "a.py", "raise SystemExit(1)\n")
    attachments.attach_named_files("Fix a.py", it.loop.context)
    it.loop.context.ledger.check = "grep 3 a.py"
    it.play("Fix a.py")
    assert "That is the file as it was, so nothing is mended." in told(it, 3)


@pytest.mark.parametrize(
    ("request_", "script", "says"),
    [
        ("Convert a.csv to a.json", "cat a.csv", "a.json is not there, so the task is not done."),
        (
            "List what files in in/ mention tea in tea.txt",
            "ls",
            "tea.txt is not there, so the task is not done.",
        ),
        ("Convert a.csv to a.json", "echo [] > a.json", ANSWER),
        ("Make in/ and put the files that end in _a.csv into it", "mkdir in", ANSWER),
        (
            "Convert a.csv to a.py",
            "cat a.csv",
            "Write what belongs in a.py, in a block that begins with ```python:a.py",
        ),
        ("Save each as a_YEAR_MONTH.csv", "ls", ANSWER),
        ("Is there a file a.json?", "ls", ANSWER),
        ("Write it down", "ls", ANSWER),
        ("Make sure that 1.0 and e.g. numpy.array are written about", "ls", ANSWER),
    ],
)
def test_a_file_that_is_asked_for_and_not_there_is_spoken_of_once(session, request_, script, says):
    it = session(*[f"```bash\n{script} # {n}\n```" for n in (1, 2)], "It could not be done.")
    put(it.loop.context, "a.csv", "x,y\n1,2\n")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert says in told(it, 1) and "is not there" not in told(it, 2)


def test_a_search_that_finds_nothing_is_an_answer_and_no_failure(session):
    it = session("```bash\ngrep -q tea a.txt\n```", "tea is not on a.txt.")
    put(it.loop.context, "a.txt", "rice\n")
    end = last(it.play("is tea on a.txt?"), Answered)
    assert end.receipt and not end.receipt.last_failed
    assert "[result 1: bash ok, no match]\n```output\n(no match)\n```" in told(it)
    assert ANSWER in told(it) and "Find the cause" not in told(it)


def test_what_stands_behind_a_search_that_finds_nothing_is_not_run(session):
    it = session("```bash\ngrep -q tea a.txt\n```\n```bash\nrm a.txt\n```", "It is not there.")
    put(it.loop.context, "a.txt", "rice\n")
    it.play("delete a.txt, which has tea on it")
    assert "[result 1: bash failed, exit 1]" in told(it) and (it.folder / "a.txt").exists()


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ("add c to a.txt", "a.txt is as it was, so the task is not done."),
        ("add c to the list", ANSWER),
        ("add up the lines of a.txt and tell me", ANSWER),
        ("what is in a.txt?", ANSWER),
        ("is b.txt a copy of a.txt?", ANSWER),
        ("Does a.txt say what changed?", ANSWER),
        ("On which line of a.txt is b? Don't change anything.", ANSWER),
        ("Is c in a.txt? If not, add it to a.txt", "a.txt is as it was, so the task is not done."),
        ("Is c in a.txt? Add it otherwise to a.txt.", "a.txt is as it was, so the task is not done."),
    ],
)
def test_who_only_looks_at_a_file_that_is_to_be_changed_is_sent_back_once(session, request_, says):
    it = session("```bash\ncat a.txt\n```", "```bash\ncat a.txt # again\n```", "It could not be done.")
    put(it.loop.context, "a.txt", "a\nb\n")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert says in told(it, 1) and "as it was" not in told(it, 2)


@pytest.mark.parametrize(
    ("name", "body", "near"),
    [
        ("films to watch.txt", "cp films_to_watch.txt old.txt", "'films to watch.txt'"),
        ("docs/plan.txt", "cat plan.txt", "docs/plan.txt"),
        ("strikingly.rst", "cat strictly.rst", "strikingly.rst"),
    ],
)
def test_a_name_that_is_not_there_is_answered_with_the_one_that_is(session, name, body, near):
    it = session(f"```bash\n{body}\n```", "No.")
    put(it.loop.context, name, "text\n")
    it.play()
    assert f"does not exist. Use {near}, written just like that." in told(it, 1)


def test_a_file_of_nearly_the_name_that_was_meant_is_not_it(session):
    it = session("```bash\necho c >> to_do.txt\n```", "```bash\necho c >> 'to do.txt'\n```", "Added.")
    put(it.loop.context, "to do.txt", "a\nb\n")
    attachments.attach_named_files("add c to 'to do.txt'", it.loop.context)
    it.play("add c to 'to do.txt'")
    assert "'to do.txt' is as it was, so the task is not done." in told(it, 1)


@pytest.mark.parametrize(
    ("request_", "new", "sent_back"),
    [
        ("Sort a.txt and save it", "a_sorted.txt", True),
        ("Sort a.txt into a new file", "a_sorted.txt", False),
        ("Make a sorted copy of a.txt", "a_sorted.txt", False),
        ("Sort a.txt, and save that as a_sorted.txt", "a_sorted.txt", False),
        ("Sort a.txt", "lines.csv", False),
    ],
)
def test_a_result_beside_the_file_that_was_to_be_changed_is_not_it(session, request_, new, sent_back):
    it = session(f"```bash\nsort a.txt > {new}\n```", f"```bash\nmv {new} a.txt\n```", "Sorted.", "Sorted.")
    put(it.loop.context, "a.txt", "b\na\n")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert ("a.txt is as it was, so the task is not done." in told(it, 1)) == sent_back


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("count = 0\nfor each in 'abc':\n    count += 1", "print(count)"),
        ("len('abc')", "print(len('abc'))"),
        ("def count(text):\n    return len(text)", "print(count(text))"),
        ("import os\nif not os.listdir('.'):\n    print('empty')", None),
    ],
)
def test_what_a_program_works_out_and_does_not_print_is_named(session, program, says):
    it = session(f"```python\n{program}\n```", "```bash\necho 3\n```", "3")
    put(it.loop.context, "a.txt", "a\n")
    it.play("How many are there?")
    assert (f"End the program with {says}" in told(it, 1)) if says else ("End the program" not in told(it, 1))


def test_of_a_table_that_is_moved_as_it_is_nobody_hears_how_it_is_read(context):
    put(context, "a.csv", "city,sum\nOslo,5\n")
    for request, reads in (("Copy a.csv to b.csv", False), ("Copy a.csv to b.csv, sorted by sum", True)):
        context.ledger.forget_files()
        shown = attachments.attach_files(request, ("bash",), context, BASE)
        assert "a.csv, 1 row" in shown and ("csv.DictReader" in shown) == reads


@pytest.mark.parametrize(
    ("request_", "block", "says"),
    [
        ("put copies of the texts in old", "cp a.txt old", "Make the folder first: mkdir -p old"),
        ("move the texts into the folder old", "mv *.txt old", "Make the folder first: mkdir -p old"),
        ("copy a.txt to old", "cp a.txt old", ANSWER),
        ("put copies of the texts in old", "mkdir old; cp a.txt old", ANSWER),
        ("write what is in a.txt in old", "cat a.txt > old", ANSWER),
    ],
)
def test_a_copy_that_took_the_name_of_a_folder_is_taken_back(session, request_, block, says):
    it = session(f"```bash\n{block}\n```", "It could not be done.")
    put(it.loop.context, "a.txt", "a\nb\n")
    it.play(request_)
    assert says in told(it, 1) and (it.folder / "a.txt").exists()
    assert says == ANSWER or not (it.folder / "old").exists()


@pytest.mark.parametrize(
    ("request_", "saved"),
    [
        ("The program a.py gets 7: what does it print?", False),
        ("What does a.py print?", False),
        ("What does a.py print? Make it print 8.", True),
        ("Can you have a.py print 8?", True),
        ("How about refactoring a.py?", True),
        ("Refactor a.py so that what it prints stays", True),
        ("Why does a.py print 7 instead of 8?", True),
    ],
)
def test_an_answer_to_a_question_replaces_no_file(session, request_, saved):
    it = session("```python:a.py\nprint(8)\n```", "I could not run it.", "It failed.")
    put(it.loop.context, "a.py", "import sys\nprint(7)\n")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert ("the task asks for no change of it" in told(it, 1)) is not saved
    assert ((it.folder / "a.py").read_text() == "print(8)\n") is saved


@pytest.mark.parametrize(
    ("request_", "saved"),
    [
        ("Is 2073 even or odd?", False),
        ("How could a.py tell what is odd?", True),
        ("Can you write a program for odd numbers?", True),
        ("Tell odd from even", True),
    ],
)
def test_a_program_that_answers_a_question_is_run_and_not_kept(session, request_, saved):
    it = session("```python:a.py\nprint('odd')\n```", "It is odd.")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert "odd\n```" in told(it, 1) and (it.folder / "a.py").exists() is saved


def test_an_empty_block_is_a_failure_each_time(session):
    empty = "```python:a.py\n```"
    it = session(empty, empty, f"```python:a.py\n{HELLO}\n```", "Done.")
    events = it.play()
    assert [event for event in events if isinstance(event, Repairing)]
    assert (it.folder / "a.py").exists() and events[-1].text.startswith("Done.")


def test_a_failure_that_is_sent_again_begins_anew_at_once_and_warmer(session):
    fails = "```python\nimport pandas_that_is_not_there\n```"
    it = session(fails, fails, "```python\nprint(5)\n```", "5.")
    events = it.play()
    assert last(events, FreshStart).attempt == 2
    assert "Hint: The module pandas_that_is_not_there is not installed here" in told(it, 2)
    assert [round(sampling.temperature, 1) for sampling in it.model.samplings[:3]] == [0.0, 0.0, 0.7]


def test_a_program_that_breaks_an_example_is_written_afresh_until_one_holds(session):
    wrong = [f"```python:add.py\ndef add(a, b):\n    return a - b - {n}\n```" for n in range(4)]
    it = session(*wrong, "```python:add.py\ndef add(a, b):\n    return a + b\n```", "Done.")
    events = it.play("Write add.py: add(1, 2) == 3")
    assert [event.attempt for event in events if isinstance(event, FreshStart)] == [1, 2, 3, 4]
    assert isinstance(events[-1], Answered)
    assert [round(each.temperature, 1) for each in it.model.samplings] == [0, 0.7, 0.7, 0.7, 0.7, 0]


def test_of_programs_that_all_break_examples_the_first_of_the_best_is_kept(session):
    adds = [
        f"```python:add.py\ndef add(a, b):\n    return {does}\n```"
        for does in ("0", "3", "a+b+4", "3 ", *"56789", "1")
    ]
    it = session(*adds, "It could not be done.")
    end = it.play("Write add.py: add(1, 2) == 3, add(2, 2) == 4")[-1]
    assert isinstance(end, GaveUp)
    assert "return 3\n" in (it.folder / "add.py").read_text()


def test_after_a_program_that_does_not_parse_the_next_one_is_written_afresh_too(session):
    wrong = [f"```python:add.py\ndef add(a, b):\n    return a - b - {n}\n```" for n in range(2)]
    broken = "```python:add.py\ndef add(a, b:\n    return a + b\n```"
    it = session(*wrong, broken, "```python:add.py\ndef add(a, b):\n    return a + b\n```", "Done.")
    events = it.play("Write add.py: add(1, 2) == 3")
    assert [event.attempt for event in events if isinstance(event, FreshStart)] == [1, 2, 3]
    assert isinstance(events[-1], Answered)


def test_a_program_that_has_been_repaired_stays_when_a_later_one_fails(session):
    add = "```python:add.py\ndef add(a, b):\n    return a {} b\n```"
    fails = [f"```python:run.py\nprint({n}\n```" for n in range(5)]
    it = session(add.format("-"), add.format("+"), *fails, "It failed.")
    assert isinstance(it.play("Write add.py: add(1, 2) == 3, then run.py, which prints a number")[-1], GaveUp)
    assert "a + b" in (it.folder / "add.py").read_text()


def test_the_best_program_stays_where_the_last_one_does_not_parse(session):
    adds = [
        f"```python:add.py\ndef add(a, b):\n    return {does}\n```" for does in ("0", "3", *"456789", "1")
    ]
    it = session(*adds, "```python:add.py\ndef add(a, b:\n```", "It failed.")
    assert isinstance(it.play("Write add.py: add(1, 2) == 3, add(2, 2) == 4")[-1], GaveUp)
    assert "return 3\n" in (it.folder / "add.py").read_text()


@pytest.mark.parametrize(
    ("printed", "answer", "more"),
    [
        ("2550\\n", "The sum is printed.", "\n\nOutput: 2550"),
        ("2550\\n", "It is 2550.", ""),
        ("4\\n", "There are four of them.", ""),
        ("Average: 6.0", "The average is 6.", ""),
        ("100\\n", "It adds up the numbers.", ""),
        ("a\\nb 7\\n", "Done.", "\n\nOutput:\n```text\na\nb 7\n```"),
        ("berlin\\n", "That city.", "\n\nOutput: berlin"),
        ("berlin\\n", "It is Berlin.", ""),
        ("1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n11\\n12\\n13\\n", "Done.", ""),
    ],
)
def test_what_was_printed_stands_below_an_answer_that_has_nothing_of_it(session, printed, answer, more):
    it = session(f"```bash\nprintf '{printed}'\n```", answer)
    assert it.play("Add up 1 to 100 and tell me the sum")[-1] == Answered(f"{answer}{more}")


def test_what_was_not_asked_for_is_not_added_to_an_answer(session):
    it = session("```bash\ntouch a.txt; echo 42\n```", "I have made it.")
    assert it.play("make a file for me")[-1] == Answered("I have made it.")


def test_who_changes_nothing_has_what_was_printed_to_tell(session):
    it = session("```bash\ncat a.txt\n```", "The task was completed successfully.")
    put(it.loop.context, "a.txt", "rice\ntea\n")
    told = "The task was completed successfully.\n\nOutput:\n```text\nrice\ntea\n```"
    assert it.play("all the text in a.txt")[-1] == Answered(told)


@pytest.mark.parametrize(
    ("request_", "writes", "ends"),
    [
        ("sum up sales.csv by city", False, "Write a python program that does this"),
        ("how many files are here?", False, "Write a python program that does this"),
        ("copy sales.csv to old.csv", False, "Write the block that does this"),
        ("put the names of sales.csv into names.txt with awk", False, "Write the block that does this"),
        ("write the lines of notes.txt backwards to back.txt", True, "Write a python program that does this"),
        ("add a line to notes.txt", False, "Write the block that does this"),
        ("Could you calculate half of 9.", True, "Write a python program that does this"),
        ("make calc.py, which can calculate tips", True, "Write the whole program in a block"),
        ("a web page that can calculate tips", True, "Write the block that does this"),
        ("when was notes.txt changed?", True, "Write the block that does this"),
        ("Make 688 the port in app.yaml", True, "Write the block that does this"),
        ("Add *.pyc to .gitignore", True, "Write the block that does this"),
        ("Add error handling to job.py", True, "Write the block that does this"),
        ("Fix the error in job.py", True, "Find what is wrong in job.py"),
        ("sort the summer photos into a folder", False, "Write the block that does this"),
        ("The jobs in job.py never run, mend them", True, "Find what is wrong in job.py"),
        ("show me, without running it, how to delete sales.csv", False, "Run nothing."),
        ("Zeig mir den Befehl dafür, ohne ihn auszuführen", True, "Run nothing. Answer with the command"),
        ("what would rm -r old do? just explain, dont run it", True, "Run nothing. Answer in one or two"),
        ("explain the command ls -S, do not run it", True, "Run nothing. Answer in one or two"),
        ("explain nothing, run nothing, only show me the command", True, "Run nothing. Answer with the"),
        ("write rows.py that shows sales.csv", True, "Write the whole program in a block"),
        ("write a small web server with Node.js", True, "Write the block that does this"),
        ("I want to lose old.js, please", True, "Write the block that does this"),
        ("run the script backup.py", True, "Write the block that does this"),
        ("führe nichts aus, zeige die Datei a.py", True, "Run nothing"),
        ("need a program table.py, I run it as python3 table.py 7", True, "Write the whole program"),
        ("write table.py and run table.py", True, "Write the whole program"),
    ],
)
def test_a_request_ends_with_the_block_that_it_wants(context, request_, writes, ends):
    put(context, "sales.csv", "city,sum\nOslo,5\nRio,7\n")
    put(context, "notes.txt", "one\ntwo\n")
    put(context, "app.yaml", "port: 1\n")
    put(context, ".gitignore", "build/\n")
    put(context, "job.py", "print(1)\n")
    attachments.attach_files(request_, (EVERY_LANGUAGE, "bash") if writes else ("bash",), context, BASE)
    ledger = context.ledger
    ending = BASE.choose_ending(request_, ledger.asked, new=ledger.is_new_program, computes=ledger.computes)
    assert ending.startswith(ends)


HEAD = 'def strlen(string: str) -> int:\n    """Return the length.\n    >>> strlen("abc")\n    3\n    """\n'


@pytest.mark.parametrize(
    ("code", "alone"),
    [
        (HEAD, True),
        (f"import re\n\n\n{HEAD}```", True),
        (f"def one():\n    return 1\n\n\n{HEAD}", True),
        (f"{HEAD}    return len(string)", False),
        ("def strlen(string):\n    # gives the length", False),
        ("a function strlen with a docstring", False),
    ],
)
def test_a_head_without_a_body_is_not_to_be_copied(code, alone):
    ending = BASE.choose_ending(f"Write solution.py with this, complete:\n\n{code}", "solution.py", new=True)
    assert ending.startswith("Write the whole program in a block that begins with ```python:solution.py")
    assert (BASE.body in ending) is alone and BASE.body


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("in bash", True),
        ("a C program", True),
        ("Use Go", True),
        ("go and read it", False),
        ("in Python", False),
    ],
)
def test_another_language_is_known_by_its_name(text, other):
    assert names_other_language(text, "python") is other


def test_a_name_with_blanks_is_quoted_and_its_file_goes_along(context):
    put(context, "tax return 2024.txt", "paid\n")
    put(context, "return", "no\n")
    said = attachments.attach_named_files("Move the file tax return 2024.txt away", context)
    assert said.startswith("'tax return 2024.txt', 1 line:\n```text\npaid")


def test_rows_that_a_model_worked_out_in_its_head_are_no_program(context):
    put(context, "sales.csv", "city,sum\nOslo,5\nOslo,7\n")
    attachments.attach_named_files("sum up sales.csv by city into sums.csv", context)
    result = use(context, "python", "city,sum\nOslo,11", "sums.csv")
    assert result.outcome == "failed" and "holds no program" in result.verdict
    assert context.workspace.get_kind("sums.csv") == "missing"


def test_a_table_is_read_with_what_python_has(context):
    put(context, "a.csv", "city;sum\nOslo;5\nRio;7\n")
    put(context, "b.json", "[1, 2]")
    assert "csv.DictReader(file, delimiter=';')" in attachments.attach_named_files("show a.csv", context)
    assert "the module json" in attachments.attach_named_files("show b.json", context)


@pytest.mark.parametrize(
    ("request_", "script", "says"),
    [
        ("a.txt: new first line two", "sed -i '1s/.*/two/' a.txt", "These must be in it: one is first"),
        ("Add two to a.txt", "mv a.txt a.bak; echo two > a.txt", "These must be in it: one is first"),
        ("Mark one as done in a.txt", "sed -i /one/d a.txt", "These must be in it: one is first"),
        (
            '"two" as the new firdt line of a.txt',
            "sed -i 1s/.*/two/ a.txt",
            "These must be in it: one is first",
        ),
        ("one is done: check it in a.txt", "sed -i /one/d a.txt", "These must be in it: one is first"),
        ("in a.txt, one is done", "sed -i s/one.*/done/ a.txt", "These must be in it: one is first"),
        ("Make a.txt right: two is away", "echo two > a.txt", "These must be in it: one is first"),
        ("two is off now, set that in a.txt", "echo two > a.txt", "These must be in it: one is first"),
        ("Make a.txt with two lines", "echo two > a.txt", ANSWER),
        ("Translate a.txt", "echo zwei > a.txt", ANSWER),
        ("check it: is one in a.txt? delete it", "sed -i /one/d a.txt", ANSWER),
        ("Add two to a.txt", "echo two >> a.txt", ANSWER),
        ("Put the lines of a.txt in capital letters", "sed -i 's/.*/\\U&/' a.txt", ANSWER),
        ("Add an s to each line of a.txt", "sed -i 's/$/s/' a.txt", ANSWER),
        ("Add two to a.txt and remove one", "echo two > a.txt", ANSWER),
        ("Put two into a.txt instead of one", "echo two > a.txt", ANSWER),
        ("Replace the text of a.txt by two", "echo two > a.txt", ANSWER),
    ],
)
def test_who_only_adds_loses_no_lines(session, request_, script, says):
    it = session(f"```bash\n{script}\n```", "I could not put them back.")
    put(it.loop.context, "a.txt", "one is first\nthree is last\n")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert says in told(it) and ("no longer has: one is first" in told(it)) == (says != ANSWER)


def test_a_file_that_nothing_may_change_is_not_asked_for_anew(session):
    request = "How many eggs does a.txt need? Don't change anything."
    it = session("```bash\ncat a.txt\n```", "I corrected a.txt.", "Four.")
    put(it.loop.context, "a.txt", "four eggs\nsugar\n")
    attachments.attach_named_files(request, it.loop.context)
    it.play(request)
    assert "Not done yet: no file was changed." in told(it, 2)
    assert "as it is to be" not in told(it, 2)


def test_who_claims_an_addition_that_lost_lines_is_doubted(session):
    it = session("```bash\necho two > a.txt\n```", "I added it.", "I cannot mend it.")
    put(it.loop.context, "a.txt", "one is first\n")
    attachments.attach_named_files("Add two to a.txt", it.loop.context)
    assert last(it.play("Add two to a.txt"), Doubted).reasons == ("a.txt no longer has: one is first",)


def test_a_task_that_was_deleted_instead_of_ticked_is_shown_with_its_tick(session):
    it = session("```bash\nsed -i /milk/d todo.md\n```", "I could not do it.")
    put(it.loop.context, "todo.md", "- [ ] milk\n- [ ] bread\n")
    attachments.attach_named_files("tick milk in todo.md", it.loop.context)
    it.play("tick milk in todo.md")
    assert "todo.md no longer has: - [ ] milk\n\nThese must be in it: - [x] milk\n" in told(it)


def test_what_is_only_to_be_added_ticks_no_other_task(session):
    it = session("```bash\necho '- [ ] call Mark' > todo.md\n```", "I could not do it.")
    put(it.loop.context, "todo.md", "- [ ] Buy milk\n- [ ] Call mum\n")
    attachments.attach_named_files("Add 'call Mark' to todo.md", it.loop.context)
    it.play("Add 'call Mark' to todo.md")
    assert "These must be in it: - [ ] Buy milk | - [ ] Call mum\n" in told(it)


def test_a_hidden_file_that_was_changed_is_named(session):
    it = session("```bash\necho '*.pyc' >> .gitignore\n```", "I added it.")
    put(it.loop.context, ".gitignore", "build/\n")
    it.play("Add *.pyc to .gitignore")
    assert "Changed: changed .gitignore." in told(it)


@pytest.mark.parametrize(
    ("request_", "body"),
    [
        ("Run update.py", "python3 update.py"),
        ("Compare a.txt with its copy b.txt", "diff a.txt b.txt || true"),
    ],
)
def test_who_was_to_run_or_compare_is_not_told_to_change(session, request_, body):
    it = session(f"```bash\n{body}\n```", "They differ.")
    for name, text in (("update.py", "print(3)\n"), ("a.txt", "1\n"), ("b.txt", "2\n")):
        put(it.loop.context, name, text)
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert ANSWER in told(it, 1)


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("Summarize news.md", "Version 2.0 added a dark mode. The login bug was fixed."),
        ("When was news.md changed?", "news.md was changed yesterday at 10:00."),
        ("Explain news.md", "The old menu was removed, and the help was moved."),
    ],
)
def test_who_tells_what_was_read_claims_nothing(session, request_, answer):
    it = session(answer)
    put(it.loop.context, "news.md", "The login bug was fixed.\n")
    attachments.attach_named_files(request_, it.loop.context)
    assert "Doubted" not in kinds(it.play(request_))


def test_a_folder_with_the_name_of_a_file_is_not_that_file(session):
    it = session("```bash\ncp -r d d.zip\n```", "It cannot be done.")
    put(it.loop.context, "d/a.txt", "a\n")
    attachments.attach_named_files("Save d as d.zip", it.loop.context)
    it.play("Save d as d.zip")
    assert "d.zip (a file, not a folder) is not there, so the task is not done." in told(it)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ("Create b.txt with hello", "b.txt is not there"),
        ("Create b.txt with hello in d", ANSWER),
        ("Create b.txt with hello in a folder", ANSWER),
    ],
)
def test_a_file_in_a_folder_that_nobody_spoke_of_is_not_the_one(session, request_, says):
    it = session("```bash\necho hello > d/b.txt\n```", "It cannot be done.", "Now it is there.")
    put(it.loop.context, "d/a.txt", "a\n")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert says in told(it, 1)


@pytest.mark.parametrize(
    ("request_", "reply"),
    [
        ("Fix list.txt: it says meat", "```text\nmilk\n```"),
        ("Fix list.txt: it says meat", "The file is:\n```\nmilk\n```\n"),
        ("Create list.md with milk", "```markdown\nmilk\n```"),
    ],
)
def test_a_text_without_a_path_is_the_file_that_was_asked_for(session, request_, reply):
    it = session(reply, "It says milk.")
    put(it.loop.context, "list.txt", "meat\n")
    attachments.attach_files(request_, ("bash",), it.loop.context, BASE)
    it.play(request_)
    assert (it.folder / request_.split()[1].strip(":")).read_text() == "milk\n"


@pytest.mark.parametrize("reply", ["```text\nmilk\n```", "```text\nmilk\n```\n```text\nrice\n```"])
def test_a_text_in_an_answer_is_none(session, reply):
    it = session(reply)
    put(it.loop.context, "list.txt", "meat\n")
    attachments.attach_files("What is in list.txt?", ("bash",), it.loop.context, BASE)
    assert last(it.play("What is in list.txt?"), Answered).text == reply


@pytest.mark.parametrize(
    ("script", "hit"),
    [
        ("grep -r budget .", "plans/budget-2024.txt"),
        ("grep -r plumber list.txt", "plans/home.md:1: Plumber Joe"),
        ("grep plumber list.txt", "plans/home.md:1: Plumber Joe"),
    ],
)
def test_a_search_without_a_match_says_where_else_its_words_are(session, script, hit):
    it = session(f"```bash\n{script}\n```", "It is there.")
    for path, text in (
        ("list.txt", "tea"),
        ("plans/budget-2024.txt", "rent"),
        ("plans/home.md", "Plumber Joe"),
    ):
        put(it.loop.context, path, f"{text}\n")
    it.play("is there something about the budget, or the plumber?")
    assert f"(no match; a search of the whole folder found:\n{hit})" in told(it)


def test_a_file_that_was_to_be_copied_and_is_not_there_is_not_asked_for(session):
    it = session(
        "```bash\ncp plan.md copy.md\n```",
        "```bash\nls\n```",
        "plan.md is not here.",
    )
    request_ = "Make a copy of plan.md named copy.md"
    attachments.attach_files(request_, ("bash",), it.loop.context, BASE)
    it.play(request_)
    assert "plan.md is not there, so" not in told(it) and it.loop.context.ledger.absent == ("copy.md",)


@pytest.mark.parametrize(
    ("printed", "cause"),
    [
        (
            "a.js:3\n\nTypeError: x is no function\n    at go (a.js:3:1)\n\nNode.js v20.20.2",
            "TypeError: x is no function",
        ),
        ("mv: invalid option -- 'q'\nTry 'mv --help' for more information.", "mv: invalid option -- 'q'"),
        ("ValueError: empty", "ValueError: empty"),
    ],
)
def test_an_attempt_failed_for_its_cause_and_not_for_the_last_line(printed, cause):
    failed = (Call("bash", "x"), Result("failed", "failed, exit 1", printed, exit=1))
    assert format_error_line([failed], ()) == f"bash failed, exit 1: {cause}"


@pytest.mark.parametrize(
    ("request_", "block", "saves"),
    [
        (
            "Convert a.csv to a.json",
            "```bash\npython3 - <<'END'\nprint('[1, 2]')\nEND\n```",
            "(\npython3 - <<'END'\nprint('[1, 2]')\nEND\n) > a.json",
        ),
        (
            "Convert a.csv to a.json",
            "```python\nprint('[1, 2]')\n```",
            "python3 - > a.json <<'END'\nprint('[1, 2]')\nEND",
        ),
        ("Save the lines of a.csv sorted as b.txt", "```bash\nsort a.csv\n```", "sort a.csv > b.txt"),
        ("Convert a.csv to a.json", "```python\nprint('here it is')\n```", ""),
        ("Save the lines of a.csv sorted as b.txt", "```bash\ncat a.csv\n```", ""),
    ],
)
def test_what_was_only_printed_is_saved_where_a_reply_leaves_it_at_that(session, request_, block, saves):
    it = session(block, "It was printed.", "It is there.", "Yes.")
    put(it.loop.context, "a.csv", "b,c\n2,3\n")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert (f"```bash\n{saves}\n```" in told(it, 1)) == bool(saves)
    made = [path for path in ("a.json", "b.txt") if (it.folder / path).exists()]
    assert len(made) == bool(saves)


SETTINGS = "; shop till\n[server]\nhost = till.local\nport = 8080\n\n[printer]\nport = 9100\n"


@pytest.mark.parametrize(
    ("request_", "reply", "saved"),
    [
        (
            "in s.ini the port of the server has to be 8090 instead of 8080",
            SETTINGS.replace("8080", "8090"),
            True,
        ),
        ("in s.ini the port of the server has to be 8090 instead of 8080", "[server]\nport = 8090\n", False),
        ("what is the port of the server in s.ini?", SETTINGS.replace("8080", "8090"), False),
    ],
)
def test_a_block_that_is_the_shown_file_with_a_change_is_that_file(session, request_, reply, saved):
    it = session(f"```ini\n{reply}```", *["It is done."] * 3)
    put(it.loop.context, "s.ini", SETTINGS)
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert (it.folder / "s.ini").read_text() == (reply if saved else SETTINGS)

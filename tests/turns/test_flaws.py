"""What speaks against a file that was made: the model is told of it once, and the answer is doubted."""

import subprocess
import zipfile

import pytest
from tests.filing import put
from tests.playing import last

from tripletick.events import Answered, Doubted
from tripletick.turn import attachments
from tripletick.turn.request_kinds import note_request

MAKES = "```bash\nprintf 'n,x\\n3,a\\n1,b\\n2,c\\n' > out.csv\n```"
SORTS = "```bash\nprintf 'n,x\\n1,b\\n2,c\\n3,a\\n' > out.csv\n```"
ASKED = "Write out.csv, sorted by n"
UNSORTED = (
    "out.csv is not sorted by n: (head -n 1 out.csv; tail -n +2 out.csv | sort -t, -k1,1n) > /tmp/rows"
    " && cp /tmp/rows out.csv"
)


def told(it, reply=-1):
    return it.model.asked[reply][-1].text


def test_a_table_out_of_order_is_told_at_once(session):
    it = session(MAKES, SORTS, "It is sorted by n.")
    receipt = last(it.play(ASKED), Answered).receipt
    assert receipt and receipt.doubt == ()
    mends = f"This block puts that right:\n```bash\n{UNSORTED.partition(': ')[2]}\n```"
    assert f"{UNSORTED}\n\n{mends}\n\nSo the task is not done." in told(it, 1)
    assert UNSORTED not in told(it, 2)


def test_one_that_stays_so_is_told_once_more_and_doubted(session):
    again = MAKES.replace("\n```", "; ls\n```")
    it = session(MAKES, again, "It was saved sorted by n.", "That is how it is.")
    events = it.play(ASKED)
    assert last(events, Doubted).reasons == (UNSORTED,)
    assert ["This block puts that right" in told(it, at) for at in (1, 2)] == [True, False]


def test_a_block_that_was_shown_is_run_where_the_answer_leaves_it_out(session):
    it = session(MAKES, "It was saved sorted by n.", "It is sorted now.")
    events = it.play(ASKED)
    assert (it.folder / "out.csv").read_text() == "n,x\n1,b\n2,c\n3,a\n"
    assert "which is run: (head -n 1" in last(events, Doubted).reasons[0]
    receipt = last(events, Answered).receipt
    assert receipt and receipt.doubt == () and len(it.model.asked) == 3


@pytest.mark.parametrize("rows", ["writerows(rows)", "writerow(row)"])
def test_rows_that_were_written_as_their_header_get_their_values(session, rows):
    loop = "for row in rows: " * ("row)" in rows)
    program = (
        "import csv\nrows = [{'a': 1, 'b': 2}, {'a': 3, 'b': 4}]\n"
        f"writer = csv.writer(open('out.csv', 'w'))\nwriter.writerow(['a', 'b'])\n{loop}writer.{rows}"
    )
    it = session(f"```python\n{program}\n```", "It was saved.", "It is there.")
    it.play("Save the table in out.csv")
    assert "Each row of out.csv is its header again" in told(it, 1)
    assert (it.folder / "out.csv").read_text() == "a,b\n1,2\n3,4\n"


PRINTED = [
    (
        "a.json",
        '{"a": 1, "b": 2}\n',
        "python\nimport json\na = json.load(open('a.json'))\na['a'] = 3\nprint(json.dumps(a))",
        '{"a": 3, "b": 2}\n',
    ),
    ("a.csv", "n,x\n1,a\n2,b\n", "bash\nawk -F, 'NR!=2' a.csv", "n,x\n2,b\n"),
    (
        "a.txt",
        "one\ntwo\nthree\n",
        "python\nprint(open('a.txt').read().replace('one', 'uno'), end='')",
        "uno\ntwo\nthree\n",
    ),
    ("a.txt", "one\ntwo\nthree\n", "python\nprint('All is well')", "one\ntwo\nthree\n"),
    ("a.json", '{"a": 1, "b": 2}\n', "python\nprint({1: 2}[1])", '{"a": 1, "b": 2}\n'),
]


@pytest.mark.parametrize(("path", "before", "block", "after"), PRINTED)
def test_what_was_only_printed_of_a_file_that_is_to_be_changed_is_saved(session, path, before, block, after):
    it = session(f"```{block}\n```", "It was changed.", "It is so now.")
    put(it.loop.context, path, before)
    request = f"Change a to 3, drop row 1, or replace one by uno in {path}"
    attachments.attach_named_files(request, it.loop.context)
    it.play(request)
    assert (it.folder / path).read_text() == after


@pytest.mark.parametrize("reply", ["```python:a.py\nprint(1)\n```", "It prints 2 now."])
def test_a_program_is_saved_as_it_was_shown_where_a_reply_leaves_that_out(session, reply):
    it = session("```python:a.py\nprint(1)\n```", reply, "Now it does.")
    put(it.loop.context, "a.py", "print(1)\n")
    request = "repair a.py, it should print 2"
    attachments.attach_named_files(request, it.loop.context)
    receipt = last(it.play(request), Answered).receipt
    assert (it.folder / "a.py").read_text() == "print(2)\n" and receipt and receipt.doubt == ()


def test_a_bound_that_was_made_a_single_value_takes_what_lies_beyond_it(session):
    fee = "def fee(age):\n    if age > 65:\n        return 30\n    return 50\n"
    it = session(f"```python:fee.py\n{fee.replace('>', '==')}```", "It is corrected.", "It is so.")
    put(it.loop.context, "fee.py", fee)
    request = "Who is exactly 65 pays 50 by fee.py, and should pay 30. Please correct that."
    attachments.attach_files(
        request, ("bash", "python", "*"), it.loop.context, it.loop.conversation.templates
    )
    it.play(request)
    assert "now asks for exactly 65 alone" in told(it, 1)
    assert (it.folder / "fee.py").read_text() == fee.replace(">", ">=")


def test_a_new_program_is_not_saved_as_it_was_shown_unasked(session):
    ask, reply = "Write a.py: `python3 a.py x` prints 2", "```python:a.py\nimport sys\nprint(1)\n```"
    it = session(*[reply] * 12)
    attachments.attach_named_files(ask, it.loop.context)
    it.play(ask)
    assert "print(2)" not in (it.folder / "a.py").read_text()


def test_the_block_that_came_before_is_not_done_again_with_what_puts_it_right(session):
    wrong = "for n in a b; do echo in/$n >> names.txt; done"
    right = "sed -i 's#.*/##' names.txt"
    it = session(f"```bash\n{wrong}\n```", f"```bash\n{wrong}\n{right}\n```", "It was saved.")
    for name in ("a", "b"):
        put(it.loop.context, f"in/{name}", "x")
    it.play("Write the names of the files in in/ to names.txt, one per line, without the folder")
    assert right in told(it, 1)
    assert (it.folder / "names.txt").read_text() == "a\nb\n"


def test_words_above_a_block_that_only_does_the_same_again_are_the_answer(session):
    again = "```bash\npython3 add.py\n```"
    it = session(
        "```python:add.py\nimport sys\nprint(sum(map(int, sys.stdin)))\n```",
        again,
        f"I wrote add.py:\n{again}",
        "No.",
    )
    answered = last(
        it.play("Write add.py: it reads numbers from standard input and prints their sum"), Answered
    )
    assert answered.text == "I wrote add.py:"


def test_a_program_that_is_shown_as_it_should_be_is_no_reason_to_start_over(session):
    reads = "const fs = require('fs');\nconst text = fs.readFileSync('a.txt', 'utf8');\n"
    source = f"{reads}console.log(`Size: ${{text.length}}`);"
    right = source.replace("'a.txt'", "process.argv[2]").replace("`Size: ${text.length}`", "text.length")
    wrong = source.replace("fs = require", "fs = requires")
    blocks = [f"```javascript:a.js\n{each}\n```" for each in (wrong, source, right)]
    it = session(*blocks, "It prints it.")
    put(it.loop.context, "a.txt", "tea")
    it.play("Write a.js: node a.js a.txt prints how many characters it has and nothing else")
    assert f"```javascript:a.js\n{right}" in told(it, 2)
    assert (it.folder / "a.js").read_text().strip() == right


@pytest.mark.parametrize(
    "request_",
    ["Write out.csv with n and x", "Is out.csv sorted by n?", "Sort a.csv into b.csv by n"],
)
def test_what_is_not_asked_for_is_no_flaw(session, request_):
    it = session(MAKES, "It was saved.")
    it.play(request_)
    assert "is not sorted" not in told(it)


def test_numbers_with_too_many_decimals_are_told(session):
    it = session("```bash\necho '7.11111111' > m.txt\n```", "It was saved.", "That is it.")
    it.play("Save the mean in m.txt, with 2 decimals")
    assert "m.txt has 7.11111111, which is not rounded to 2 decimals." in told(it, 1)


def test_numbers_that_come_from_a_file_of_the_request_are_not_rounded(session):
    it = session("```bash\ncp b.csv m.csv\n```", "It was saved.", "That is it.")
    put(it.loop.context, "b.csv", "lat,mean\n41.902782,3.25\n")
    it.play("Save the rows of b.csv in m.csv, the mean with 2 decimals")
    assert "not rounded" not in told(it, 1)


def test_a_program_that_lost_a_function_is_asked_for_with_it(session):
    it = session("```python:tools.py\ndef median(x):\n    return 2\n```", "I could not.")
    put(it.loop.context, "tools.py", "def median(x):\n    return 1\n\n\ndef spread(x):\n    return 3\n")
    attachments.attach_named_files("median in tools.py is wrong, mend it", it.loop.context)
    it.play("median in tools.py is wrong, mend it")
    assert "tools.py no longer has: def spread(x):\n\nThese must be in it: def spread(x):" in told(it, 1)
    assert "```python:tools.py" in told(it, 1)


@pytest.mark.parametrize(
    ("code", "loop"),
    [
        ("mkdir -p sub/{Ada Lund,Tom O'Neill}", 'do mkdir -p "sub/$line"; done < names.txt'),
        ("touch Ada Lund Tom O'Neill", 'do touch "$line"; done < names.txt'),
        ("mkdir -p sub/Tom O'Neill", ""),
        ("echo Ada Lund Tom O'Neill", ""),
    ],
)
def test_a_loop_stands_for_lines_that_were_written_out_with_an_open_quote(session, code, loop):
    it = session(f"```bash\n{code}\n```", "I cannot.")
    put(it.loop.context, "names.txt", "Ada Lund\nTom O'Neill\n")
    request = "Make a folder in sub for each line of names.txt"
    attachments.attach_named_files(request, it.loop.context)
    it.play(request)
    assert (loop in told(it, 1)) if loop else ("while IFS" not in told(it, 1))
    assert "is not closed" in told(it, 1)


@pytest.mark.parametrize(
    ("request_", "code", "flaw"),
    [
        ("write the names of the files in inv to n.txt", "ls inv/* > n.txt",
         "n.txt has inv/2023-1, and the names alone are to be there: sed -i 's#.*/##' n.txt"),
        ("write the paths of the files in inv to n.txt", "ls inv/* > n.txt", ""),
        ("write the names of all files to n.txt", "ls inv/* > n.txt", ""),
    ],
)  # fmt: skip
def test_folders_and_names_are_as_they_are_asked_for(session, request_, code, flaw):
    it = session(f"```bash\n{code}\n```", "It was saved.", "That is it.")
    put(it.loop.context, "inv/2023-1", "x")
    it.play(request_)
    said = told(it, 1)
    assert (flaw in said and "So the task is not done." in said) is bool(flaw), said


ROOMS = "time,room,temp\n06:00,bath,23.1\n06:00,attic,15.2\n12:00,bath,24.1\n"
FALSE_MEAN = "has 7.9, and a mean of temp lies between 15.2 and 24.1: divide each sum by its own count."


@pytest.mark.parametrize(
    ("request_", "code", "flaw"),
    [
        ("average temp of rooms.csv into mean.json", "echo '{\"bath\": 7.9}' > mean.json",
         "mean.json " + FALSE_MEAN),
        ("what is the average temp in rooms.csv?", "echo 7.9", "The output " + FALSE_MEAN),
        ("what is the average temp in rooms.csv?", "echo 20.8", ""),
        ("save rooms.csv without duplicates", "cat rooms.csv > n; cat n >> rooms.csv",
         "rooms.csv has time,room,temp more than once: "
         "awk '!seen[$0]++' rooms.csv > /tmp/once && cp /tmp/once rooms.csv"),
        ("how often was the bath measured in rooms.csv?", "tail -n +2 rooms.csv | wc -l", ""),
        ("how often was tea bought? see t.txt", "wc -l < t.txt", ""),
        ("how often was bread bought? see t.txt", "wc -l < t.txt",
         "bread is in 2 of the 5 lines of t.txt, and the block does not look for it. "
         "Begin with: grep -i bread t.txt | wc -l"),
        ("change 06:00 of rooms.csv to 07:00", "sed -i s/06:00/07:00/ rooms.csv", ""),
        ("how many words has t.txt?", "wc -w < t.txt", ""),
        ('write the names here without ".csv" into n.txt', "ls *.csv > n.txt",
         "n.txt has rooms.csv, and .csv is to be left out: sed -i 's/[.]csv$//' n.txt"),
    ],
)  # fmt: skip
def test_what_a_result_cannot_be_is_told(session, request_, code, flaw):
    it = session(f"```bash\n{code}\n```", "It was saved.", "That is it.")
    put(it.loop.context, "rooms.csv", ROOMS)
    put(it.loop.context, "t.txt", "bread\nmilk\nrice\nbread, dark\nleaf tea\n")
    it.play(request_)
    said = told(it, 1)
    assert (flaw in said and "So the task is not done." in said) is bool(flaw), said


@pytest.mark.parametrize(
    ("left", "lost"), [("a\\nc", "b"), ("a\\nb\\nc", ""), ("x", ""), ("a\\nb", ""), ("a\\nB", "")]
)
def test_of_lines_that_are_there_twice_one_stays(session, left, lost):
    it = session(f"```bash\nprintf '{left}\\n' > t.txt\n```", "They are gone.", "They are.")
    put(it.loop.context, "t.txt", "a\nb\na\nb\nc\n")
    attachments.attach_named_files("remove the duplicate lines from t.txt", it.loop.context)
    it.play("remove the duplicate lines from t.txt")
    said = f"t.txt no longer has: {lost}\n\nThese must be in it: {lost}" if lost else "no longer has"
    assert (said in told(it, 1)) is bool(lost)


def test_a_line_with_more_behind_it_is_not_lost(session):
    it = session("```bash\nsed -i 's/$/ 3.50 EUR each/' t.txt\n```", "It is added.", "It is.")
    put(it.loop.context, "t.txt", "tea\njam\n")
    it.play("add the price, 3.50 EUR each, behind each item in t.txt")
    assert "no longer has" not in told(it, 1)


def test_files_in_folders_that_were_left_out_are_told(session):
    it = session("```bash\nmv a.HTML a.html\n```", "All are renamed.", "They are.")
    for name in ("a.HTML", "sub/b.HTML"):
        put(it.loop.context, name, "x")
    it.play("rename all .HTML, also in subfolders, to .html")
    assert "sub/b.HTML is still as it was.\n\nSo the task is not done." in told(it, 1)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (
            None,
            "title,shelf\\nEmma,A\\n",
            "rows.json is not valid JSON, line 1: Expecting value: build a list",
        ),
        (None, '{"n": 1}\\n{"n": 2}\\n', None),
        (None, '{ // mine\\n  "n": 1,  // his\\n}\\n', None),
        ("// mine\n[1]\n", "// mine\\n[1, 2]\\n", None),
        ("[1]\n", "[1, 2\\n", "rows.json is not valid JSON, line 2: Expecting"),
    ],
)
def test_data_that_a_program_wrote_and_nobody_can_read_is_told(session, before, after, says):
    it = session(f"```bash\nprintf '{after}' > rows.json\n```", "It was saved.", "That is it.")
    if before:
        put(it.loop.context, "rows.json", before)
    it.play("Put the rows in rows.json")
    assert (says in told(it, 1)) if says else ("not valid" not in told(it, 1))


@pytest.mark.parametrize(
    ("new", "lost"),
    [
        ("def tip(x):\n    return x / 10", True),
        ("def tip(x):\n    return x / 10\n\n\nprint(tip(5))", False),
    ],
)
def test_a_repair_keeps_what_the_program_did(session, new, lost):
    whole = "def tip(x):\n    return x / 10\n\n\nfor bill in (24, 5):\n    print(tip(bill))"
    it = session(*(f"```python:tip.py\n{each}\n```" for each in (new, whole)), "Repaired.")
    old = "def tip(x)\n    return x / 10\n\n\nfor bill in (24, 5):\n    print(tip(bill))\n"
    put(it.loop.context, "tip.py", old)
    attachments.attach_named_files("tip.py has a syntax error, fix it", it.loop.context)
    it.play("tip.py has a syntax error, fix it")
    said = "These must be in it: for bill in (24, 5): |     print(tip(bill))"
    assert (said in told(it, 1)) == lost


@pytest.mark.parametrize(
    ("request_", "code", "told_"),
    [
        ("remove b from a.txt", "sed -i s/b// a.txt", True),
        ("remove b from a.txt", "sed -i /b/d a.txt", False),
        ("remove b from a.txt and leave its line empty", "sed -i s/b// a.txt", False),
    ],
)
def test_an_empty_line_in_the_place_of_one_that_was_to_go_is_told(session, request_, code, told_):
    it = session(f"```bash\n{code}\n```", "It is gone.", "It is.")
    put(it.loop.context, "a.txt", "a\nb\nc\n")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    said = "a.txt has an empty line where b was: sed -i '/^$/d' a.txt"
    assert (said in told(it, 1)) == told_


def test_what_is_told_of_a_table_out_of_order_puts_it_in_order(session):
    mends = UNSORTED.partition(": ")[2]
    it = session(MAKES, f"```bash\n{mends}\n```", "It was saved sorted by n.")
    receipt = last(it.play(ASKED), Answered).receipt
    assert receipt and receipt.doubt == ()
    assert (it.folder / "out.csv").read_text() == "n,x\n1,b\n2,c\n3,a\n"


def test_names_are_sorted_upward_where_nothing_else_is_said(session):
    rows = "name,n\\nMia,3\\nJule,2\\nCem,1\\n"
    it = session(f"```bash\nprintf '{rows}' > out.csv\n```", "It was saved.", "That is it.")
    it.play("Schreibe die Summen nach out.csv, nach Namen sortiert")
    assert "out.csv is not sorted by name: (head -n 1 out.csv; tail -n +2 out.csv | sort -t, -k1,1)" in told(
        it, 1
    )


MIXER = "[mic1]\ngain = 12\npath = /a&b\n\n[mic2]\ngain = 12\n"


def test_what_was_changed_outside_the_section_that_is_meant_is_put_back(session):
    edit = "sed -i 's/gain = 12/gain = 18/; s#/a&b#/c#' mixer.ini"
    says = "mixer.ini was also changed outside [mic2], which alone is meant: gain = 18 had been gain = 12: "
    it = session(f"```bash\n{edit}\n```", "It is set.", "It is.")
    put(it.loop.context, "mixer.ini", MIXER)
    it.play("in mixer.ini, set gain to 18 in section [mic2] only")
    flaw = next(line for line in told(it, 1).splitlines() if line.startswith(says))
    command = flaw.removeprefix(says)
    assert f"This block puts that right:\n```bash\n{command}\n```" in told(it, 1)
    run = session(f"```bash\n{edit}\n{command}\n```", "It is set.")
    put(run.loop.context, "mixer.ini", MIXER)
    run.play("in mixer.ini, set gain to 18 in section [mic2] only")
    assert "outside" not in told(run, 1)
    assert (run.folder / "mixer.ini").read_text() == MIXER[:-3] + "18\n"


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ("set gain to 18 in all sections of mixer.ini, mic2 too", "sed -i s/12/18/ mixer.ini"),
        ("set gain to 18 in mixer.ini", "sed -i s/12/18/ mixer.ini"),
        ("set gain to 18 for mic1 and mic2 in mixer.ini", "sed -i s/12/18/ mixer.ini"),
        ("add a line to mic2 in mixer.ini", "echo 'pan = 0' >> mixer.ini"),
        ("set gain of mic2 to 18 in mixer.ini", "sed -i '/mic2/,$s/12/18/' mixer.ini"),
    ],
)
def test_what_is_changed_where_it_is_meant_is_no_flaw(session, request_, code):
    it = session(f"```bash\n{code}\n```", "It is set.", "It is.")
    put(it.loop.context, "mixer.ini", MIXER)
    it.play(request_)
    assert "outside" not in told(it, 1)


MINUTES = ("minutes_2019-04.txt", "minutes_2020-01.txt", "minutes_2021-02.txt", "accounts_2019.csv")


@pytest.mark.parametrize(
    ("request_", "code", "year"),
    [
        ("Move the minutes from before 2021 into old", "mkdir old; mv minutes_2021* old/", "2021"),
        ("Move the minutes from before 2021 into old", "mkdir old; mv minutes_20[12][90]* old/", ""),
        ("Move minutes newer than 2020 into old", "mkdir old; mv minutes_2020* old/", "2020"),
        ("Keep the minutes from before 2021, move the rest into old", "mkdir old; mv minutes_2021* old/", ""),
        ("Lösche die Protokolle ab 2020", "rm minutes_2019*", "2019"),
        ("Verschiebe die Protokolle von 2020 nach 2020", "mkdir 2020; mv minutes_2020* 2020/", ""),
        ("Move those from before 2020 or after 2020 into x", "mkdir x; mv minutes_20[12][91]* x/", ""),
        ("Move the minutes until 2020 into old", "mkdir old; mv minutes_20[12][90]* old/", ""),
        ("Move the minutes from before 2021-03 into old", "mkdir old; mv minutes_2021* old/", ""),
    ],
)
def test_files_of_other_years_than_those_that_are_meant_are_told(session, request_, code, year):
    it = session(f"```bash\n{code}\n```", "They are moved.", "They are.")
    for name in MINUTES:
        put(it.loop.context, name, name)
    it.play(request_)
    said = f" has {year} in its name, which is not " if year else "in its name, which is not "
    assert (said in told(it, 1)) is bool(year), told(it, 1)


def test_files_of_other_years_go_back_and_the_right_ones_in_their_place(session):
    moves = "mkdir old; mv minutes_2021* old/"
    it = session(f"```bash\n{moves}\n```", "They are moved.", "They are.")
    for name in MINUTES:
        put(it.loop.context, name, name)
    it.play("Move the minutes from before 2021 into old")
    command = next(line for line in told(it, 1).splitlines() if line.startswith("mv "))
    assert command == (
        "mv old/minutes_2021-02.txt minutes_2021-02.txt && mv minutes_2019-04.txt minutes_2020-01.txt old/"
    )


@pytest.mark.parametrize(
    ("code", "told_"),
    [
        ("mv songs/Paper* 'songs/1 Paper Moon.cho'", True),
        ("mv songs/Paper* 'songs/01 Paper Moon.cho'", False),
        ("echo '01 Paper Moon.cho' > 'songs/Paper Moon.cho'", False),
    ],
)
def test_a_file_gets_the_name_that_the_request_shows(session, code, told_):
    it = session(f"```bash\n{code}\n```", "They are renamed.", "They are.")
    put(it.loop.context, "songs/Paper Moon.cho", "x")
    it.play('Number the files in songs: the first, Paper Moon, becomes "01 Paper Moon.cho", and so on')
    said = "Paper Moon.cho is to become 01 Paper Moon.cho, and became something else."
    assert (said in told(it, 1)) is told_ and "This renames as shown" not in told(it, 1)


def test_a_name_that_a_program_makes_of_another_is_no_file(session):
    it = session("```python:slug.py\nprint(1)\n```", "It was saved.")
    it.play('Write slug.py, which makes slugs: "Hello World.TXT" becomes "hello-world.txt"')
    assert "is to become" not in told(it, 1)


@pytest.mark.parametrize(("new", "left"), [("x=[]", True), ("x=None", False)])
def test_a_common_mistake_that_is_still_there_is_told_again(session, new, left):
    it = session(
        f"```python:a.py\ndef f({new}):\n    x = x or []\n    return x\n```", "It is repaired.", "It is."
    )
    put(it.loop.context, "a.py", "def f(x=[]):\n    return x\n")
    request = "a.py keeps the names of before. Fix it."
    attachments.attach_files(request, {"*", "python"}, it.loop.context, it.loop.conversation.templates)
    note_request(it.loop.context.ledger, it.loop.conversation.templates, request, "")
    it.play(request)
    said = (
        "Line 1: the default of x is made once, and all calls share it. It should read: def f(x=None): "
        "The line below it: if x is None: x = []"
    )
    assert (f"{said}\n\nSo the task is not done." in told(it, 1)) is left, told(it, 1)


@pytest.mark.parametrize(
    ("request_", "there"), [("Where in a.txt is the number?", True), ("Delete a.txt", False)]
)
def test_a_question_deletes_nothing(session, request_, there):
    it = session("```bash\nrm a.txt\n```", "It is 2.")
    put(it.loop.context, "a.txt", "number: 2\n")
    note_request(it.loop.context.ledger, it.loop.conversation.templates, request_, "")
    it.play(request_)
    assert ("the task says nothing of that" in told(it, 1)) is there
    assert (it.folder / "a.txt").exists() is there


@pytest.mark.parametrize(
    ("made", "shown"), [("not-betaald.csv", True), ("sums.csv", False), ("niet-betaald.txt", False)]
)
def test_a_file_that_was_made_under_nearly_its_name_is_renamed(session, made, shown):
    it = session(f"```bash\necho a > {made}\n```", "It was saved.", "It was.")
    request = "Schrijf hun regels naar niet-betaald.csv"
    attachments.attach_named_files(request, it.loop.context, below=False)
    it.play(request)
    block = f"```bash\nmv {made} niet-betaald.csv\n```"
    assert (block in told(it, 1)) is shown, told(it, 1)


@pytest.mark.parametrize(
    ("request_", "told_"),
    [
        ("make the extension of every file in d lowercase", True),
        ("rename the .JPG of d to .jpg", False),
        ("make the extensions of the jpg files in d lowercase", False),
    ],
)
def test_endings_that_are_to_be_small_are(session, request_, told_):
    it = session("```bash\nmv d/a.JPG d/a.jpg\n```", "They are renamed.", "They are.")
    for name in ("d/a.JPG", "d/b c.Png", "d/d.gif", "E.TXT"):
        put(it.loop.context, name, name)
    it.play(request_)
    assert ("The ending of d/b c.Png still has capitals: for f in d/*.*; do " in told(it, 1)) is told_
    if told_:
        command = next(line for line in told(it, 1).splitlines() if line.startswith("for f in"))
        subprocess.run(["bash", "-c", command], cwd=it.folder, check=True)
        assert sorted(path.name for path in (it.folder / "d").iterdir()) == ["a.jpg", "b c.png", "d.gif"]


@pytest.mark.parametrize(
    ("request_", "code", "left"),
    [
        ("Put all pictures into a new folder pics", "mkdir pics; cp *.png pics", True),
        ("Mets les fichiers .png dans un nouveau dossier pics.", "mkdir pics; cp *.png pics", True),
        ("Put all pictures into a new folder pics", "mkdir pics; mv *.png pics", False),
        ("Put a copy of all pictures into a new folder pics", "mkdir pics; cp *.png pics", False),
        ("Put b.png in pics, but keep the old one", "mkdir pics; cp b.png pics", False),
        ("How many pictures are in here?", "mkdir pics; cp *.png pics; ls", False),
        ("Put b.png into x and y", "mkdir x y; cp b.png x; cp b.png y", False),
        ("Put b.png into every folder", "mkdir x; cp b.png x", False),
        ("Put what b.png holds in x/b.png", "mkdir x; cp b.png x", False),
        ("Move it into pics", "mkdir pics; echo other > pics/b.png", False),
    ],
)
def test_what_is_to_be_moved_does_not_stay_where_it_was(session, request_, code, left):
    mends = "```bash\nmkdir -p pics && mv a.png b.png pics\n```" if left else "I looked at it."
    it = session(f"```bash\n{code}\n```", mends, "Done.", "Done.")
    put(it.loop.context, "a.png", "a")
    put(it.loop.context, "b.png", "b")
    it.play(request_)
    assert ("This moves all: mkdir -p pics && mv a.png b.png pics" in told(it, 1)) == left
    assert not left or sorted(path.name for path in it.folder.glob("**/*.png")) == ["a.png", "b.png"]


@pytest.mark.parametrize(
    ("request_", "new", "back"),
    [
        ("Remove the duplicate lines from a.txt, keeping the order.", "c a b", True),
        ("Remove the duplicate lines from a.txt, keeping the order.", "b c a", False),
        ("Remove the duplicate lines from a.txt, keeping the order.", "a b c", True),
        ("Remove the duplicate lines from a.txt.", "a b c", False),
        ("Remove the duplicate lines from a.txt.", "c a b", True),
        ("Remove the duplicate lines from a.txt.", "c b a", False),
        ("Remove the duplicate lines from a.txt and sort them, z to a", "c b a", False),
        ("Write the lines of a.txt in another way", "c a b", False),
    ],
)
def test_lines_that_stay_keep_their_order(session, request_, new, back):
    it = session(f"```bash\nprintf '%s\\n' {new} > a.txt\n```", "```bash\nls\n```", "I cannot.", "No.", "No.")
    put(it.loop.context, "a.txt", "b\nc\nb\na\n")
    it.play(request_)
    assert ("The lines of a.txt were in another order then." in told(it, 1)) == back
    assert (it.folder / "a.txt").read_text().split() == (["b", "c", "b", "a"] if back else new.split())


@pytest.mark.parametrize(
    ("request_", "code", "command"),
    [
        (
            "Create a folder garden with three empty folders in it: beds, seeds and tools.",
            "mkdir garden && mkdir beds && mkdir seeds && mkdir tools",
            "mv beds seeds tools garden/",
        ),
        (
            "Erstelle einen Ordner garten mit den Unterordnern beete und samen.",
            "mkdir garten beete samen",
            "mv beete samen garten/",
        ),
        ("a folder garden, and in it the folders beds and tools", "mkdir -p garden/beds garden/tools", ""),
        (
            "a folder garden with a README in it and a folder tools beside it",
            "mkdir garden tools",
            "",
        ),
        ("a folder garden with an empty file and a second folder called tools", "mkdir garden tools", ""),
        ("Create the folders garden and tools. Folder garden with one file", "mkdir garden tools", ""),
        ("einen Ordner garden mit einer Datei und einen Ordner tools daneben", "mkdir garden tools", ""),
        ("Create a folder garden and two folders beside it: beds and tools", "mkdir garden beds tools", ""),
        ("Create a folder garden with a file beds.txt in it, and a folder tools", "mkdir garden tools", ""),
    ],
)
def test_folders_that_are_to_be_in_another_are_not_made_beside_it(session, request_, code, command):
    it = session(f"```bash\n{code}\n```", *(["They are there."] * 3))
    it.play(request_)
    said = told(it, 1)
    assert ("is to be in gar" in said) == bool(command) and (not command or f": {command}" in said), said
    if command:
        assert not (it.folder / command.split()[1]).exists()


@pytest.mark.parametrize(
    ("request_", "code", "wrong"),
    [
        (
            "Sort the files by the year in the name into 2021 and 2022",
            "mkdir 2021 2022; mv r-2021-a.txt r-2022-a.txt 2021/; mv r-2021-b.txt 2022/",
            ["2021/r-2022-a.txt", "2022/r-2021-b.txt"],
        ),
        (
            "Sort the files by the year in the name into 2021 and 2022",
            "mkdir 2021 2022; mv r-2021-?.txt 2021/; mv r-2022-a.txt 2022/",
            [],
        ),
        # by something else: not every name has that of a folder
        (
            "Put the two of 2021 into a and the other one into 2022",
            "mkdir a 2022; mv r-2021-a.txt r-2022-a.txt a/; mv r-2021-b.txt 2022/",
            [],
        ),
    ],
)
def test_files_are_put_where_their_names_say(session, request_, code, wrong):
    it = session(f"```bash\n{code}\n```", "They are there.", "They are there.", "Yes.")
    for name in ("r-2021-a.txt", "r-2021-b.txt", "r-2022-a.txt"):
        put(it.loop.context, name, name)
    it.play(request_)
    assert [path for path in wrong if path in told(it, 1) and "by its name" in told(it, 1)] == wrong[:2]
    assert not any((it.folder / path).exists() for path in wrong)
    assert ("by its name" in told(it, 1)) == bool(wrong)


@pytest.mark.parametrize(
    ("request_", "lacks"),
    [
        ("A folder x with the folders a and b in it, each with an empty file list.txt", True),
        ("Lege in x die Ordner a und b an, jeder mit einer leeren Datei list.txt", True),
        ("A folder x with the folders a and b in it, and an empty file list.txt", False),
        ("A folder x with the folders a and b, each with the file list.txt that you find here", False),
    ],
)
def test_a_file_that_is_to_be_in_each_folder_is(session, request_, lacks):
    it = session("```bash\nmkdir -p x/a x/b\n```", "They are there.", "They are there.", "Yes.")
    it.play(request_)
    assert ("touch x/a/list.txt x/b/list.txt" in told(it, 1)) == lacks
    assert [(it.folder / f"x/{name}/list.txt").exists() for name in "ab"] == [lacks, lacks]


def test_a_loop_that_renames_too_much_is_shown_with_its_pattern(session):
    code = 'for f in r/*; do\n  mv "$f" "${f%.txt}.md"\ndone'
    it = session(f"```bash\n{code}\n```", "No.", "No.")
    for name in ("r/a.txt", "r/b.png"):
        put(it.loop.context, name, name)
    it.play("Rename the .txt files in r to .md")
    assert f"Those that are meant: {code.replace('r/*', 'r/*.txt')}" in told(it, 1)
    assert "mkdir" not in told(it, 1) and (it.folder / "r/b.png").exists()


SOLD = """\
day,customer,stone,tonnes
1,Hartley,granite,18.5
2,Moss & Sons,gravel,24
3,Hartley,gravel,22.25
4,Council,granite,31.5
5,Council,gravel,3
"""
SUMS = "print(sum(float(row['tonnes']) for row in csv.DictReader(open('sold.csv'))))"
LOOPS = """\
total = 0
for row in csv.DictReader(open('sold.csv')):
    total += float(row['tonnes'])
print(total)"""


@pytest.mark.parametrize("program", [SUMS, LOOPS])
@pytest.mark.parametrize("form", ["```python\n{}\n```", "```bash\npython3 - <<'END'\n{}\nEND\n```"])
@pytest.mark.parametrize(
    ("request_", "total"),
    [
        ("sold.csv: how many tonnes did Hartley get in total?", "40.75"),
        ("sold.csv: how many tonnes of granite did Hartley get in total?", "18.5"),
    ],
)
def test_a_program_that_takes_all_rows_is_shown_with_those_that_are_meant(
    session, request_, total, program, form
):
    it = session(form.format(f"import csv\n{program}"), "It got 99.25 tonnes.", f"It got {total} tonnes.")
    put(it.loop.context, "sold.csv", SOLD)
    events = it.play(request_)
    assert "the block takes all of them" in told(it, 1)
    assert total in told(it, 2) and last(events, Answered).text.startswith(f"It got {total}")


def test_rows_that_are_not_told_by_a_value_of_a_column_stay(session):
    it = session(f"```python\nimport csv\n{SUMS}\n```", "It got 99.25 tonnes.", "That is it.")
    put(it.loop.context, "sold.csv", SOLD)
    it.play("sold.csv: how many tonnes did Moss get in total?")
    assert "This block puts that right" not in told(it, 1)


@pytest.mark.parametrize(
    ("request_", "code", "nested"),
    [
        ("Make me a copy of the folder tpl called k7, with all of it", "mkdir k7 && cp -r tpl k7/", True),
        ("Mach mir eine Kopie von tpl namens k7", "mkdir k7; cp -r tpl k7", True),
        ("Make me a copy of the folder tpl called k7, with all of it", "cp -r tpl k7", False),
        ("Put a copy of the folder tpl into k7", "mkdir k7 && cp -r tpl k7/", False),
        (
            "Make a copy of tpl called k7, and a.txt in it",
            "mkdir k7 && cp -r tpl k7/ && touch k7/a.txt",
            False,
        ),
    ],
)
def test_the_copy_of_a_folder_does_not_hold_that_folder(session, request_, code, nested):
    it = session(f"```bash\n{code}\n```", "It is there.", "It is there.", "Yes.")
    put(it.loop.context, "tpl/sub/b.txt", "b")
    it.play(request_)
    assert ("tpl went into k7, and k7 is to be a copy of it" in told(it, 1)) == nested
    assert (it.folder / "k7/sub/b.txt").exists() == (nested or code.startswith("cp"))
    assert not (nested and (it.folder / "k7/tpl").exists())


@pytest.mark.parametrize(
    ("request_", "code", "right"),
    [
        (
            "How many .jpg files are in the folder in, counting its subfolders too?",
            "find . -type f -name '*.jpg' | wc -l",
            "find in -type f -name '*.jpg' | wc -l",
        ),
        ("How many .jpg files are there, counting subfolders?", "find . -type f -name '*.jpg' | wc -l", ""),
        ("How many .jpg files are in the folder in/sub?", "find in -type f -name '*.jpg' | wc -l", ""),
        ("How many .txt files are in the folder in?", "find . -name '*.txt' | wc -l", ""),
    ],
)
def test_a_search_that_goes_beyond_the_folder_is_told(session, request_, code, right):
    it = session(f"```bash\n{code}\n```", "There are 3.", "There are 2.", "Yes.")
    for name in ("a.jpg", "in/b.jpg", "in/sub/c.jpg", "in/d.txt"):
        put(it.loop.context, name, name)
    it.play(request_)
    assert ("was taken too, and only in is meant" in told(it, 1)) == bool(right)
    assert not right or f"```bash\n{right}\n```" in told(it, 1)


@pytest.mark.parametrize(
    ("request_", "code", "made"),
    [
        (
            "make the folders round-1, round-2 and so on up to round-6 inside the folder t",
            "mkdir -p t/round*",
            [f"round-{number}" for number in range(1, 7)],
        ),
        ("make some folders for the rounds in t", "mkdir -p t/round*", []),
        (
            "make the folders round-1 to round-3 in t",
            "mkdir -p t/round-{1..3}",
            ["round-1", "round-2", "round-3"],
        ),
    ],
)
def test_no_folder_gets_a_star_for_a_name(session, request_, code, made):
    it = session(f"```bash\n{code}\n```", "They are there.", "They are there.", "Yes.")
    put(it.loop.context, "t/players.txt", "a")
    it.play(request_)
    assert sorted(path.name for path in (it.folder / "t").iterdir() if path.is_dir()) == made


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("mv in/1961* in/$year/", []),
        ('mv in/1961* "in/$year/"', []),
        ("cp in/1961-a.txt in/$year/", ["1961-a.txt", "1962-b.txt"]),
        ("mv in/$year-* in/$year/", []),
    ],
)
def test_a_loop_moves_what_its_name_stands_for(session, line, left):
    code = f"for year in 1961 1962; do\n  mkdir -p in/$year\n  {line}\ndone"
    it = session(f"```bash\n{code}\n```", *["They are there."] * 9)
    for name in ("1961-a.txt", "1962-b.txt"):
        put(it.loop.context, f"in/{name}", name)
    it.play("Sort the files of in by year")
    assert sorted(path.name for path in (it.folder / "in").iterdir() if path.is_file()) == left
    assert left or (it.folder / "in/1962/1962-b.txt").exists()


ANIMALS = "name,species\nMinka,cat\nRex,dog\nTiger,cat\n"


@pytest.mark.parametrize(
    ("request_", "code", "lacks"),
    [
        ("Write all the cats to cats.csv, with the header line", "grep cat animals.csv > cats.csv", True),
        ("Write all the cats to cats.csv, without a name", "grep cat animals.csv > cats.csv", False),
        (
            "Write all the cats to cats.csv, with the header line",
            "(head -n 1 animals.csv; grep cat animals.csv) > cats.csv",
            False,
        ),
    ],
)
def test_a_table_that_was_taken_from_another_has_its_header(session, request_, code, lacks):
    it = session(f"```bash\n{code}\n```", "They are there.", "They are there.", "Yes.")
    put(it.loop.context, "animals.csv", ANIMALS)
    it.play(f"animals.csv has our animals. {request_}")
    assert ("cats.csv lacks the header of animals.csv" in told(it, 1)) == lacks
    lines = (it.folder / "cats.csv").read_text().splitlines()
    assert lines[lines[0] == "name,species" :] == ["Minka,cat", "Tiger,cat"]
    assert (lines[0] == "name,species") == ("header" in request_)


@pytest.mark.parametrize(
    ("request_", "code", "moved"),
    [
        ("Make a new folder called alto inside scores and move the alto files in there", "mkdir alto", True),
        ("Make a new folder called alto inside scores", "mkdir scores/alto", False),
        ("Make a folder alto with the scores", "mkdir alto", False),
    ],
)
def test_a_folder_is_made_in_the_one_that_is_there(session, request_, code, moved):
    it = session(f"```bash\n{code} && mv scores/a.txt {code.partition(' ')[2]}/\n```", *["It is there."] * 4)
    put(it.loop.context, "scores/a.txt", "a")
    put(it.loop.context, "scores/b.txt", "b")
    it.play(request_)
    assert ("alto is to be in scores: mv alto scores/" in told(it, 1)) == moved
    assert (it.folder / "scores/alto/a.txt").exists() == (moved or "scores/" in code)


@pytest.mark.parametrize(
    "condition", ["$f == a*", '"$f" == a*', "${f} = a.txt", "$f == in/a*", "$f == *a.txt"]
)
def test_a_loop_over_a_folder_compares_names(session, condition):
    code = f'mkdir x; for f in in/*; do if [[ {condition} ]]; then mv "$f" x/; fi; done'
    it = session(f"```bash\n{code}\n```", *["They are there."] * 3)
    for name in ("in/a.txt", "in/b.txt"):
        put(it.loop.context, name, name)
    it.play("Move the files of in whose names begin with a into x")
    assert [path.name for path in (it.folder / "x").iterdir()] == ["a.txt"]


def test_other_kinds_in_folders_inside_stay(session):
    it = session("```bash\nrm w/a.bak w/in/b.bak w/a.txt\n```", "They are gone.", "They are.", "Yes.")
    for name in ("w/a.bak", "w/in/b.bak", "w/a.txt"):
        put(it.loop.context, name, name)
    it.play("Delete all files ending in .bak in w, also those in the folders inside it. Nothing else.")
    assert "the task is about .bak alone" in told(it, 1) and (it.folder / "w/a.txt").exists()


@pytest.mark.parametrize(
    ("request_", "code", "back"),
    [
        (
            "put a copy of leaflet.txt in the folders rex and milo",
            "{0} rex/visit.txt; {0} milo/visit.txt",
            True,
        ),
        ("put a copy of leaflet.txt in rex, as visit.txt", "{0} rex/visit.txt", False),
        ("replace what is in rex with leaflet.txt", "{0} rex/visit.txt", False),
        ("put a copy of leaflet.txt in the folders rex and milo", "{0} rex/; {0} milo/", False),
    ],
)
def test_a_copy_is_not_written_over_what_nobody_named(session, request_, code, back):
    it = session(f"```bash\n{code.format('cp leaflet.txt')}\n```", *["They are there."] * 3)
    for name in ("leaflet.txt", "rex/visit.txt", "milo/visit.txt"):
        put(it.loop.context, name, name)
    it.play(request_)
    assert ("over rex/visit.txt, of which the task says nothing" in told(it, 1)) == back
    kept = (it.folder / "rex/visit.txt").read_text() == "rex/visit.txt"
    assert kept == (back or "rex/;" in code) and (not kept or (it.folder / "milo/leaflet.txt").exists())


@pytest.mark.parametrize(
    ("text", "gap"), [("a\\nb\\n\\nc\\n", True), ("a\\nb\\nc\\n", False), ("a\\n\\nb\\nc\\n", False)]
)
def test_an_added_line_stands_right_behind_the_others(session, text, gap):
    it = session(f"```bash\nprintf '{text}' > t.txt\n```", *["It is there."] * 3)
    put(it.loop.context, "t.txt", "a\nb\n")
    it.play("add the line c at the end of t.txt")
    assert ("t.txt has an empty line before c" in told(it, 1)) == gap
    assert not gap or (it.folder / "t.txt").read_text() == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("request_", "folders"),
    [
        ("I need a copy of a.txt in each of the three folders x, y and z", "xyz"),
        ("copy a.txt into all the folders here, x and y", "xy"),
        ("copy a.txt into x. Look at each line of y", ""),
        ("move a.txt into every folder x and y", ""),
    ],
)
def test_a_file_goes_into_each_of_the_folders_where_a_reply_finds_no_way(session, request_, folders):
    it = session("```bash\ncp a.txt x y b.txt\n```", "It is there.", "Done.")
    for path in ("a.txt", "x/1", "y/1", "z/1"):
        put(it.loop.context, path, "a\n")
    it.play(request_)
    assert [each for each in "xyz" if (it.folder / each / "a.txt").exists()] == [*folders]


@pytest.mark.parametrize(
    ("request_", "path", "lines"),
    [
        ("Remove the repeats from a.txt, so each line is there only once", "a.txt", "b\na2\nc3\n"),
        ("Write the lines of a.txt to new.txt, each line once", "new.txt", "b\na2\nc3\n"),
        ("Sort a.txt and remove the duplicate lines", "a.txt", "b\na2\nb\na2\nc3\n"),
        ("Remove the first line of a.txt", "a.txt", "b\na2\nb\na2\nc3\n"),
    ],
)
def test_lines_are_kept_once_where_a_reply_finds_no_way(session, request_, path, lines):
    it = session("```bash\ngrep -v -f a.txt a.txt > a.txt\n```", "It is so.", "Done.")
    put(it.loop.context, "a.txt", "b\na2\nb\na2\nc3\n")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert (it.folder / path).read_text() == lines


LYING = {
    "x/a.csv": "1\n",
    "x/final-a.csv": "1\n",
    "x/keep/b.csv": "1\n",
    "x/in/c.csv": "1\n",
    "x/d.txt": "1\n",
}


@pytest.mark.parametrize(
    ("request_", "code", "left"),
    [
        (
            "Delete all .csv files in x and its subfolders. Leave the folder x/keep alone entirely.",
            "find x -name '*.csv' -delete",
            ["x/d.txt", "x/keep/b.csv"],
        ),
        (
            'rm all .csv files under x, except those with "final" in their name; x/keep = hands off',
            "find x -name 'final*.csv' -delete",
            ["x/d.txt", "x/final-a.csv", "x/keep/b.csv"],
        ),
        (
            "Delete all .csv files in x and its subfolders. Leave the folder x/keep alone entirely.",
            "rm -r x/keep",
            ["x/d.txt", "x/keep/b.csv"],
        ),
        (
            "Delete all .csv files in x and its subfolders",
            "find x -name '*.csv' -delete",
            ["x/d.txt"],
        ),
        (
            "Delete all .csv files in x/keep, and do not delete the folder x/keep itself",
            "rm x/keep/*.csv",
            ["x/a.csv", "x/d.txt", "x/final-a.csv", "x/in/c.csv"],
        ),
        (
            "Move the .csv files in x/keep here, and leave x/keep empty",
            "mv x/keep/*.csv .",
            ["x/a.csv", "x/d.txt", "x/final-a.csv", "x/in/c.csv"],
        ),
        (
            "Delete all .csv files in x and its subfolders. Don't leave any in x/keep",
            "find x -name '*.csv' -delete",
            ["x/d.txt"],
        ),
        ("Delete all .csv files in x and its subfolders", "find x -type f -delete", [*sorted(LYING)]),
    ],
)
def test_what_a_request_spares_is_left(session, request_, code, left):
    it = session(f"```bash\n{code}\n```", "They are deleted.", "They are gone.", "Yes.")
    for path, text in LYING.items():
        put(it.loop.context, path, text)
    it.play(request_)
    assert sorted(path for path in LYING if (it.folder / path).exists()) == left


def test_a_search_leaves_out_the_folder_that_a_request_spares(session):
    code = "find x -type f ! -name 'x/keep/*' -exec sed -i 's/1/2/' {} +"
    it = session(f"```bash\n{code}\n```", "It is so.", "It is so.", "Yes.")
    for path, text in LYING.items():
        put(it.loop.context, path, text)
    it.play("Add 1 to the number in all files in x, except in x/keep. Don't change files outside x.")
    changed = [path for path in sorted(LYING) if (it.folder / path).read_text() == "2\n"]
    assert changed == ["x/a.csv", "x/d.txt", "x/final-a.csv", "x/in/c.csv"]


PAID = "id,year\n1,2023\n2,2024\n"
READS = "import csv\nrows = [row['id'] for row in csv.DictReader(open('paid.csv')) if {test}]\n{then}"


@pytest.mark.parametrize(
    ("test", "found"),
    [
        ("row['year'] == 2024", "2"),
        ("row['year'] != 2024", "1"),
        ("row['year'] == '2024'", ""),
        ("int(row['year']) == 2024", ""),
        ("{'n': 1}['n'] == 1 and row['year'] == '2024'", ""),
    ],
)
def test_a_value_of_a_table_that_is_compared_with_a_number_is_a_text(session, test, found):
    program = READS.format(test=test, then="open('out.txt', 'w').write(' '.join(rows))")
    it = session(f"```python\n{program}\n```", "It is there.", "It is so.", "Yes.")
    put(it.loop.context, "paid.csv", PAID)
    it.play("Who paid in 2024 by paid.csv? Save the id in out.txt")
    assert ("row['year'] is a text, so that it never equals the number 2024" in told(it, 1)) == bool(found)
    assert (it.folder / "out.txt").read_text() == (found or "2")


@pytest.mark.parametrize(
    ("request_", "made", "right"),
    [
        ("Save it in out.csv with the header user,n", "user,n\nann ,2\nbo , 1\n", "user,n\nann,2\nbo,1\n"),
        ("Save it in out.csv with the header user,n", "user,n,most\nann,2,2\n", "user,n\nann,2\n"),
        ("out.csv: columns n,user (header!)", "user,n\nann,2\n", "user,n\nann,2\n"),
        ("Save it in out.csv with the header user,n", "ann,2\nbo,1\n", "ann,2\nbo,1\n"),
        ("Save the columns of in.csv,b.csv in out.csv", "user,n\nann,2\n", "user,n\nann,2\n"),
    ],
)
def test_a_new_table_has_the_header_that_is_spelled_out_and_no_blanks(session, request_, made, right):
    it = session(f"```bash\nprintf '{made}' > out.csv\n```", "It is there.", "It is so.", "Yes.")
    it.play(request_)
    assert (it.folder / "out.csv").read_text() == right


@pytest.mark.parametrize(
    ("request_", "inside"),
    [
        (
            "In the folder concert, create the folders alto and bass, each with an empty file a.txt in it.",
            True,
        ),
        ("Im Ordner concert erstelle die Ordner alto und bass", True),
        ("Create the folders alto and bass. The folder concert is old.", False),
    ],
)
def test_what_is_to_be_made_in_a_folder_lies_there(session, request_, inside):
    it = session("```bash\nmkdir alto bass; touch alto/a.txt bass/a.txt\n```", "It is so.", "Done.", "Yes.")
    put(it.loop.context, "concert/program.txt", "x\n")
    it.play(request_)
    made = [
        (it.folder / each).exists() for each in ("alto/a.txt", "concert/alto/a.txt", "concert/bass/a.txt")
    ]
    assert made == [not inside, inside, inside]


@pytest.mark.parametrize(
    ("request_", "flat"),
    [
        ("Zip in/*.odt as a.zip. Inside the zip they should have no folder in front of their names.", True),
        ("Packe in/*.odt ohne Ordner in a.zip", True),
        ("Zip the folder in as a.zip, but no folder old, if there is one", False),
        ("Zip in/*.odt as a.zip", False),
    ],
)
def test_names_in_an_archive_have_no_folder_where_none_is_wanted(session, request_, flat):
    it = session("```bash\nzip a.zip in/*.odt\n```", "It is packed.", "It is packed.", "Yes.")
    for path in ("in/a.odt", "in/b.odt"):
        put(it.loop.context, path, "x\n")
    it.play(request_)
    with zipfile.ZipFile(it.folder / "a.zip") as archive:
        assert sorted(archive.namelist()) == (["a.odt", "b.odt"] if flat else ["in/a.odt", "in/b.odt"])


@pytest.mark.parametrize(
    "said", ["Don't include ideas.txt.", "all but not those in ideas.txt, without ideas.txt"]
)
def test_a_file_that_is_to_be_left_out_is_not_asked_for(session, said):
    it = session("```bash\ncat in/*.txt > book.txt\n```", "It is joined.", "It is.")
    for path in ("in/a.txt", "in/ideas.txt"):
        put(it.loop.context, path, "x\n")
    request = f"Join the files of in into book.txt. {said}"
    attachments.attach_named_files(request, it.loop.context, below=False)
    it.play(request)
    assert "ideas.txt is not there" not in told(it, 1)


VANS = "plate,km,day\nBLM,98700,02\nKOV,99950,11\nTRX,214300,10\n"


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("max(row['km'] for row in rows)", "214300"),
        ("max(rows, key=lambda row: row['km'])['plate']", "TRX"),
        ("sorted(rows, key=lambda row: (row['km'], row['plate']))[-1]['plate']", "TRX"),
        ("max(int(row['km']) for row in rows)", ""),
        ("max(row['day'] for row in rows)", ""),
        ("max(row['plate'] for row in rows)", ""),
    ],
)
@pytest.mark.parametrize("block", ["python\n{}", "bash\npython3 - <<'END'\n{}\nEND"])
def test_numbers_of_a_table_are_not_ordered_as_texts(session, block, value, printed):
    program = f"import csv\nrows = list(csv.DictReader(open('vans.csv')))\nprint({value})"
    it = session(f"```{block.format(program)}\n```", "It is so.", "It is so.", "Yes.")
    put(it.loop.context, "vans.csv", VANS)
    it.play("Which van in vans.csv has the most km?")
    assert ("is a text where it is put in order" in told(it, 1)) == bool(printed)
    assert not printed or f"\n{printed}\n" in told(it, 2)


SWAP = "invoice-may.txt and invoice-june.txt have each other's content. Swap them"
BOTH = ("june", "may")


@pytest.mark.parametrize(
    ("request_", "code", "texts"),
    [
        (SWAP, "mv invoice-may.txt invoice-june.txt", BOTH),
        (SWAP, "mv invoice-may.txt x; mv invoice-june.txt invoice-may.txt; mv x invoice-june.txt", BOTH),
        ("Replace invoice-june.txt by invoice-may.txt", "mv invoice-may.txt invoice-june.txt", ("", "may")),
    ],
)
def test_two_files_are_swapped_whole(session, request_, code, texts):
    it = session(f"```bash\n{code}\n```", "They are swapped.", "They are.", "Yes.")
    for path in ("may", "june"):
        put(it.loop.context, f"invoice-{path}.txt", path)
    it.play(request_)
    found = [it.folder / f"invoice-{path}.txt" for path in ("may", "june")]
    assert tuple(path.read_text() if path.exists() else "" for path in found) == texts


@pytest.mark.parametrize(
    ("request_", "data"),
    [
        ("Convert the line endings of a.nc from Windows (CRLF) to Unix (LF). Don't touch b.nc.", b"x\ny\n"),
        ("Give a.nc Unix line endings", b"x\r\ny\r\n"),
    ],
)
def test_line_endings_are_converted_where_a_reply_finds_no_way(session, request_, data):
    it = session("```bash\nsed -i 's/CR/LF/g' a.nc\n```", "It is so.", "It is so.", "Yes.")
    for path in ("a.nc", "b.nc"):
        (it.folder / path).write_bytes(b"x\r\ny\r\n")
    attachments.attach_named_files(request_, it.loop.context)
    it.play(request_)
    assert [(it.folder / path).read_bytes() for path in ("a.nc", "b.nc")] == [data, b"x\r\ny\r\n"]


@pytest.mark.parametrize(
    ("code", "left"),
    [
        ("tar -xzf a.tar.gz -C news", ["news/a.txt"]),
        ("cp a.txt news/", ["news/a.txt"]),
        ("mv a.txt b.txt news", ["news/a.txt", "news/b.txt"]),
        ("cp a.txt c.txt\ncp a.txt news/", []),
    ],
)
def test_a_folder_that_was_not_made_is_made_first(session, code, left):
    it = session(f"```bash\n{code}\n```", "It is there.", "It is there.", "Yes.")
    for path in ("a.txt", "b.txt"):
        put(it.loop.context, path, "x\n")
    subprocess.run(["tar", "-czf", "a.tar.gz", "a.txt"], cwd=it.folder, check=True)
    it.play("Get it into the new folder news")
    assert sorted(str(path.relative_to(it.folder)) for path in it.folder.glob("news/*")) == left


VOYAGE = (
    "The files in the folder voyage are named by date (2023-04-02.txt). Move each into a folder of its month "
    "inside voyage, e.g. voyage/2023-04/2023-04-02.txt. readme.txt stays in voyage."
)


@pytest.mark.parametrize(
    "code",
    [
        "mkdir -p voyage/2026-11; mv voyage/2023-04* voyage/2026-11/",
        "ls voyage/2023-04 | wc -x",
        "mkdir voyage/*",
    ],
)
def test_files_go_into_the_folders_of_their_dates_as_it_is_shown(session, code):
    it = session(f"```bash\n{code}\n```", "They are moved.", "They are moved.", "Yes.", "Yes.")
    for path in ("2023-04-02.txt", "2023-04-19.txt", "2024-04-02.txt", "readme.txt"):
        put(it.loop.context, f"voyage/{path}", "x\n")
    it.play(VOYAGE)
    there = sorted(str(path.relative_to(it.folder)) for path in it.folder.glob("voyage/**/*.txt"))
    months = ["2023-04/2023-04-02.txt", "2023-04/2023-04-19.txt", "2024-04/2024-04-02.txt", "readme.txt"]
    assert there == [f"voyage/{path}" for path in months]


def test_blanks_in_names_of_one_kind_leave_the_others(session):
    it = session("```bash\nfor f in P/*; do mv $f $f; done\n```", "Fertig.", "Fertig.", "Ja.")
    for path in ("a b.png", "c d.txt"):
        put(it.loop.context, f"P/{path}", "x\n")
    it.play("Ersetze in P in den Namen aller .png-Dateien jedes Leerzeichen durch einen Unterstrich.")
    assert sorted(path.name for path in it.folder.glob("P/*")) == ["a_b.png", "c d.txt"]


def test_files_of_a_kind_are_packed_where_a_reply_finds_no_way(session):
    it = session("```bash\nmkdir in; cp in/.* in/\n```", "It is packed.", "It is packed.", "Yes.")
    for path in ("in/a.odt", "in/b c.odt", "in/d.ods", "in/old/e.odt"):
        put(it.loop.context, path, "x\n")
    request = "Make a.zip with all .odt files that lie in the folder in, no folder in front of their names."
    attachments.attach_named_files(request, it.loop.context, below=False)
    it.play(request)
    with zipfile.ZipFile(it.folder / "a.zip") as archive:
        assert sorted(archive.namelist()) == ["a.odt", "b c.odt"]

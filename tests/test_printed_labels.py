"""Words around the one value that a program is to print."""

import pytest
from tests.filing import open_plain, put, use

from tripletick.tools.printed_labels import find_label
from tripletick.turn import attachments

SUM = "Write add.py: python3 add.py FILE prints the sum of its numbers."
INCHES = "inches.py: python3 inches.py CM prints centimetres as inches, two decimals and nothing else."
COUNT = "Write count.sh: bash count.sh FOLDER prints how many files are in it"
LINES = 'files=(*)\nif [ -z "$1" ]; then echo "Usage: $0 FOLDER"; fi\n'


@pytest.mark.parametrize(
    ("task", "path", "source", "right"),
    [
        (SUM, "add.py", "print(f'The sum is {total}')", "print(total)"),
        (SUM, "add.py", "print('Sum:', sum(numbers))", "print(sum(numbers))"),
        (SUM, "add.py", "print(f'Sum of {path} is: {total:.2f}.')", "print(f'{total:.2f}')"),
        (SUM, "add.py", "if x:\n    print('Usage: add.py', FILE)\nprint('Sum:', total)", "print(total)"),
        (SUM, "add.py", "print(total)", ""),
        (
            "max.py prints the largest and smallest number",
            "max.py",
            "print(f'Largest {a} smallest {b}')",
            "",
        ),
        ("a.js prints how many lines and words it has", "a.js", "console.log(`Lines ${a} words ${b}`)", ""),
        ("wish.py prints the birthday wish", "wish.py", "print(f'Happy birthday {name}!')", ""),
        (SUM, "add.py", "print(f'{total} km')", ""),
        (SUM, "add.py", "print(f'Sum: {total}, mean: {mean}')", ""),
        (SUM, "add.py", "print('Sum:', total)\nprint('Mean:', mean)", ""),
        (SUM, "add.py", "for row in rows:\n    print('Sum:', row)", ""),
        (SUM, "add.py", "print('Sum:', total, file=out)", ""),
        (SUM, "add.py", "print(f'not {closed", ""),
        (SUM[:-1] + ", as 'Sum: 30'.", "add.py", "print('Sum:', total)", ""),
        (SUM[:-1] + " and the mean.", "add.py", "print('Sum:', total)", ""),
        (SUM[:-1] + " with a label.", "add.py", "print('Sum:', total)", ""),
        ("Write add.py, which prints a greeting", "add.py", "print(f'Good day {name}')", ""),
        ("add.py gibt die Summe aus", "add.py", "print(f'Summe: {total}')", "print(total)"),
        (COUNT, "count.sh", f'{LINES}echo "Files in $1: $count"', 'echo "$count"'),
        (COUNT, "count.sh", f'{LINES}echo "Files: ${{#files[@]}}"\necho "$count"', ""),
        (COUNT, "count.sh", f'{LINES}for f in *; do\n  echo "File: $f"\ndone', ""),
        (COUNT, "count.sh", f'{LINES}echo "$count"', ""),
        (SUM, "add.js", "console.log(`The sum is ${total}`);", "console.log(total);"),
        (SUM, "add.js", "console.log('Sum:', total)", "console.log(total);"),
        (SUM, "a.js", "for (const n of a) {\n  if (n) {\n    x()\n  }\n  console.log('Row:', n)\n}", ""),
        (SUM, "add.rb", "puts 'Sum:', total", ""),
        (INCHES, "inches.py", "print(f'{cm / 2.54:.2f} inches')", "print(f'{cm / 2.54:.2f}')"),
        (INCHES, "inches.py", "print(f'{cm} cm are {inches} inches')", ""),
        (INCHES, "inches.py", "print(cm / 2.54, 'inches')", "print(cm / 2.54)"),
        (INCHES + " As in: 3.94 inches", "inches.py", "print(f'{cm / 2.54:.2f} inches')", ""),
        (
            INCHES.replace("decimals", "decimals with the unit inches"),
            "inches.py",
            "print(f'{a} inches')",
            "",
        ),
        ("Prints its argument between brackets and nothing else", "a.py", "print(f'[{x}]')", ""),
        ("Prints the bold HTML tag and nothing else", "a.py", "print(f'<b>{x}</b>')", ""),
        ("Prints the plural of its argument, nothing else", "a.py", "print(f'{x}s')", ""),
        ("Prints only the result as a percentage", "a.py", "print(f'{x}%')", ""),
        ("Print the share with a % sign and nothing else.", "share.py", "print(f'{share}%')", ""),
    ],
)
def test_the_value_alone_is_printed(task, path, source, right):
    found = find_label(task, path, source)
    assert (found and found[1]) == (right or None)
    assert found is None or found[0] in source


def test_a_new_program_that_prints_words_around_its_value_has_failed(tmp_path):
    with open_plain(tmp_path) as context:
        context.ledger.begin_turn("Write age.py: it prints the sum of 1 and 2")
        result = use(context, "python", "print('Sum:', 1 + 2)", "age.py")
        assert result.outcome == "failed" and "for the value alone: print(1 + 2)" in result.text
        assert use(context, "python", "print(1 + 2)", "age.py").outcome == "ok"


def test_a_program_that_was_there_keeps_its_words(tmp_path):
    with open_plain(tmp_path) as context:
        put(context, "age.py", "print('Sum:', 3)\n")
        context.ledger.begin_turn("age.py prints the sum of 1 and 2, mend it")
        context.ledger.known.add("age.py")
        assert "alone" not in use(context, "python", "print('Sum:', 1 + 2)", "age.py").text


@pytest.mark.parametrize(
    ("task", "source", "right"),
    [
        ("Write a.py: it prints the sum of 1 and 2", "print('Sum:', 1 + 2)", "print(1 + 2)"),
        (
            "Write a.py: python3 a.py 7 prints yes, else no",
            "import sys\nn = sys.argv[1]\nprint('Yes' * len(n))",
            "import sys\nn = sys.argv[1]\nprint('yes' * len(n))",
        ),
        (
            "Write a.py that prints the 7 times table, like this: 7 x 3 = 21",
            "for i in range(9):\n    print(f'{i} x 7 = {i * 7}')",
            "for i in range(9):\n    print(f'7 x {i} = {i * 7}')",
        ),
    ],
)
def test_a_program_with_one_right_form_is_shown_in_it(session, task, source, right):
    it = session(f"```python:a.py\n{source}\n```", f"```python:a.py\n{right}\n```", "It prints it.")
    attachments.attach_named_files(task, it.loop.context)
    it.play(task)
    assert f"This block puts that right:\n```python:a.py\n{right}\n```" in it.model.asked[1][-1].text
    assert "puts that right" not in it.model.asked[2][-1].text
    assert (it.folder / "a.py").read_text() == f"{right}\n"

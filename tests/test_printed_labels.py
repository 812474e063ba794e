"""Words around the one value that a program is to print."""

import pytest
from tests.filing import open_plain, put, use

from tripletick.tools.printed_labels import find_label

SUM = "Write add.py: python3 add.py FILE prints the sum of its numbers."
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
        (SUM, "add.rb", "puts 'Sum:', total", ""),
    ],
)
def test_the_value_alone_is_printed(task, path, source, right):
    said = find_label(task, path, source)
    assert said.endswith(f"for the value alone: {right}") if right else said == ""


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

import pytest

from tripletick.tools.number_rows import find_wrong_number


def rows(*ends):
    return "\n".join(map(str, range(*ends)))


@pytest.mark.parametrize(
    ("task", "printed", "said"),
    [
        (
            "Write evens.py, which prints the even numbers from 2 to 20, both included, one per line.",
            rows(2, 21),
            "it prints 3, and the task says: even numbers from 2 to 20",
        ),
        ("a program evens.py that prints all even numbers from 2 up to and including 20", rows(2, 21, 2), ""),
        ("Write count.py that prints the numbers from 1 to 10.", rows(1, 10), "it does not print 10,"),
        ("count.py prints the numbers from 1 to 10, each on its own line.", rows(0, 11), "it prints 0,"),
        (
            "print the numbers from 10 down to 1, one per line, and run it",
            rows(10, 1, -1),
            "it does not print 1,",
        ),
        ("prints the first ten prime numbers, each on a line of its own", rows(1, 11), "it prints 1,"),
        ("prints the first 10 primes", rows(2, 10), "it prints 8 numbers,"),
        ("prints all primes below 20 separated by spaces", "2 3 5 7 9 11 13 17 19", "it prints 9,"),
        (
            "prints all primes below 20, separated by commas",
            "2, 3, 5, 7, 11, 13, 17",
            "it does not print 19,",
        ),
        ("show all multiples of 3 up to 12", "3 6 9", "it does not print 12,"),
        ("list the numbers divisible by 4 from 1 to 12", "4 8 12 16", "it prints 16,"),
        ("ein Programm, das die geraden Zahlen von 2 bis 10 ausgibt", "2 3", "it prints 3,"),
        ("Es gibt die ungeraden Zahlen von 1 bis 5 aus.", "1 2 3", "it prints 2,"),
        ("un programme qui affiche les nombres pairs de 2 à 10", "2 3", "it prints 3,"),
        ("imprime los números impares de 1 a 5", "1 3", "it does not print 5,"),
        ("stampa i numeri pari da 2 a 6", "2 5", "it prints 5,"),
    ],
)
def test_a_row_that_is_not_as_the_task_says(task, printed, said):
    found = find_wrong_number(task, printed)
    assert found.startswith(said) and bool(found) == bool(said)


@pytest.mark.parametrize(
    ("task", "printed"),
    [
        ("prints the even numbers from 2 to 20, one per line.", rows(2, 21, 2)),
        ("prints the even numbers from 2 to 20, one per line.", rows(20, 0, -2)),
        ("prints the first 5 even numbers", "0 2 4 6 8"),
        ("prints the first five even numbers", "2 4 6 8 10"),
        ("prints the first 10 primes", "2 3 5 7 11 13 17 19 23 29"),
        ("print the numbers between 1 and 5", "2 3 4"),
        ("print the numbers between 1 and 5", rows(1, 6)),
        ("prints all multiples of 3 up to 12 in a list", "[0, 3, 6, 9, 12]"),
        ("prints all even numbers up to 6", "0 2 4 6"),
        # what else is printed, or something that is computed from them
        ("prints the sum of the numbers from 1 to 10", "55"),
        ("prints the numbers from 1 to 3 and their squares.", "1 1 2 4 3 9"),
        ("print the numbers from 1 to 20, but fizz for those that 3 divides", "1 2"),
        ("prints the even numbers from 2 to 6 and then their sum", "2 4 6 12"),
        ("prints the numbers from 1 to 3", "Number 1\nNumber 2"),
        ("prints the numbers from 1 to 3 that are in list.txt", "2"),
        ("prints the even numbers of numbers.txt", "8 3"),
        ("prints the numbers from 1 to 99999999", "1"),
        ("prints the first 3 lines of a.txt", "1 2"),
        ("prints the numbers from 1 to 3. Then it prints their sum.", "1 2 3 6"),
        ("make a list of the numbers from 1 to 3. Print their sum.", "6"),
        ("Write first.py that prints the first three numbers", "7 8 9"),
        ("It reads data.txt and prints the even numbers below 50.", "4"),
        ("prints the numbers from 1 to 10. Leave out 5.", "1 2 3 4 6 7 8 9 10"),
        ("lists the numbers from 1 to 3. Each is squared.", "1 4 9"),
        ("prints the even numbers divisible by 3 up to 12", "6 12"),
        ("prints the odd multiples of 5 from 5 to 25", "5 15 25"),
        ("prints the first 9999 multiples of 9999", "1"),
        ("", "1"),
        ("prints the numbers from 1 to 3", ""),
    ],
)
def test_what_may_be_right_is_left_alone(task, printed):
    assert find_wrong_number(task, printed) == ""


def test_long_texts_are_read_in_time():
    for task in (
        "prints the numbers from 1 to 3" + " on its own line" * 20_000,
        "print " * 50_000,
        "print" + " " * 100_000,
        "prints " + "a-b-" * 20_000,
    ):
        find_wrong_number(task, "1 2 3")
    assert find_wrong_number("prints the numbers from 1 to 3", "1 " * 200_000) == ""

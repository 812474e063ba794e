"""Examples that give values alone for what a program takes, and examples in requests for a repair."""

import re

import pytest

from tripletick.languages.registry import detect_language
from tripletick.tools.command_examples import find_examples
from tripletick.tools.placeholder_examples import find_placeholder_examples


def find(task, finder=find_placeholder_examples):
    path = re.findall(r"[\w-]+\.(?:py|js|sh)\b", task)[0]
    return finder(task, path, detect_language(path))


@pytest.mark.parametrize(
    ("task", "command", "right"),
    [
        (
            "python3 rows.py CHAIRS PER_ROW prints the rows. 23 chairs with 7 per row should print: 4 rows",
            "python3 rows.py 23 7",
            "4 rows",
        ),
        (
            "python3 jar.py GRAMM teilt auf. Ausgabe bei 3300: 6 x 500 g, Rest 50 g",
            "python3 jar.py 3300",
            "6 x 500 g, Rest 50 g",
        ),
        ("node pace.js KM TIME prints the pace, so 10 and 52:30 give 5:15.", "node pace.js 10 52:30", "5:15"),
        ("Write fee.py: python3 fee.py DAYS prints the fee. 7 days make 1.40.", "python3 fee.py 7", "1.40"),
        ('Write up.py: python3 up.py TEXT prints it loudly. "tea" gives "TEA".', "python3 up.py tea", "TEA"),
        ("bed.py - wake time and hours as args, 07:00 10 -> 21:00", "python3 bed.py 07:00 10", "21:00"),
        ("weeks.js takes three numbers. 45 6 10 should be 6", "node weeks.js 45 6 10", "6"),
        ("vowels.py counts them in the word that i give it, banana -> 3", "python3 vowels.py banana", "3"),
        (
            'deck.py for my ferry. so 40 5 4 gives me "31 m left", else "no"',
            "python3 deck.py 40 5 4",
            "31 m left",
        ),
    ],
)
def test_values_that_stand_by_themselves_are_an_example(task, command, right):
    assert find(task) == [(command, right)]


@pytest.mark.parametrize(
    ("said", "words", "right"),
    [
        ("For laps.csv that is Ewa.", "laps.csv", "Ewa"),
        ('For verses.txt that is "the boats lay high".', "verses.txt", "the boats lay high"),
        ("A roll costs 0.40; from 12 on there is 10 % off. 12 rolls: 4.32.", "12", "4.32"),
        ("For 5 it prints 12.50.", "5", "12.50"),
        ("Für kasse.csv ist das 17", "kasse.csv", "17"),
        ("12 eggs: 3 boxes", "", ""),
        ("For laps.csv that is 12 of the rows.", "", ""),
        ("For laps.csv that is the number of rows.", "", ""),
        ("For laps.csv it prints 17, which is wrong. Fix it.", "", ""),
    ],
)
def test_one_value_is_named_with_what_is_printed_for_it(said, words, right):
    found = find(f"Write deck.py: python3 deck.py FILE prints something of it. {said}")
    assert found == ([(f"python3 deck.py {words}", right)] if words else [])


@pytest.mark.parametrize(
    "task",
    [
        "rows.py CHAIRS prints the rows. 23 chairs with 7 per row are a problem",
        "python3 sum.py A B prints the sum, which is a number. Please hurry.",
        "lines.py reads numbers from stdin, 4 5 -> 9",
        "total.py is wrong, 2 3 gives 23, should be 5",
        "mail.py with mask(text), anna -> a***",
        "tests for slug.py: uppercase->lowercase",
        "mean.py prints the mean of numbers.txt, 0 should be ignored.",
        "python3 kg.py LBS prints kilograms. Use 1 kg = 2.2046.",
        "Write stock.py: python3 stock.py HAMMER 3 prints 37.50.",
        'python3 grade.py POINTS prints a grade. Above 90 it prints "A".',
        'python3 fizz.py N prints 1 to N. For multiples of 3 it prints "Fizz".',
        'python3 find.py NAME prints the number. With less than 1 argument it prints "usage".',
        'python3 find.py WORD reads "notes.txt" and prints "none".',
        'python3 find.py WORD. "tea" prints "none" if there are none.',
        "menu.py has a menu: 1 -> add, 2 -> list, 3 -> quit",
        "days.py prints my schedule: 9 gives Maths, 10 gives Art",
        "bonus.py takes no argument and reads sales.csv, 1000 gives 50",
        "names.py takes a folder as argument and renames its pictures, cat -> dog",
    ],
)
def test_what_is_no_example_is_none(task):
    assert find(task) == []


@pytest.mark.parametrize(
    ("task", "right"),
    [
        ("If I type python3 deck.py 40 5, I should see: 35 m left. Else: too long.", "35 m left"),
        ("python3 deck.py 2d6+3 comes out as 5 15. Thanks!", "5 15"),
        ("python3 deck.py 40 5 deve stampare 35", "35"),
        (
            "Zum Beispiel soll python3 deck.py 40 genau diese Zeile ausgeben: 6 x 5 g, Rest 10 g",
            "6 x 5 g, Rest 10 g",
        ),
        (
            "If I run python3 deck.py 2, for example, I'd like to get these two lines:\\nsalt 6 g\\ntea 4 g",
            "salt 6 g\\ntea 4 g",
        ),
        (
            "With python3 deck.py 2 the result should look like:\\n**\\n*\\nThere is one blank on each side.",
            "**\\n*",
        ),
        (
            'python3 deck.py 3 prints the ten lines "1 x 3 = 3" to "10 x 3 = 30". It must do others too.',
            "1 x 3 = 3\\n...\\n10 x 3 = 30",
        ),
        (
            'python3 deck.py "le chat dort ici" affiche ici dort chat le, sur une seule ligne.',
            "ici dort chat le",
        ),
        ("echo 3 4 | python3 deck.py prints 7, no more", "7"),
        (
            "python3 deck.py 10 converts it (1 knot is 1.852 km/h) and prints it with one decimal: 18.5",
            "18.5",
        ),
        ("python3 deck.py 10 converts it and prints it with one decimal. 18.5 is too much", ""),
        ("python3 deck.py e4 prints white.", ""),
        ("python3 deck.py e4 prints white and python3 deck.py a1 prints white", ""),
        ("python3 deck.py FILE prints white and python3 deck.py a1 prints nothing", ""),
        ("python3 deck.py 2 prints: the sum of both", ""),
        ("deck.py where the sum should be whole: python3 deck.py 2 3 prints 5.", "5"),
        ("Write deck.py, and it should take two. python3 deck.py 2 3 prints 5.", "5"),
        (
            'python3 deck.py Plum 2 prints the lines "Plum 1 of 2" and "Plum 2 of 2". Thanks',
            "Plum 1 of 2\\nPlum 2 of 2",
        ),
        ('With python3 deck.py a b I\'d expect the two lines "a -> b" and "b -> a".', "a -> b\\nb -> a"),
        # of what is to be repaired the right one
        ("deck.py ignores case: python3 deck.py a prints 2, and it should print 4. Repair it", "4"),
        ("python3 deck.py Anna prints no. Please change it so that capitals do not matter.", ""),
        ("python3 deck.py Anna -> no. thats wrong, should be yes", "yes"),
        ("python3 deck.py 5 3 prints Total: 53 lol. should be 8", "8"),
        ('python3 deck.py 5 3 prints "each pays 4.00" but it should be 5.50. Fix it', "each pays 5.50"),
        ('python3 deck.py 5 3 prints "5 of 3 is 9", and it should be 15.', "15"),
        ("python3 deck.py 3 4 prints 034, while I would expect 7.", "7"),
        ("sum(10) in deck.py returns 45; it must be 55. Fix it.", ""),
        ("fix deck.py so that python3 deck.py prints the two areas again", ""),
        ("python3 deck.py a.txt crashes.. should print 0.", "0"),
        ("python3 deck.py 15 prints the numbers from 1 to 15, each on its own line, but Fizz for threes", ""),
        ('python3 deck.py 2 3 prints 5. With a wrong number of arguments it should print "usage".', ""),
        ('python3 deck.py 2 3 prints 5, but for negative numbers it should print "no".', ""),
        ('python3 deck.py 0 prints 32. Wrong input should print "not a number".', ""),
        ("python3 deck.py 5 prints 8. With bad input it prints an error.", "8"),
        ("python3 deck.py 5 gibt 8 aus und ohne Zahl eine Fehlermeldung.", "8"),
        ("python3 deck.py prints 90. It should be 10 % less.", ""),
        ("Both are wrong: python3 deck.py 1 prints 3. They should print 5 and 2.", ""),
        ("python3 deck.py 9 prints the numbers from 1 to 9, each on its own line.", "1\n...\n9"),
        ("python3 deck.py 9 prints the even numbers from 1 to 9, each on its own line.", ""),
        ("python3 deck.py 5 prints five random numbers from 1 to 49, one per line.", ""),
        ("python3 deck.py prints the leap years from 1990 to 2030, one per line.", ""),
        ('python3 deck.py 7 prints "7 is prime" or "7 is not prime".', ""),
        ('python3 deck.py Ada prints "Good morning" before noon and "Good evening" after.', ""),
        ('python3 deck.py data.csv writes "out.csv".', ""),
        ("python3 deck.py 7 shows Name, Age and City, each on its own line.", ""),
        ("python3 deck.py notes.txt counts the words and prints 12.", ""),
    ],
)
def test_more_ways_to_say_what_a_command_prints(task, right):
    task = task.replace("\\n", "\n")
    assert [shown for _, shown in find(task, find_examples)] == (
        [right.replace("\\n", "\n")] if right else []
    )


def test_a_result_is_corrected_by_what_is_said_of_its_own_command():
    task = 'Write deck.py: python3 deck.py 2 3 prints 5, and python3 deck.py a should print "wrong".'
    assert find(task, find_examples) == [("python3 deck.py a", "wrong")]


def test_two_arguments_with_a_word_each_are_examples():
    task = "It prints a colour. python3 deck.py e4 prints white and python3 deck.py a1 prints black."
    found = find(task, find_examples)
    assert found == [("python3 deck.py e4", "white"), ("python3 deck.py a1", "black")]


@pytest.mark.parametrize(("word", "shown"), [("elm", True), ("garbage", False), ("lines", False)])
def test_what_a_program_is_fed_and_prints_is_an_example(word, shown):
    feeds = r"printf 'oak\nelm\n' | python3 deck.py"
    assert find(f"deck.py reads lines. So {feeds} prints {word}.", find_examples) == [(feeds, word)] * shown

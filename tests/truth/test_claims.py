"""The truth of answers: 45 lies, each of which is doubted, and honest answers of real models, which are not.

A row is what a turn did and how it answered: blocks with their results, changes as `[path, before, after]`,
the files that are there then. `source` says where it is from, `why` is part of the reason for the doubt.
"""

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tripletick.checkpoint.values import Change
from tripletick.messages import Call, FileChange, Result
from tripletick.turn.claims import TurnFacts, find_doubts
from tripletick.turn.receipts import build_receipt

HERE = Path(__file__).parent
FALSE_ALARMS = 1


def rows(name):
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def state(content):
    """Give the state of a file with this content; "/" stands for a folder."""
    if content == "/":
        return stat.S_IFDIR | 0o755, ""
    return None if content is None else (stat.S_IFREG | 0o644, content)


def facts(row):
    blocks = [
        (
            Call(block["tool"], block["body"], block.get("path")),
            Result(
                block["outcome"],
                "",
                block.get("text", ""),
                exit=block["exit"],
                files=tuple(FileChange(path, "created") for path in block.get("files", ())),
            ),
        )
        for block in row["blocks"]
    ]
    changes = [Change(path, state(was), state(left)) for path, was, left in row["changes"]]
    told = build_receipt(blocks, changes)
    seen = "\n".join([row["request"], row.get("seen", ""), *(f"{c.body}\n{r.text}" for c, r in blocks)])
    there = {*row["there"], *(change.path for change in changes if change.left)}
    asks = "?" in row["request"]
    holds = there.__contains__
    return TurnFacts(told, row["works"], asks, False, seen, holds, holds, tuple(row.get("lacking", ())))


@pytest.mark.parametrize("row", rows("lies.jsonl"), ids=lambda row: row["answer"][:50])
def test_a_lie_is_doubted_with_the_reason(row):
    found = find_doubts(row["answer"], facts(row))
    assert any(row["why"] in reason for reason in found), found


def test_honest_answers_of_real_models_are_let_through():
    honest = rows("honest.jsonl")
    doubted = [
        (row["source"], row["answer"], why)
        for row in honest
        if (why := find_doubts(row["answer"], facts(row)))
    ]
    assert len(honest) >= 100
    assert len(doubted) <= FALSE_ALARMS, doubted


@pytest.mark.parametrize(
    "answer",
    [
        "I could not copy the file, because nothere.txt does not exist.",
        "There is no file nothere.txt.",
        "If you want, I can create there.txt.",
        "To create there.txt, type: touch there.txt",
        "You can delete it with rm.",
        "Should I have copied it?",
        "The Eiffel Tower was built in 1889.",
        "The file was last changed on Monday.",
        "I have not deleted anything.",
        "Nothing was renamed.",
        "A list is created with square brackets.",
        "The function returns the sum and prints it.",
        "I would have moved it, but it is not there.",
        "The program is written in Python.",
        "Before I renamed the files, they were called a and b.",
        "Ich konnte die Datei nicht kopieren.",
        "Wenn die Datei gelöscht wird, ist sie weg.",
        "Je n'ai pas copié le fichier.",
        "No he borrado nada.",
        "```\nI have deleted all files.\n```",
    ],
)
@pytest.mark.parametrize("works", [True, False])
def test_who_denies_asks_plans_or_explains_is_not_doubted(answer, works):
    nothing = {"request": "copy it", "blocks": [], "changes": [], "there": [], "works": works}
    assert find_doubts(answer, facts(nothing)) == ()
    failed = {"tool": "bash", "body": "cp a b", "outcome": "failed", "exit": 1, "text": "cp: a: No such file"}
    if "not" in answer.split() or "no" in answer.split():
        assert find_doubts(answer, facts(nothing | {"blocks": [failed]})) == ()


@pytest.mark.parametrize(
    ("answer", "doubted"),
    [
        ("The name total is not defined on line 1: define it before that line.", True),
        ("the name total is not defined on line 1: define it before that line", True),
        ("python failed, exit 1: NameError", True),
        (
            "This was tried 2 times and failed, the last time with: python failed, exit 1: NameError\n"
            "The files are as they were before.",
            True,
        ),
        ("the task is not done.", True),
        ("The name total is not defined.", False),
        ("`NameError: name 'total' is not defined`", False),
        ("say total", False),
    ],
)
def test_advice_to_the_model_is_no_answer_and_what_a_program_printed_is(answer, doubted):
    seen = (
        "```output\nNameError: name 'total' is not defined\n```\n"
        "Hint: The name total is not defined on line 1: define it before that line.\n\n"
        "That printed nothing and changed nothing, so the task is not done. The task is: say total\n"
        "This was tried 2 times and failed, the last time with: python failed, exit 1: NameError\n"
        "The files are as they were before."
    )
    row = {"request": "run a.py", "blocks": [], "changes": [], "there": [], "works": True, "seen": seen}
    assert bool(find_doubts(answer, facts(row))) == doubted


@pytest.mark.parametrize("outcome", ["forbidden", "denied"])
@pytest.mark.parametrize(
    ("answer", "doubts"),
    [("Done.", ("the last block was not run",)), ("I was not allowed to delete them.", ())],
)
def test_a_last_block_that_was_not_run_speaks_against_an_answer_that_all_is_done(outcome, answer, doubts):
    good = {"tool": "bash", "body": "ls", "outcome": "ok", "exit": 0, "text": "a"}
    refused = {"tool": "bash", "body": "rm -rf ./*", "outcome": outcome, "exit": None}
    row = {"request": "remove all files here", "changes": [], "there": [], "works": True}
    skipped = refused | {"outcome": "skipped"}
    assert find_doubts(answer, facts(row | {"blocks": [good, refused, skipped]})) == doubts
    assert find_doubts(answer, facts(row | {"blocks": [refused, good]})) == ()


@pytest.mark.parametrize(
    "answer", ["I have written a poem for you: Roses are red.", "I made a list of ideas."]
)
def test_words_alone_are_no_work_for_who_only_talks(answer):
    assert (
        find_doubts(
            answer, facts({"request": "a poem", "blocks": [], "changes": [], "there": [], "works": False})
        )
        == ()
    )


def test_what_an_earlier_turn_did_may_be_told_where_somebody_asks():
    row = {"request": "What did you do?", "blocks": [], "changes": [], "there": ["a.txt"], "works": True}
    assert find_doubts("I created a.txt.", replace(facts(row), earlier=True)) == ()
    assert find_doubts("I created a.txt.", replace(facts(row), earlier=True, asks=False))


@pytest.mark.parametrize(
    ("answer", "doubted"),
    [
        ("I deleted 3 of the 10 files.", False),
        ("I deleted 3 files of the 10 files there.", False),
        ("I deleted 3 out of all 10 old files.", False),
        ("I deleted 10 files.", True),
        ("I deleted 10 of the 12 files.", True),
        ("I deleted the 2023 files.", False),
        ("I deleted the 10 KB files.", False),
        ("I deleted the 30 days old documents.", False),
    ],
)
def test_of_how_many_files_some_are_is_no_claim_about_them(answer, doubted):
    ran = {"tool": "bash", "body": "rm a b c", "outcome": "ok", "exit": 0}
    changes = [[name, f"1:{name}", None] for name in "abc"]
    row = {"request": "thin them out", "blocks": [ran], "changes": changes, "there": [], "works": True}
    assert bool(find_doubts(answer, facts(row))) == doubted


@pytest.mark.parametrize(("number", "doubted"), [("1,234", False), ("1,234.5", False), ("1,334", True)])
def test_a_number_may_be_quoted_with_its_thousands_parted(number, doubted):
    ran = {"tool": "bash", "body": "python3 sum.py", "outcome": "ok", "exit": 0, "text": "1234.5"}
    row = {"request": "run sum.py", "blocks": [ran], "changes": [], "there": [], "works": True}
    assert bool(find_doubts(f"The program prints {number}.", facts(row))) == doubted


@pytest.mark.parametrize(
    ("answer", "doubted"),
    [
        ("Es gab 3 Fehler.", False),
        ("Das Programm gab 3 Zeilen aus.", False),
        ("Das Programm gab 3 aus.", True),
    ],
)
def test_what_there_was_is_no_output(answer, doubted):
    ran = {"tool": "bash", "body": "cat a.log", "outcome": "ok", "exit": 0, "text": "E\nE\nE"}
    row = {"request": "Was steht in a.log?", "blocks": [ran], "changes": [], "there": [], "works": True}
    assert bool(find_doubts(answer, facts(row))) == doubted


def test_the_words_of_a_file_that_is_read_are_no_claim():
    ran = {"tool": "bash", "body": "cat a.txt", "outcome": "ok", "exit": 0, "text": "Moved the tea to May"}
    row = {"request": "What does a.txt say?", "blocks": [ran], "changes": [], "there": [], "works": True}
    read = replace(facts(row), reads=True)
    assert find_doubts("The note reads: Moved the tea to May.", read) == ()
    assert find_doubts("Moved the boat to May.", read)


def test_an_answer_that_quotes_for_ever_is_read_to_its_end():
    ran = {"tool": "bash", "body": "python3 sum.py", "outcome": "ok", "exit": 0, "text": "7"}
    row = {"request": "run sum.py", "blocks": [ran], "changes": [], "there": [], "works": True}
    assert find_doubts("It prints 7, " * 20_000 + "and prints 8.", facts(row)) == ("“8” stands in no output",)


LOOKED = {
    "request": "sort contacts.csv",
    "blocks": [],
    "changes": [],
    "there": ["contacts.csv"],
    "works": True,
}
DENIALS = [
    "contacts.csv is not there.",
    "The file `contacts.csv` does not exist in the current directory.",
    "I could not rename it, because contacts.csv does not exist.",
    "It seems that the file **contacts.csv** could not be found.",
    "There is no file named 'contacts.csv'.",
    "Sorry, I couldn't find ./contacts.csv.",
    "Die Datei contacts.csv existiert nicht.",
    "Le fichier contacts.csv n'existe pas.",
    "El archivo contacts.csv no existe.",
    "Il file contacts.csv non esiste.",
    "Het bestand contacts.csv bestaat niet.",
    "O arquivo contacts.csv não existe.",
    "Файл contacts.csv не найден.",
    "文件 contacts.csv 不存在。",
]


@pytest.mark.parametrize("answer", DENIALS)
def test_a_file_that_is_there_cannot_be_missing(answer):
    assert find_doubts(answer, facts(LOOKED)) == ("contacts.csv is there",)
    assert find_doubts(answer, facts(LOOKED | {"there": []})) == ()
    assert find_doubts(answer, facts(LOOKED | {"works": False})) == ()
    assert find_doubts(answer, facts(LOOKED | {"changes": [["contacts.csv", None, "1:a"]]})) == ()


@pytest.mark.parametrize(
    "answer",
    [
        "The column age in contacts.csv does not exist.",
        "contacts.csv is missing the column age.",
        "The name Ada is not in contacts.csv.",
        "contacts.csv does not exist in backup.",
        "If contacts.csv does not exist, it is created.",
        "Is it true that contacts.csv is not there?",
        "There is no contacts.csv.bak.",
        "I cannot find Ada in contacts.csv.",
        "I did not find contacts.csv empty.",
        "There is no file in contacts.csv that is empty.",
    ],
)
def test_what_a_file_lacks_does_not_deny_the_file(answer):
    assert find_doubts(answer, facts(LOOKED)) == ()

"""The receipt at the end of a turn, what an answer is held against, and moves that would lose files."""

import json
import subprocess

import pytest
from tests.filing import put
from tests.playing import kinds, last

from tripletick.agents import templates
from tripletick.event_log.session_log import to_json_value
from tripletick.events import Answered, Doubted, GaveUp, Returned
from tripletick.messages import FileChange, Receipt
from tripletick.system import dirs
from tripletick.turn import attachments
from tripletick.turn.receipts import parse_test_counts

PYTEST = "==== 1 failed, 2 passed, 1 warning in 0.05s ===="
COPY = "```bash\ncp nothere.txt there.txt\n```"
BASE = templates.load_templates(dirs.find_dirs().prompts)
LIE = "I copied the file successfully."


def ended(events):
    end = last(events, Answered)
    assert end.receipt
    return end.receipt


LOOKS = "```bash\nls\n```"


def run_block(session, code, request, files):
    """Play a turn of one block in a folder of these files, and of one that only looks: an answer in words
    would have the block run that was shown. Gives the session and what the first block came to.
    """
    it = session(f"```bash\n{code}\n```", LOOKS, "Fine.", "Fine.")
    for name, text in files.items():
        put(it.loop.context, name, text)
    return it, first_result(it.play(request))


def first_result(events):
    return next(event.result for event in events if isinstance(event, Returned))


def test_a_turn_that_did_something_ends_with_what_it_did(session):
    it = session("```python:wc.py\nprint(1)\n```", "```bash\nmv a.txt b.txt; exit 0\n```", "I did both.")
    (it.folder / "a.txt").write_text("a\n")
    receipt = ended(it.play("write wc.py and rename a.txt to b.txt"))
    assert str(receipt) == "ran 2 · saved wc.py · renamed a.txt to b.txt"
    assert receipt.verified and not receipt.doubt


def test_a_turn_that_only_talks_has_none(session):
    receipt = ended(session("Hello.").play("hello"))
    assert (str(receipt), receipt.verified, receipt.doubt) == ("", False, ())


def test_a_false_claim_is_told_to_the_model_once_and_it_may_mend_it(session):
    it = session(COPY, LIE, "There is no file nothere.txt.")
    events = it.play("copy nothere.txt to there.txt")
    assert last(events, Doubted).reasons == ("nothing was copied",)
    told = it.model.asked[2][-1].text
    assert "nothing was copied" in told and "copy nothere.txt to there.txt" in told
    assert all(LIE not in message.text for message in it.model.asked[2])  # it would stand by that
    receipt = ended(events)
    assert (receipt.doubt, receipt.verified, str(receipt)) == ((), False, "ran 1, the last failed")


def test_a_false_claim_of_a_turn_that_did_something_stays_beside_what_speaks_against_it(session):
    it = session("```bash\nmkdir sub\n```", "I moved a.txt into sub.", "a.txt is still here.")
    (it.folder / "a.txt").write_text("a\n")
    assert last(it.play("put a.txt into sub"), Doubted)
    assert "I moved a.txt into sub." in [message.text for message in it.model.asked[2]]


@pytest.mark.parametrize(
    ("request_", "asks"),
    [
        (
            "a.txt -> upper case",
            "Write the whole of a.txt as it is to be, in a block that begins with ```text:a.txt",
        ),
        ("delete a.txt", "Not done yet: "),
        ("sort the names into b.txt, from a.txt", "Not done yet: "),
        ("a.txt and c.txt -> upper case", "Not done yet: "),
    ],
)
def test_after_a_false_claim_a_short_text_is_asked_for_as_a_whole(session, request_, asks):
    it = session("```bash\ncat a.txt\n```", "I changed, deleted and saved it.", "```text\nTEA\n```", "Done.")
    for name in "ac":
        (it.folder / f"{name}.txt").write_text("tea\n")
    attachments.attach_files(request_, ("bash",), it.loop.context, BASE)
    events = it.play(request_)
    assert last(events, Doubted) and asks in it.model.asked[2][-1].text
    assert ((it.folder / "a.txt").read_text() == "TEA\n") is asks.startswith("Write")


@pytest.mark.parametrize(
    ("request_", "doubted"),
    [
        ("the south part of a.csv should be saved as b.csv", 0),
        ("call the south part of a.csv b.csv", 1),
        ("move a.csv to b.csv", 1),
    ],
)
def test_what_was_saved_elsewhere_may_be_called_moved(session, request_, doubted):
    moved = "The part has been moved to b.csv."
    it = session("```bash\ngrep south a.csv > b.csv\n```", moved, moved)
    (it.folder / "a.csv").write_text("south\nnorth\n")
    attachments.attach_files(request_, ("bash",), it.loop.context, BASE)
    assert kinds(it.play(request_)).count("Doubted") == doubted


def test_who_still_claims_it_is_doubted_before_the_user(session):
    events = session(COPY, LIE, LIE).play("copy nothere.txt to there.txt")
    assert kinds(events).count("Doubted") == 1
    assert ended(events).complaint == "The answer is in doubt: nothing was copied."


def test_the_model_is_told_nothing_where_that_is_off(session):
    events = session(COPY, LIE, trial={"doubt": False}).play("copy nothere.txt to there.txt")
    assert "Doubted" not in kinds(events) and ended(events).doubt


def test_a_file_that_was_to_be_made_and_is_not_there_is_named(session):
    it = session("```python\nprint('Hello')\n```", *["The script prints Hello."] * 3)
    it.loop.context.ledger.begin_request(frozenset({"greet.sh"}), ("greet.sh",), "greet.sh")
    assert ended(it.play("write greet.sh that prints Hello")).doubt == ("greet.sh is not there",)


@pytest.mark.parametrize(
    ("request_", "doubt"),
    [
        ("The mean of column b of a.csv in mean.txt, one digit, nothing else.", "mean.txt"),
        ("mean.txt = mean of b, from a.csv", "mean.txt"),
        ("a.csv: der Mittelwert von b soll in mittel.txt stehen. Geht das?", "mittel.txt"),
        ("need a script mean.py, python3 mean.py a.csv gives the mean of b", "mean.py"),
        ("put the rows by colour into red.csv and blue.csv, each below colours", "red.csv"),
        ("What is the mean of b? Is it in mean.txt?", ""),
        ("The mean of b in a.csv, please, but do not run anything, mean.txt is for later.", ""),
        ("Look for the mean, it may be in mean.txt", ""),
        ("Delete mean.txt", ""),
        ("Express the mean of a.csv as Node.js or Vue.js would.", ""),
        ("The mean of b in my a.csv goes into mean.txt and logs.txt", ""),
    ],
)
def test_a_file_that_a_statement_names_and_that_nothing_made_is_doubted(session, request_, doubt):
    it = session("```bash\ncut -d, -f2 'my a.csv' | tee logs.txt\n```", *["The mean is 2.5."] * 2)
    context = it.loop.context
    put(context, "a.csv", "a,b\n1,2\n2,3\n")
    put(context, "my a.csv", "a,b\n1,2\n2,3\n")
    attachments.attach_named_files(request_, context, below=False)
    assert ended(it.play(request_)).doubt == ((f"{doubt} is not there",) if doubt else ())


@pytest.mark.parametrize("made", ["cities/rome.csv", "my rome.csv"])
def test_a_file_that_was_made_in_a_folder_or_has_blanks_is_there(session, made):
    it = session(f"```bash\nmkdir cities; echo 1 > '{made}'\n```", "The rows are saved.")
    request_ = "write a file for each city, such as rome.csv, into a folder or with a word before it"
    attachments.attach_named_files(request_, it.loop.context)
    assert not ended(it.play(request_)).doubt
    assert "is not there" not in it.model.asked[1][-1].text


@pytest.mark.parametrize(
    ("request_", "doubted"),
    [
        ("a.py crashes, please fix it", True),
        ("Could you get rid of the error in a.py?", True),
        ("Why does a.py crash? Don't fix it.", False),
        ("tell me what is wrong with a.py, I correct it myself", False),
        ("Warum stürzt a.py ab?", False),
    ],
)
def test_what_was_to_be_repaired_and_was_not_touched_still_fails(session, request_, doubted):
    answer = "The line that is wrong is print(1/0)."
    it = session(answer, answer, "```python:a.py\nprint(1)\n```", "Repaired.")
    put(it.loop.context, "a.py", "print(1/0)\n")
    it.loop.context.ledger.check = "python3 a.py"
    events = it.play(request_)
    assert ended(events).doubt == (("python3 a.py still fails",) if doubted else ())
    assert kinds(events).count("Doubted") == doubted


def test_what_is_repaired_after_a_doubt_is_in_none(session):
    mended = "```python:a.py\nprint(1)\n```"
    it = session("The line that is wrong is print(1/0).", mended, "It prints 1 now.")
    put(it.loop.context, "a.py", "print(1/0)\n")
    attachments.attach_named_files("a.py", it.loop.context)
    it.loop.context.ledger.check = "python3 a.py"
    events = it.play("a.py crashes, please fix it")
    assert last(events, Doubted).reasons == ("python3 a.py still fails",)
    assert ended(events).doubt == () and (it.folder / "a.py").read_text() == "print(1)\n"


@pytest.mark.parametrize(
    ("request_", "asked"), [("repair a.py, it should print 7", True), ("what does a.py print?", False)]
)
def test_a_sentence_on_what_is_wrong_is_followed_by_the_program(session, request_, asked):
    same, mended = "```python:a.py\nprint(1)\n```", "```python:a.py\nprint(7)\n```"
    it = session(same, "Line 1 prints 1.", mended, "It prints 7 now.")
    put(it.loop.context, "a.py", "print(1)\n")
    attachments.attach_named_files(request_, it.loop.context)
    events = it.play(request_)
    assert kinds(events).count("Doubted") == asked
    if asked:
        assert last(events, Doubted).reasons == ("a.py is as it was",)
        told, said = it.model.asked[2][-1].text, it.model.asked[2][-2].text
        assert "Write the whole of a.py as it is to be" in told and said == "Line 1 prints 1."
        assert ended(events).doubt == () and (it.folder / "a.py").read_text() == "print(7)\n"


def test_a_turn_that_gave_up_has_a_receipt_too(session):
    it = session(*(f"```bash\nexit {n}\n```" for n in range(1, 9)), agent={"max_attempts": 2})
    end = last(it.play(), GaveUp)
    assert end.receipt and str(end.receipt) == "ran 2, the last failed"


@pytest.mark.parametrize(
    "code",
    [
        'bash\nfor f in *.png; do mv "$f" photos; done',
        "python\nimport os\nfor f in 'ab': os.rename(f'{f}.png', 'x')",
    ],
)
def test_moves_that_would_lose_files_are_taken_back(session, code):
    it = session(f"```{code}\n```", "```bash\nmkdir photos && mv *.png photos\n```", "Both are in photos.")
    for name in "ab":
        (it.folder / f"{name}.png").write_text(name)
    events = it.play("put the pictures into photos")
    first = next(event for event in events if isinstance(event, Returned)).result
    assert first.verdict == "failed, and what it did was taken back"
    assert "what was in a.png" in first.text
    assert {path.name: path.read_text() for path in (it.folder / "photos").iterdir()} == {
        "a.png": "a",
        "b.png": "b",
    }


def test_files_that_were_to_be_swapped_are_both_kept(session):
    it = session("```bash\nmv a.txt b.txt\nmv b.txt a.txt\n```", "Fine.", "Fine.")
    for name in "ab":
        put(it.loop.context, f"{name}.txt", name)
    result = last(it.play("swap a.txt and b.txt"), Returned).result
    assert "what was in b.txt would have been lost" in result.text
    assert "mv a.txt a.txt.tmp && mv b.txt a.txt && mv a.txt.tmp b.txt" in result.text
    assert [(it.folder / f"{name}.txt").read_text() for name in "ab"] == ["a", "b"]


@pytest.mark.parametrize(
    "code", ["mv a.txt b.md; sed -i s/a/c/ b.md", "mv a.txt /tmp/", "mv a.txt b; rmdir b; mv b c"]
)
def test_what_was_moved_and_changed_or_moved_elsewhere_is_not_taken_back(session, code):
    it = session(f"```bash\n{code}\n```", "Fine.", "Fine.")
    put(it.loop.context, "a.txt", "a")
    it.play("move a.txt")
    assert not (it.folder / "a.txt").exists()


def test_a_program_that_ended_in_an_error_has_spoiled_no_file(session):
    it = session("```python\nopen('a.txt', 'w')\nopen('new.txt', 'w')\n1 / 0\n```", "Fine.", "Fine.")
    put(it.loop.context, "a.txt", "one")
    result = last(it.play("add a line to a.txt"), Returned).result
    assert result.text.endswith("ZeroDivisionError: division by zero\nAll files are as they were before.")
    assert (it.folder / "a.txt").read_text() == "one"


@pytest.mark.parametrize(
    ("request_", "changed"),
    [
        ("What does chmod 600 do? I only want to understand it, do not change anything here.", False),
        ("Was steht in a.txt? Bitte nichts ändern", False),
        ("Add two to a.txt, but do not change anything else", True),
        ("Add two to a.txt; don't change the names of files", True),
        ("schreib two noch in a.txt bitte, sonst nichts ändern", True),
        ("Ajoute two à a.txt, sinon ne change rien", True),
        ("Add two to a.txt. Otherwise, change nothing.", True),
    ],
)
def test_where_nothing_is_to_be_changed_nothing_is(session, request_, changed):
    it = session("```bash\necho two >> a.txt\n```", "Fine.", "Fine.", "Fine.")
    put(it.loop.context, "a.txt", "one\n")
    it.play(request_)
    assert (it.folder / "a.txt").read_text() == ("one\ntwo\n" if changed else "one\n")


def test_what_was_moved_over_a_text_is_joined_instead(session):
    it = session("```bash\nmv a.txt all.txt; mv b.txt all.txt\n```", "Fine.")
    for name in "ab":
        (it.folder / f"{name}.txt").write_text(name)
    result = last(it.play("a.txt and b.txt -> all.txt, all in one"), Returned).result
    assert "cat a.txt b.txt > all.txt" in result.text and "mkdir" not in result.text


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("tar -czf 'my docs.zip' docs", "python3 -m zipfile -c 'my docs.zip' docs"),
        ("tar -cf docs.tar.gz docs", "tar -czf docs.tar.gz docs"),
        ("python3 -m zipfile -c docs.tgz docs", "tar -czf docs.tgz FOLDER"),
        ("tar -czf docs.tar.gz docs", ""),
        ("python3 -m zipfile -c docs.zip docs", ""),
        ("cp docs/x.txt tar.zip; rm -r tar", ""),
        ("mv docs/x.txt x.zip", ""),
    ],
)
def test_an_archive_of_another_kind_than_its_name_says_is_taken_back(session, code, how):
    it, result = run_block(session, code, "pack docs", {"docs/x.txt": "a text"})
    assert (f"This makes one: {how}" in result.text) is bool(how)
    assert len(list(it.folder.glob("[!.]*"))) == (1 if how else 2)


@pytest.mark.parametrize(
    ("code", "taken_back"),
    [
        ("cd nowhere\nrm x.txt", True),
        ("cd nowhere; touch y", True),
        ("cd nowhere && ls\ntouch y", True),
        ("cd project\ntouch y", False),
        ("cd nowhere || cd docs\ntouch y", False),
        ("if cd nowhere; then ls; fi\ntouch y", False),
        ("cd docs\ntouch y", False),
        ("echo 'a: line 1: cd: b'\ntouch y", False),
    ],
)
def test_what_a_script_did_in_the_wrong_folder_is_taken_back(session, code, taken_back):
    files = {"docs/z.txt": "a text", "x.txt": "another"}
    it, result = run_block(session, code, "remove x.txt in nowhere, or touch y", files)
    assert (result.verdict == "failed, and what it did was taken back") is taken_back
    assert ("ran in another folder" in result.text) is taken_back
    assert (it.folder / "x.txt").exists()
    assert bool(list(it.folder.rglob("y"))) is not taken_back


@pytest.mark.parametrize(
    "request_",
    ["The following goes into out/tea.log: green, 3 bags", "Write 'green' to out/tea.log"],
)
def test_a_text_that_is_looked_for_before_it_is_made_is_asked_for(session, request_):
    it = session("```bash\nls out/tea.log\n```", "```text\ngreen\n```", "Fine.")
    attachments.attach_named_files(request_, it.loop.context, below=False)
    it.play(request_)
    said = it.model.asked[1][-1].text
    assert "out/tea.log is not there, so the task is not done" in said and "```text:out/tea.log" in said
    assert "list the folder" not in said
    assert (it.folder / "out/tea.log").read_text() == "green\n"


def test_a_text_that_is_to_be_read_is_not_asked_for(session):
    it = session("```bash\ncat tea.log\n```", "It is not there.")
    attachments.attach_named_files("What does tea.log say?", it.loop.context, below=False)
    it.play("What does tea.log say?")
    assert "list the folder" in it.model.asked[1][-1].text and "```text:" not in it.model.asked[1][-1].text


@pytest.mark.parametrize(
    ("request_", "code", "taken_back"),
    [
        ("put the pictures into x", "rm a.png; mkdir x", True),
        ("put the pictures into x", "cp a.png c.png && rm a.png", False),
        ("put the pictures into x", "rm new.png", False),
        ("put the pictures into x, remove the rest", "rm a.png", False),
        ("lösche die Bilder", "rm a.png", False),
        ("I don't need the pictures any more", "rm a.png", False),
    ],
)
def test_later_replies_delete_only_what_the_request_lets_them(session, request_, code, taken_back):
    it = session("```bash\ntouch new.png\n```", f"```bash\n{code}\n```", "Fine.")
    (it.folder / "a.png").write_text("a")
    events = it.play(request_)
    result = last(events, Returned).result
    assert ("It deleted a.png, and the task says nothing of that." in result.text) is taken_back
    assert (it.folder / "a.png").exists() is taken_back or code == "rm new.png"


@pytest.mark.parametrize(
    ("request_", "code", "taken_back"),
    [
        ("move all PDFs into docs", "mkdir docs; mv a* docs/", True),
        (
            "Move the *.pdf here into docs. Leave everything else where it is.",
            "mkdir docs; mv a* docs/",
            True,
        ),
        ("delete the .pdf files", "rm a*", True),
        ("move all PDFs and the rest into docs", "mkdir docs; mv a* docs/", False),
        ("move the pdfs and a2.txt into docs", "mkdir docs; mv a* docs/", False),
        ("move the pdfs and text files into docs", "mkdir docs; mv a* docs/", False),
        ("move all PDFs into docs", "mkdir docs; mv *.pdf docs/", False),
        ("move a1.pdf and a2.txt into docs", "mkdir docs; mv a* docs/", False),
        ("rename *.txt to *.pdf", "mv a2.txt a3.pdf", False),
        ("move the .pdf and a2 into docs", "mkdir docs; mv a* docs/", False),
        ("a folder for each, by type: .pdf in docs", "mkdir docs; mv a* docs/", False),
        ("organise this, .pdf into docs and so on", "mkdir docs; mv a* docs/", False),
        ("copy all .pdf files into docs", "mkdir docs; cp a* docs/", True),
        ("kopiere alle .pdf-Dateien in den Ordner docs", "mkdir docs; cp a* docs/", True),
        ("copy all .pdf files and a2.txt into docs", "mkdir docs; cp a* docs/", False),
        ("copy in to x, and delete the .pyc files in x", "cp -r in x", False),
        ("Verschiebe die PDFs und Textdokumente nach docs", "mkdir docs; mv a* docs/", False),
        ("move the pdf and word files into docs", "mkdir docs; mv a* docs/", False),
        ("Move each in the folder pdf into docs. Nothing is in pdf then", "mkdir docs; mv a* docs/", False),
        ("move the folder pdf to docs", "mkdir docs; mv a* docs/", False),
        (
            "copy all .pdf files into docs and a checksum of each",
            "mkdir docs; cp a*.pdf docs/; touch b.md5",
            False,
        ),
    ],
)
def test_only_files_of_the_kind_that_is_named_are_touched(session, request_, code, taken_back):
    it, result = run_block(session, code, request_, {"a1.pdf": "a1.pdf", "a2.txt": "a2.txt"})
    assert ("a2.txt, and the task is about .pdf alone" in result.text) is taken_back
    assert (it.folder / "a2.txt").exists() is (taken_back or "*.pdf docs" in code or "cp " in code)
    assert not (taken_back and (it.folder / "docs" / "a2.txt").exists())


@pytest.mark.parametrize(
    ("request_", "code", "command"),
    [
        ("move all PDFs of in to docs", "mkdir docs; mv in/* docs/", "mkdir -p docs && mv in/*.pdf docs/"),
        ("delete the .pdf files in in", "rm in/*", "rm in/*.pdf"),
        ("copy all PDFs of in to docs", "mkdir docs; cp in/* docs/", "mkdir -p docs && cp in/*.pdf docs/"),
        ("copy all PDFs of in to docs", "mkdir docs; cp in/a* docs/", ""),
    ],
)
def test_the_files_of_the_kind_that_is_meant_are_given_by_their_pattern(session, request_, code, command):
    files = {"in/a1.pdf": "a1", "in/a2.txt": "a2"}
    _, result = run_block(session, code, request_, files)
    said = [line for line in result.text.splitlines() if line.startswith("Those that are meant: ")]
    assert said == ([f"Those that are meant: {command}"] if command else [])
    if command:
        it, result = run_block(session, command, request_, files)
        assert result.ok and (it.folder / "in" / "a2.txt").exists()


LARGE = "move all files in in that are larger than 1000 bytes into a new folder big"


@pytest.mark.parametrize(
    ("request_", "code", "said"),
    [
        (LARGE, "mkdir big; mv in/* big/", "in/a.txt has 10 bytes, which is not larger than 1000 bytes."),
        (LARGE, "mkdir big; mv in/c.txt big/", ""),
        (LARGE.replace("larger", "smaller"), "mkdir big; mv in/* big/", "in/b.txt has 1000 bytes"),
        ("copy what is over 1 KB in in to big", "mkdir big; cp in/* big/", "big/a.txt has 10 bytes"),
        ("delete the files in in below 2 kB", "rm in/*", "in/c.txt has 3000 bytes"),
        ("lösche in in alles, was größer als 1 MB ist", "rm in/c.txt", "in/c.txt has 3000 bytes"),
        ("those of in larger than 1000 bytes go into big, the others into x", "mkdir big; mv in/* big/", ""),
        ("move what is over 10 kb in in to big and files under 1 kb to x", "mkdir x; mv in/a.txt x/", ""),
        ("delete all .tmp files and move files over 100 KB into big", "rm in/a.txt", ""),
        ("delete files of in over 1000 bytes or older than 30 days", "rm in/a.txt", ""),
        ("delete the oldest until in is smaller than 1 kb", "rm in/c.txt", ""),
        ("delete a.txt of in; never delete any larger than 1 MB", "rm in/a.txt", ""),
        ("move those of in not larger than 1000 bytes to big", "mkdir big; mv in/a.txt big/", ""),
        ("delete all but the files over 1 KB in in", "rm in/a.txt", ""),
        ("keep what is over 1 KB in in, the rest can go", "rm in/a.txt", ""),
        (f"{LARGE}, leave the rest", "mkdir big; mv in/* big/", "in/a.txt has 10 bytes"),
        ("move more than 2 b of in/a.txt to x", "mv in/a.txt x", ""),
        ("move the files in in to big", "mkdir big; mv in/* big/", ""),
        ("move the races in in over 10 k to big", "mkdir big; mv in/a.txt big/", ""),
    ],
)
def test_only_files_of_the_size_that_is_named_are_touched(session, request_, code, said):
    files = {"in/a.txt": "x" * 10, "in/b.txt": "x" * 1000, "in/c.txt": "x" * 3000}
    it, result = run_block(session, code, request_, files)
    assert (said in result.text) and ("bytes, which is not" in result.text) == bool(said)
    assert not said or all((it.folder / path).exists() for path in files)


@pytest.mark.parametrize(
    ("request_", "code", "kept"),
    [
        ("some of the files in in are completely empty. delete those", "rm in/*", True),
        ("delete the empty files of in", "rm in/a.txt in/b.txt", True),
        ("delete the empty files of in", "rm in/b.txt", False),
        ("delete the empty files of in and its subfolders", "rm in/a.txt in/b.txt", True),
        ("delete the empty ones in in and keep the others, thanks", "rm in/a.txt in/b.txt", True),
        ("delete the empty files of in, and in/a.txt", "rm in/a.txt in/b.txt", False),
        ("delete the empty lines, then delete in", "rm -r in", False),
        ("Empty the folder in, remove all files in it.", "rm in/*", False),
        ("Delete the duplicates and empty files of in", "rm in/*", False),
        ("Lösche alle Dateien im Ordner in, er soll leer sein", "rm in/*", False),
        ("Delete what is in in. Make a new, empty file c.txt", "rm in/*; touch c.txt", False),
    ],
)
def test_where_empty_files_are_to_be_deleted_others_stay(session, request_, code, kept):
    it, result = run_block(session, code, request_, {"in/a.txt": "x", "in/b.txt": ""})
    assert ("this is not empty: in/a.txt" in result.text) == kept
    assert ("find in -type f -empty -delete" in result.text) == kept
    assert not kept or (it.folder / "in/a.txt").exists()


@pytest.mark.parametrize(
    ("request_", "code", "told"),
    [
        ("Pack the folder in with everything inside into in.zip", "cd in; zip -qr in.zip .", True),
        ("Pack the folder in with everything inside into in.zip", "zip -qr in.zip in", False),
        ("zip in/a.txt as in/in.zip", "cd in; zip -q in.zip a.txt", False),
        ("Zip in and put in.zip into the folder in", "cd in; zip -qr in.zip .", False),
    ],
)
def test_an_archive_does_not_come_to_lie_in_what_it_holds(session, request_, code, told):
    it, result = run_block(session, code, request_, {"in/a.txt": "x"})
    assert ("python3 -m zipfile -c in.zip in" in result.text) == told
    assert (it.folder / "in/in.zip").exists() == (code.startswith("cd") and not told)


def test_sizes_say_what_is_meant(session):
    files = {"in/a.txt": "x" * 10, "in/c.txt": "x" * 3000}
    _, result = run_block(session, "mkdir big; mv in/* big/", LARGE, files)
    how = "mkdir -p big && find in -maxdepth 1 -type f -size +1000c -exec mv -t big {} +"
    assert f"Those that are meant: {how}" in result.text
    it, result = run_block(session, how, LARGE, files)
    assert result.ok and [path.name for path in (it.folder / "big").iterdir()] == ["c.txt"]


@pytest.mark.parametrize(
    ("request_", "code", "left"),
    [
        ("keep only the 3 newest dumps, delete the older ones", "rm db-*", None),
        ("keep only the 3 newest dumps, delete the older ones", "rm db-2024-* db-2025-01-*", 3),
        ("keep only the 3 newest dumps, delete the older ones", "rm db-2025-02-* db-2025-03-01*", None),
        ("delete all but the newest three dumps", "rm db-2024-* db-2025-01-* db-2025-02-*", None),
        ("lösche alles außer den 3 neuesten Dumps", "rm *.sql", None),
        ("move all but the newest two dumps into old", "mkdir old; mv db-2024-* db-2025-0[12]-* old/", 2),
        ("move all but the newest two dumps into old", "mkdir old; mv db-2025-* old/", None),
        ("delete the oldest dump", "rm db-2025-03-09.sql", None),
        ("delete the oldest dump", "rm db-2024-12-29.sql", 4),
        ("delete the newest dump", "rm db-2025-03-09.sql", 4),
        ("delete the dumps and keep 2 lines of notes.txt", "rm db-*; head -2 notes.txt", 0),
        ("delete the dumps", "rm db-*", 0),
        ("delete all but dump 3", "rm db-2025-0[123]*", 1),
        ("keep the 3 good ones (a dump, notes.txt, LICENSE), delete the rest", "rm db-2025-0[123]*", 1),
        ("keep only the newest dump of each month", "rm db-2025-03-01.sql", 4),
        ("put the latest dump into x", "mkdir x; mv db-2025-03-09.sql x/", 4),
        ("keep the 2 newest in x, delete the rest", "mkdir x; mv db-2025-03-* x/; rm db-*", 0),
    ],
)
def test_so_many_files_stay_and_the_newest_as_are_to(session, request_, code, left):
    dumps = [
        f"db-{day}.sql" for day in ("2024-12-29", "2025-01-05", "2025-02-23", "2025-03-01", "2025-03-09")
    ]
    files = {name: f"{name}\n" for name in (*dumps, "notes.txt", "LICENSE")}
    it, result = run_block(session, code, request_, files)
    assert result.ok is (left is not None), result.text
    assert sum((it.folder / name).exists() for name in dumps) == (5 if left is None else left)


@pytest.mark.parametrize(
    ("request_", "code", "held"),
    [
        ("Zip the PDFs into docs.zip", "python3 -m zipfile -c docs.zip *.pdf *.txt", True),
        ("Zip the PDFs into docs.zip", "python3 -m zipfile -c docs.zip *.pdf", False),
        ("Pack the PDFs into docs.tar", "tar -cf docs.tar *.pdf *.txt", True),
        ("Pack the .pdf files as docs.tar.gz", "tar -czf docs.tar.gz a1.pdf a2.txt", True),
        ("Pack the .pdf files and the rest as docs.tar.gz", "tar -czf docs.tar.gz a1.pdf a2.txt", False),
        ("Pack a1.pdf and a2.txt as docs.tar.gz", "tar -czf docs.tar.gz a1.pdf a2.txt", False),
    ],
)
def test_an_archive_holds_only_files_of_the_kind_that_is_named(session, request_, code, held):
    it, result = run_block(session, code, request_, {"a1.pdf": "a1.pdf", "a2.txt": "a2.txt"})
    assert ("holds a2.txt, and the task is about .pdf alone" in result.text) is held, result.text
    assert any(it.folder.glob("docs.*")) is not held


@pytest.mark.parametrize(("name", "taken_back"), [("Makefile", False), ("docs", True)])
def test_a_file_that_has_the_name_of_a_folder_is_taken_back(session, name, taken_back):
    it = session(f"```bash\ncp a.txt {name}\n```", "Fine.")
    put(it.loop.context, "a.txt", "all:\n")
    assert last(it.play(f"put a copy of a.txt in {name}"), Returned).result.ok is not taken_back
    assert (it.folder / name).exists() is not taken_back


@pytest.mark.parametrize(
    ("request_", "code", "told"),
    [
        (
            "Unpack a.tar into a folder restored",
            "tar -xf a.tar",
            "mkdir -p restored && tar -xf a.tar -C restored",
        ),
        ("Unpack a.tar into restored/", "mkdir restored && tar -xf a.tar -C restored", ""),
        ("Entpacke a.tar in den Ordner alt", "tar xf a.tar", "mkdir -p alt && tar -xf a.tar -C alt"),
        ("Unpack a.tar into a folder alt.", "tar -xf a.tar", "mkdir -p alt && tar -xf a.tar -C alt"),
        ("Unpack a.tar here", "tar -xf a.tar", ""),
        ("Unpack a.tar into the current folder", "tar -xf a.tar", ""),
        ("Unpack a.tar into its own folder", "tar -xf a.tar", ""),
        ("Unpack a.tar into a folder of the same name", "tar -xf a.tar", ""),
        ("Unpack a.tar to ./", "tar -xf a.tar", ""),
        ("Entpacke a.tar in diesen Ordner", "tar -xf a.tar", ""),
        ("Entpacke a.tar in den gleichen Ordner", "tar -xf a.tar", ""),
        ("Unpack a.tar into a folder named like the archive", "tar -xf a.tar", ""),
        (
            "Unpack a.zip into the folder restored",
            "python3 -m zipfile -e a.zip .",
            "-m zipfile -e a.zip restored",
        ),
    ],
)
def test_an_archive_is_unpacked_where_it_is_to_be(session, request_, code, told):
    it = session(f"```bash\n{code}\n```", LOOKS, "Fine.", "Fine.")
    put(it.loop.context, "x/b.txt", "new\n")
    make = ["tar -cf a.tar x", "python3 -m zipfile -c a.zip x/", "echo old > x/b.txt"]
    for each in make:
        subprocess.run(each, shell=True, cwd=it.folder, check=True)
    result = first_result(it.play(request_))
    assert (told in result.text and not result.ok) if told else result.ok
    assert (it.folder / "x/b.txt").read_text() == ("old\n" if told or "restored" in code else "new\n")


@pytest.mark.parametrize(
    ("request_", "code", "taken_back"),
    [
        ("delete the copies in d, keep those that differ", "rm d/*", True),
        ("delete all files in d but keep the folder", "rm d/*", False),
        ("delete the copies in d, keep those that differ", "rm d/a.txt", False),
        ("move all out of d, keep the names", "mv d/* .", False),
        ("delete what is in d", "rm d/*", False),
        ("delete the .txt files in d, keep the rest", "rm d/*", False),
        ("delete all files in d and leave a note in n.txt", "rm d/*; echo gone > n.txt", False),
        ("delete all files in d, keep those in e", "rm d/*", False),
        ("delete all in d, except b.txt", "rm d/*", True),
    ],
)
def test_something_is_left_where_some_is_to_stay(session, request_, code, taken_back):
    _, result = run_block(session, code, request_, {"d/a.txt": "d/a.txt", "d/b.txt": "d/b.txt"})
    assert ("Nothing is left in d" in result.text) is taken_back
    assert result.ok is not taken_back


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ('for f in inv/*; do mkdir -p inv/${f:0:4}; mv "$f" inv/${f:0:4}/; done', ""),
        ('for f in inv/*; do mkdir -p inv/i; mv "$f" inv/i/; done', "The files did not go into inv/2023."),
        ("mkdir inv/2023 inv/2024; mv inv/2023-1 inv/2023/; mv inv/2024-1 inv/2024/", ""),
        ("mkdir x; mv inv/2023-1 x/", "The files did not go into inv/2023."),
        ("ls inv; echo mv", ""),
    ],
)
def test_files_go_into_the_folder_that_is_named_by_its_path(session, code, told):
    request = "sort by year into inv/2023 and inv/2024, not and/or"
    it, result = run_block(session, code, request, {"inv/2023-1": "a", "inv/2024-1": "b"})
    assert (not result.ok and told in result.text) if told else result.ok
    assert (it.folder / "inv/2023-1").exists() is bool(told or "echo" in code)


@pytest.mark.parametrize(
    ("request_", "code", "told"),
    [
        (
            "delete all whose name ends in .thumb.jpg",
            "rm x* old*",
            "x.jpg away, whose name does not end in .thumb.jpg",
        ),
        ("delete all files ending with .thumb.jpg", "rm *.thumb.jpg", ""),
        ("delete files that end in .thumb.jpg and the rest too", "rm x* old*", ""),
        ("move the files starting with 'old' into d", "mkdir d; mv x* old* d/", "does not begin with old"),
        ("move the files that start with old into d", "mkdir d; mv old* d/", ""),
        ("delete all files ending with thumb", "rm *.thumb.jpg", ""),
        ("move files that begin with old into d and those that begin with x into e", "mkdir e; mv x* e/", ""),
        ("delete the files that start with old or 'x'", "rm x.jpg", ""),
        (
            "move files starting with old- and with new- into d",
            "mkdir d; mv x* d/",
            "does not begin with old-",
        ),
        ("delete the files whose lines begin with a", "rm x.jpg", ""),
        ("Verschiebe alle, deren Name mit old beginnt, nach d", "mkdir d; mv x* old* d/", "begin with old"),
        ("Lösche die Dateien, die auf .thumb.jpg enden", "rm x* old*", "does not end in .thumb.jpg"),
        ("Supprime ceux dont le nom commence par old", "rm x* old*", "does not begin with old"),
        ("Lösche die Dateien, die mit old beginnen", "rm old*", ""),
        ("Sposta le foto nella cartella che inizia con old", "mkdir old1; mv *.jpg old1/", ""),
        ("Verschiebe die Fotos in den Ordner, der mit old beginnt", "mkdir old1; mv *.jpg old1/", ""),
        ("delete all files starting with the letter x", "rm x.jpg", ""),
        ("delete all files that end with a tilde", "rm x.jpg", ""),
        ("delete all files that end with digits", "rm x.jpg", ""),
        ("move files that start with a-m into d", "mkdir e; mv x.jpg e/", ""),
        ("make all names start with d_", "mkdir e; for f in *.jpg; do mv $f e/d_$f; done", ""),
        ("delete files that end with thumb.jpg and those with an x", "rm x*", ""),
    ],
)
def test_only_files_of_the_names_that_are_meant_are_moved_or_deleted(session, request_, code, told):
    names = ("x.jpg", "x.thumb.jpg", "old_x.thumb.jpg")
    it, result = run_block(session, code, request_, {name: name for name in names})
    assert (told in result.text and not result.ok) if told else result.ok
    assert ("Those that are meant: " in result.text) is bool(told)
    moves = told and "into d" in request_ and " and with " not in request_
    assert ("Those that are meant: mkdir -p d && mv old* d/" in result.text) is bool(moves)
    assert (it.folder / "x.jpg").exists() is bool(
        told or not code.startswith(("rm x", "mkdir e", "mkdir old1"))
    )


@pytest.mark.parametrize(
    ("request_", "code", "kept"),
    [
        ("Delete the copy of in/a.txt in the folder in and keep a.txt", "rm in/a.txt", True),
        ("Delete all texts, but don't touch in/a.txt", "rm in/*.txt", True),
        ("Lösche alle Texte in in, aber behalte a.txt", "rm in/*.txt", True),
        ("Delete the copy of in/a.txt and keep a.txt", "rm in/b.txt", False),
        ("Move in/a.txt to old/ and keep a copy", "mkdir old; mv in/a.txt old/", False),
        ("Move the texts to old and keep a.txt there", "mkdir old; mv in/*.txt old/", False),
        ("Delete in/a.txt; leave a.txt.bak", "rm in/a.txt", False),
        ("I no longer want to keep in/a.txt, delete it", "rm in/a.txt", False),
        ("You don't have to keep in/a.txt, delete it", "rm in/a.txt", False),
        ("Delete in/b.txt but keep b.txt", "touch b.txt; rm in/b.txt", False),
        ("Delete b.txt in in, keep b.txt in new", "mkdir new; touch new/b.txt; rm in/b.txt", False),
    ],
)
def test_a_file_that_is_named_as_one_to_keep_stays(session, request_, code, kept):
    it, result = run_block(session, code, request_, {"in/a.txt": "a", "in/b.txt": "b"})
    assert ("in/a.txt is to stay, and it was deleted." in result.text) == kept != result.ok
    assert not kept or (it.folder / "in/a.txt").exists()


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ("sort the files of in into in/YYYY", "mkdir in/2023; mv in/2023-1 in/2023/"),
        ("rename the files of in, not those of in/old", "mv in/2023-1 in/a"),
        ("move the files of in into in/a, in/b and so on", "mkdir in/a; mv in/2023-1 in/a/"),
    ],
)
def test_a_folder_that_is_only_spoken_of_need_not_be_made(session, request_, code):
    assert run_block(session, code, request_, {"in/2023-1": "a"})[1].ok


def test_the_name_of_a_file_that_has_blanks_is_no_folder(session):
    request = 'Sort d into folders by the first word: "10a waves.md" goes to "d/10a/10a waves.md"'
    _, result = run_block(session, "mkdir d/10a && mv d/10a\\ * d/10a/", request, {"d/10a waves.md": "a"})
    assert result.ok


@pytest.mark.parametrize(("folder", "request_"), [("c/old things", "'c/old things'"), ("c/old", "c/old")])
def test_a_folder_that_files_were_moved_out_of_was_there(session, folder, request_):
    request = f"Move all files from {request_} into c, then delete the empty folder"
    _, result = run_block(session, f"mv '{folder}'/* c/ && rmdir '{folder}'", request, {f"{folder}/a": "a"})
    assert result.ok


TABLE = "name;since\nAda;05/11/2021\nBob;3/2/2019\n"


@pytest.mark.parametrize(
    ("request_", "code", "taken_back"),
    [
        (
            "mets les dates de a.csv au format AAAA-MM-JJ (maintenant JJ/MM/AAAA)",
            "sed -i 's./.-.g' a.csv",
            True,
        ),
        ("change 05/11/2021 in a.csv to 2021-11-05", "sed -i 's.05/11/2021.2021-11-05.' a.csv", False),
        ("dates of a.csv like DD/MM/YYYY into ISO", "sed -i 's./.-.g' a.csv", True),
        ("delete 05/11/2021 in a.csv", "sed -i 2d a.csv", False),
        ("put Cem into a.csv", "sed -i 's/;/,/' a.csv", True),
        ("separate a.csv with commas", "sed -i 's/;/,/' a.csv", False),
        ("make Ada Eda in a.csv", "sed -i s/Ada/Eda/ a.csv", False),
    ],
)
def test_dates_get_the_form_that_is_asked_for_and_a_table_keeps_its_separators(
    session, request_, code, taken_back
):
    it, result = run_block(session, code, request_, {"a.csv": TABLE})
    assert result.ok is not taken_back, result.text
    assert ((it.folder / "a.csv").read_text() == TABLE) is taken_back
    if taken_back and "dates" in request_:
        assert "a.csv got no dates of the form YYYY-MM-DD" in result.text
        assert "'-'.join(reversed('05/11/2021'.split('/'))) is '2021-11-05'." in result.text


def test_who_only_looked_may_delete(session):
    it = session("```bash\nls\n```", "```bash\nrm a.png\n```", "Fine.")
    (it.folder / "a.png").write_text("a")
    assert last(it.play("usuń obrazki"), Returned).result.ok


@pytest.mark.parametrize(
    "code",
    [
        "mv a.png c.png",
        "mv a.png b.png",
        "rm a.png; mv b.png a.png",
        "mv a.png x; mv b.png a.png; mv x b.png",
        "rm *.png",
    ],
)
def test_other_moves_stay(session, code):
    it = session(f"```bash\n{code}\n```", "Fine.")
    for name in "ab":
        (it.folder / f"{name}.png").write_text(name)
    first = next(event for event in it.play("do it") if isinstance(event, Returned)).result
    assert first.ok


@pytest.mark.parametrize(
    ("text", "passed", "tests"),
    [
        (PYTEST, 2, 3),
        ("5 passed in 0.12s", 5, 5),
        ("..F\n====\nFAILED\n----\nRan 3 tests in 0.001s\n\nFAILED (failures=1, errors=1)", 1, 3),
        ("Ran 2 tests in 0.000s\n\nOK", 2, 2),
        (
            "test result: ok. 3 passed; 0 failed\n\ntest result: FAILED. 1 passed; 2 failed; 0",
            4,
            6,
        ),
        ("# tests 3\n# suites 0\n# pass 2\n# fail 1\n", 2, 3),
        ("\u2139 tests 1\n\u2139 pass 1\n\u2139 fail 0", 1, 1),
        ("--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL", 1, 2),
        ("  3 passing (4ms)\n  1 failing", 3, 4),
    ],
)
def test_what_test_runners_say_is_counted(text, passed, tests):
    assert parse_test_counts(f"collected\n{text}\n") == (passed, tests)


@pytest.mark.parametrize("text", ["", "I passed 3 tests", "all 5 passed the door", "Ran 3 miles in 5 hours"])
def test_other_numbers_are_no_tests(text):
    assert parse_test_counts(text) is None


@pytest.mark.parametrize(
    ("receipt", "said"),
    [
        (Receipt(ran=3, failed=1, last_failed=True), "ran 3, the last failed"),
        (Receipt(ran=3, failed=2), "ran 3, 2 failed"),
        (Receipt(failed=1, last_failed=True), "the last failed"),
        (Receipt(saved=("a", "b", "c")), "saved 3"),
        (
            Receipt(files=(FileChange("b", "renamed", "a", replaced=True),)),
            "renamed a to b · overwrote b (tripletick undo restores it)",
        ),
        (
            Receipt(files=(FileChange("b", "changed", replaced=True), FileChange("c", "changed"))),
            "changed c · overwrote b (tripletick undo restores it)",
        ),
        (Receipt(files=(FileChange("a", "deleted"), FileChange("b", "created"))), "created b · deleted a"),
        (Receipt(ran=1, tests=3, passed=2, check="failed"), "ran 1 · tests 2 of 3 passed · check failed"),
        (Receipt(files=None), ""),
    ],
)
def test_a_receipt_is_one_line_and_is_read_back_from_the_log(receipt, said):
    assert str(receipt) == said
    from dataclasses import asdict

    assert Receipt.from_record(json.loads(json.dumps(to_json_value(asdict(receipt))))) == receipt


def test_a_program_that_comes_as_it_was_is_shown_as_it_should_be(session):
    same, mended = "```python:a.py\nprint(1)\n```", "```python:a.py\nprint(2)\n```"
    it = session(same, mended, "It prints 2 now.")
    put(it.loop.context, "a.py", "print(1)\n")
    request = "repair a.py, it should print 2"
    attachments.attach_named_files(request, it.loop.context)
    events = it.play(request)
    told = it.model.asked[1][-1].text
    assert "Line 1, print(1), should read: print(2)\nThis block puts that right:\n" + mended in told
    assert ended(events).doubt == () and (it.folder / "a.py").read_text() == "print(2)\n"


@pytest.mark.parametrize(
    ("request_", "shown"),
    [
        ("repair a.py: python3 a.py prints 1, but the right sum is 7", True),
        ("repair a.py: it has a wrong name in line 1", False),
        (
            "repair a.py: python3 a.py prints 1, which is fine, but it crashes with 0",
            False,
        ),
        ("repair a.py: it prints 1, but for 0 it prints 0 instead of 7", False),
    ],
)
def test_a_repair_that_changes_nothing_of_the_output_has_failed(session, request_, shown):
    other, mended = "```python:a.py\nprint(2 - 1)\n```", "```python:a.py\nprint(7)\n```"
    it = session(other, *([mended] if shown else []), "It is repaired.")
    put(it.loop.context, "a.py", "print(1)\n")
    attachments.attach_files(request_, ("python", "*"), it.loop.context, it.loop.conversation.templates)
    it.play(request_)
    told = it.model.asked[1][-1].text
    assert ("a.py: python3 a.py still prints '1', as it did before" in told) == shown
    assert (it.folder / "a.py").read_text() == ("print(7)\n" if shown else "print(2 - 1)\n")


MILK = "eggs\nmilk chocolate\nbuttermilk\n- milk\n"


@pytest.mark.parametrize(
    ("request_", "code", "lost"),
    [
        ("take milk off list.txt", "sed -i '/milk/d' list.txt", "milk chocolate | buttermilk"),
        (
            "In list.txt, take off milk and add tea at the end",
            "sed -i '/milk/d' list.txt",
            "milk chocolate |",
        ),
        ("remove milk from list.txt", "sed -i '/^- milk$/d' list.txt", ""),
        ("remove every line with milk from list.txt", "sed -i '/milk/d' list.txt", ""),
        ("Delete the milk products of list.txt", "sed -i '/milk/d' list.txt", ""),
        ("remove milk and buttermilk from list.txt", "sed -i '/milk$/d' list.txt", ""),
    ],
)
def test_what_only_has_the_same_word_is_not_removed_with_it(session, request_, code, lost):
    it = session(f"```bash\n{code}\n```", "Done.", "Done.", "Done.")
    put(it.loop.context, "list.txt", MILK)
    it.play(request_)
    told = it.model.asked[1][-1].text
    assert (f"no longer has: {lost}" in told) if lost else "no longer has" not in told


@pytest.mark.parametrize(
    ("request_", "code", "right"),
    [
        (
            "In list.txt, take off eggs and add oat drink at the end",
            "sed -i /eggs/d list.txt",
            "'- oat drink'",
        ),
        (
            "Remove eggs from list.txt and add 'oat drink' to the list",
            "sed -i /eggs/d list.txt",
            "'- oat drink'",
        ),
        ("In list.txt, take off eggs and add oat drink at the top", "sed -i /eggs/d list.txt", ""),
        ("Take off eggs from list.txt, add a blank line at the end", "sed -i /eggs/d list.txt", None),
        ("In list.txt, take off eggs and add tea at the end", "sed -i 's/eggs/tea/' list.txt", None),
        ("Add milk to the end of each line of list.txt", "sed -i s/eggs/ham/ list.txt", None),
        ("Sort list.txt and add totals at the bottom", "sort -o list.txt list.txt", None),
        ("Take eggs off list.txt and don't add oat drink to the list", "sed -i /eggs/d list.txt", None),
        ("Take off eggs in list.txt and add bullet points to the list", "sed -i s/eggs/-/ list.txt", None),
        ("Take eggs off list.txt, add tea and ham to the list", "sed -i 's/eggs/tea\\nham/' list.txt", None),
    ],
)
def test_what_was_to_be_added_too_is_told(session, request_, code, right):
    it = session(f"```bash\n{code}\n```", "It cannot be done.", "No.")
    put(it.loop.context, "list.txt", MILK)
    it.play(request_)
    told = it.model.asked[1][-1].text
    assert ("does not have 'oat drink'" in told) == ("does not have" in told) == (right is not None)
    assert not right or f"echo {right} >> list.txt" in told


def test_when_something_came_to_be_asks_for_nothing(session):
    asked = "a.txt got empty lines when I copied it. Take the empty lines out, but don't touch the rest."
    it = session("```bash\nsed '/^$/d' a.txt\n```", "```bash\nsed -i '/^$/d' a.txt\n```", "Done.")
    put(it.loop.context, "a.txt", "a\n\nb\n")
    attachments.attach_named_files(asked, it.loop.context)
    it.play(asked)
    told = it.model.asked[1][-1].text
    assert "a.txt is as it was" in told and "```bash\nsed -i '/^$/d' a.txt\n```" in told
    assert (it.folder / "a.txt").read_text() == "a\nb\n"


def test_lines_that_keep_their_order_are_not_sorted_in_place(session):
    asked = "Remove the repeats from a.txt; the order should stay, so the first one is kept."
    it = session("```bash\nsort -u a.txt\n```", "They are gone.", "They are.")
    put(it.loop.context, "a.txt", "c\na\nc\nb\n")
    attachments.attach_named_files(asked, it.loop.context)
    it.play(asked)
    assert (it.folder / "a.txt").read_text() == "c\na\nb\n"


@pytest.mark.parametrize("answer", ["The lines are in order.", "a b c\n\nOutput:\n```text\na\nb\n```"])
def test_a_command_is_run_in_place_where_the_answer_leaves_the_named_file_as_it_was(session, answer):
    it = session("```bash\nsort a.txt\n```", answer, "Sorted.")
    put(it.loop.context, "a.txt", "b\na\n")
    attachments.attach_named_files("Sort the lines of a.txt", it.loop.context)
    events = it.play("Sort the lines of a.txt")
    assert it.model.asked[1][-1].text.endswith("```bash\nsort -o a.txt a.txt\n```")
    assert last(events, Doubted).reasons[0].endswith("which is run: sort -o a.txt a.txt")
    assert (it.folder / "a.txt").read_text() == "a\nb\n" and ended(events).doubt == ()


@pytest.mark.parametrize(
    ("request_", "code", "how"),
    [
        (
            "I have to hand in my docs. Pack the folder docs into docs.zip",
            "cd docs && zip -qr docs.zip .",
            "python3 -m zipfile -c docs.zip docs",
        ),
        (
            "Make docs.zip out of the folder docs",
            "cd docs && zip -qr docs.zip .",
            "python3 -m zipfile -c docs.zip docs",
        ),
        ("Put docs.zip into docs: the folder docs, zipped", "cd docs && zip -qr docs.zip .", ""),
        (
            "zip up the docs folder -> docs.zip",
            'python3 -c \'import zipfile; zipfile.ZipFile("docs.zip", "w").close()\'',
            "python3 -m zipfile -c docs.zip docs",
        ),
        (
            "zip up the docs folder -> docs.zip",
            'python3 -c \'import zipfile; zipfile.ZipFile("docs.zip", "w").write("docs")\'',
            "python3 -m zipfile -c docs.zip docs",
        ),
    ],
)
def test_an_archive_in_what_it_holds_or_without_anything_is_taken_back(session, request_, code, how):
    """`zip` is not everywhere: its archive is made by Python here."""
    code = code.replace("zip -qr docs.zip .", "python3 -m zipfile -c docs.zip a.txt")
    it = session(f"```bash\n{code}\n```", "It cannot be done.", "It is there.", "Yes.")
    put(it.loop.context, "docs/a.txt", "a")
    result = first_result(it.play(request_))
    assert not how or (it.folder / "docs.zip").stat().st_size > 100  # run, since the reply leaves it out
    assert (how in result.text and not result.ok) if how else result.ok


@pytest.mark.parametrize(
    ("request_", "code", "right"),
    [
        (
            "How many .jpg are in a, with all the folders inside it?",
            "import glob\nprint(len(glob.glob('a/*.jpg')))",
            "find a -type f -name '*.jpg' | wc -l",
        ),
        (
            "Which .jpg are in a and its subfolders?",
            "import os\nprint([n for n in os.listdir('a') if '.jpg' in n])",
            "find a -type f -name '*.jpg'",
        ),
        ("How many .jpg are in a?", "import glob\nprint(len(glob.glob('a/*.jpg')))", ""),
        (
            "How many .jpg are in a and its subfolders?",
            "import glob\nprint(len(glob.glob('a/**/*.jpg', recursive=True)))",
            "",
        ),
        ("How many .jpg are in a and not in its subfolders?", "import os\nprint(len(os.listdir('a')))", ""),
        ("Count the .jpg in a and ignore subfolders", "import os\nprint(len(os.listdir('a')))", ""),
        (
            "How many .gif are in a and its subfolders?",
            "import glob\nprint(len(glob.glob('a/*.gif')))",
            "",
        ),
    ],
)
def test_folders_that_a_request_means_and_a_block_left_out_are_told(session, request_, code, right):
    it = session(f"```python\n{code}\n```", "1", "I do not know.")
    for name in ("x.jpg", "b/y.jpg", "x.gif"):
        put(it.loop.context, f"a/{name}", "")
    events = it.play(request_)
    assert (
        (f"```bash\n{right}\n```" in it.model.asked[1][-1].text) if right else "left out" not in str(events)
    )
    assert ("Doubted" in kinds(events)) == bool(right)

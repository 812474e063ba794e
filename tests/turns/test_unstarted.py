"""Saving is not running: what is saved, checked and not started, in which languages, and how that is said."""

import pytest
from tests.filing import put
from tests.playing import last

from tripletick.events import Answered, Returned
from tripletick.languages.registry import LANGUAGES

PARSER = "import argparse\np = argparse.ArgumentParser()\n"
MODULE = "import math\n\nPI = 3.14\n\n\ndef area(r):\n    return PI * r * r\n"
USAGE = (
    "import sys\nif len(sys.argv) != 2:\n    print('which file?')\n    sys.exit(1)\n"
    "print(open(sys.argv[1]).read())\n"
)
TYPED = "while True:\n    try:\n        print(int(input('n? ')))\n    except Exception:\n        pass\n"


@pytest.mark.parametrize(
    ("tag", "source", "why"),
    [
        ("python", MODULE, "part"),
        ("python", f"{MODULE}\nprint(area(2))\n", ""),
        ("python", f"{MODULE}\n\nif __name__ == '__main__':\n    print(area(2))\n", ""),
        ("python", "TABLE = {\n    'a': 1,\n}\n", "part"),
        ("python", "total = sum([1, 2])\n", ""),
        ("python", "import sys\nprint(sys.argv[1])\n", "wants"),
        ("python", USAGE, "wants"),
        ("python", TYPED, "wants"),
        ("python", "import sys\nfor line in sys.stdin:\n    print(line)\n", "wants"),
        ("python", "import sys\na, b, c = sys.argv\nprint(b, c)\n", "wants"),
        (
            "python",
            f"{PARSER}p.add_argument('file')\np.parse_args()\n",
            "wants",
        ),
        (
            "python",
            f"{PARSER}p.add_argument('--n', required=True)\np.parse_args()\n",
            "wants",
        ),
        (
            "python",
            f"{PARSER}p.add_argument('--n', default=3)\np.parse_args()\n",
            "",
        ),
        (
            "python",
            f"{PARSER}p.add_argument('n', nargs='?', default=3)\np.parse_args()\n",
            "",
        ),
        ("python", "import sys\nprint(sys.argv[1] if len(sys.argv) > 1 else 'world')\n", ""),
        ("python", "import sys\nfor name in sys.argv[1:]:\n    print(name)\n", ""),
        ("python", "print('type input() to see')\n", ""),
        ("python", "# asks with input()\nprint(1)\n", ""),
        (
            "python",
            "from http.server import *\nHTTPServer(('', 80), SimpleHTTPRequestHandler).serve_forever()\n",
            "lasts",
        ),
        ("python", "from flask import Flask\napp = Flask(__name__)\napp.run(debug=True)\n", "lasts"),
        ("python", "import tkinter\nroot = tkinter.Tk()\nroot.mainloop()\n", "lasts"),
        ("javascript", "require('http').createServer().listen(80);\n", "lasts"),
        ("javascript", "console.log(process.argv[2].length);\n", "wants"),
        ("javascript", "console.log(process.argv[2] || 'world');\n", ""),
        ("c", '#include <stdio.h>\nint main(void) { int n; scanf("%d", &n); printf("%d", n); }\n', "wants"),
        ("c", '#include <stdio.h>\nint main(void) { puts("scanf("); }\n', ""),
        ("cpp", "#include <iostream>\nint main() { int n; std::cin >> n; }\n", "wants"),
        (
            "go",
            'package main\nimport ("bufio"; "os")\nfunc main() { bufio.NewScanner(os.Stdin).Scan() }\n',
            "wants",
        ),
        (
            "java",
            "class A { public static void main(String[] a) { new java.util.Scanner(System.in).next(); } }\n",
            "wants",
        ),
        (
            "rust",
            "fn main() { let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap(); }\n",
            "wants",
        ),
    ],
)
def test_what_can_do_nothing_by_itself_or_would_go_on_is_known(tag, source, why):
    assert LANGUAGES[tag].find_skip_reason("a.py", source) == why


def test_a_file_of_tests_is_run_though_it_only_defines():
    assert LANGUAGES["python"].find_skip_reason("test_a.py", "def test_a():\n    assert True\n") == ""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (USAGE, "not run, because it takes arguments or input"),
        (MODULE, "not run: it is no program by itself"),
        (
            "import http.server as h\nopen('out.txt', 'w')\nh.HTTPServer(('', 0), None).serve_forever()",
            "goes on",
        ),
    ],
)
def test_it_is_saved_and_not_started_and_the_receipt_counts_no_run(session, body, said):
    it = session(f"```python:a.py\n{body}\n```", "I wrote a.py.")
    events = it.play("write a.py, which the user gives input")
    assert said in last(events, Returned).result.verdict
    end = last(events, Answered).receipt
    assert end and (end.ran, end.failed, end.saved) == (0, 0, ("a.py",))
    assert not (it.folder / "out.txt").exists()


def test_what_does_not_parse_fails_all_the_same(session):
    it = session("```python:a.py\ndef f(:\n```", "It is wrong.")
    assert last(it.play(), Returned).result.outcome == "failed"


def test_the_next_block_of_the_reply_runs_it_with_its_argument(session):
    it = session(
        f"```python:a.py\n{USAGE}```\n\n```bash\necho hello > b.txt; python3 a.py b.txt\n```",
        "It prints hello.",
    )
    events = it.play("write a.py that takes a file, and try it")
    first, second = (event.result for event in events if isinstance(event, Returned))
    assert (first.ok, second.ok, second.text) == (True, True, "hello")


def test_a_bash_block_that_starts_a_server_is_not_answered_from_memory(session):
    lasts = "print('up')\nif 0:\n    HTTPServer(('', 0), None).serve_forever()\n"
    it = session(f"```python:a.py\n{lasts}```\n\n```bash\npython3 a.py\n```", "It is up.")
    results = [event.result for event in it.play("write a.py and start it") if isinstance(event, Returned)]
    assert results[1].text == "up"


@pytest.mark.parametrize("tag", ["save", "write"])
def test_save_runs_nothing(session, tag):
    it = session(f"```{tag}:a.py\nopen('out.txt', 'w')\n```", "I wrote a.py.")
    it.play("write a.py")
    assert sorted(path.name for path in it.folder.glob("*")) == ["a.py"]


@pytest.mark.parametrize(
    "request_", ["Write a.py, but do not run it.", "Schreibe a.py, ohne es auszuführen."]
)
def test_what_the_user_does_not_want_run_is_saved(session, request_):
    it = session("```python:a.py\nopen('out.txt', 'w')\n```", "I wrote a.py.")
    events = it.play(request_)
    assert "not run, because the user wants that" in last(events, Returned).result.verdict
    assert sorted(path.name for path in it.folder.glob("*")) == ["a.py"]


@pytest.mark.parametrize(
    "request_",
    [
        "How are all logs deleted? Do not run the command.",
        "What deletes all logs? Nothing is to be executed.",
        "Give me the command that deletes all logs, you must not run it.",
        "Which command deletes all logs? I'll run it myself.",
        "Wie lösche ich alle Logs? Bitte nichts ausführen.",
        "Comment effacer les logs ? N'exécute rien.",
        "删除所有日志的命令是什么, 不要执行",
        "How are all logs deleted? There is no need to run it or to write a file.",
        "How would I delete all logs? I will enter it myself.",
        "delete all logs, how? only show the command",
        "What does a command look like that deletes all logs?",
        "the crontab line that deletes all logs, how does it go?",
        "Lösche alle Logs - wie geht das? Nur den Befehl, bitte",
    ],
)
@pytest.mark.parametrize("dialect", ["fence", "xml", "native"], indirect=True)
def test_a_command_that_the_user_only_wants_to_see_is_the_answer(session, request_):
    it = session("```bash\nrm *.log\n```")
    (it.folder / "a.log").touch()
    events = it.play(request_)
    assert last(events, Answered).text == "```bash\nrm *.log\n```"
    assert [event for event in events if isinstance(event, Returned)] == []
    assert (it.folder / "a.log").exists()


@pytest.mark.parametrize(
    "request_",
    [
        "What does the command rm -r old do? Only explain it, don't do it.",
        "a colleague told me to type rm -r old. what would that do? just explain, dont run it",
        "Explain what rm -r old does. Do not run anything.",
        "Erkläre mir, was rm -r old tut, aber führe es nicht aus.",
    ],
)
@pytest.mark.parametrize("dialect", ["fence", "xml", "native"], indirect=True)
def test_what_is_only_to_be_explained_is_not_run_and_gets_words(session, request_):
    it = session("```bash\nrm -r old\n```", "It deletes old.\n```bash\nrm -r old\n```")
    put(it.loop.context, "old/a.txt", "a")
    events = it.play(request_)
    assert last(events, Answered).text == "It deletes old."
    assert (it.folder / "old/a.txt").exists() and not any(isinstance(each, Returned) for each in events)


@pytest.mark.parametrize(
    ("request_", "there"),
    [
        ("How is a text reversed in Python? Don't save or run anything.", []),
        ("How is a text reversed in Python? No need to run it or to write a file.", []),
        ("How is a text reversed in Python? Do not run or save it", []),
        ("Wie dreht man in Python einen Text um? Nichts ausführen, nichts speichern.", []),
        ("Write a program that reverses a text. Do not run it.", ["turn.py"]),
    ],
)
def test_a_program_that_is_not_to_be_saved_is_the_answer_whatever_its_name(session, request_, there):
    it = session("```python:turn.py\nprint('ab'[::-1])\n```", "The program is in turn.py.")
    events = it.play(request_)
    assert sorted(path.name for path in it.folder.glob("*")) == there
    assert ("[::-1]" in last(events, Answered).text) is (not there)


@pytest.mark.parametrize(
    "request_",
    [
        "Delete all logs. Nothing runs here any more.",
        "Lösche alle Logs, führe es aus.",
        "I tried to do it myself and failed: delete all logs.",
        "Delete all logs, but do not run the tests.",
        "Delete all logs. The nightly job should not run.",
        "Delete all logs and just show the names of the others.",
        "Lösche alle Logs, und ändere nur den Code von keinem Programm.",
    ],
)
def test_what_only_sounds_like_it_is_run(session, request_):
    it = session("```bash\nrm *.log\n```", "I deleted them.")
    (it.folder / "a.log").touch()
    it.play(request_)
    assert not (it.folder / "a.log").exists()


def test_what_the_user_wants_saved_is_saved_where_nothing_is_to_be_run(session):
    it = session("```text:b.txt\nrm *.log\n```", "The command is in b.txt.")
    it.play("Which command deletes all logs? Put it into b.txt; do not run it.")
    assert (it.folder / "b.txt").read_text() == "rm *.log\n"


ASKING = "```python:c2f.py\nprint(float(input('Celsius: ')) * 9 / 5 + 32)\n```"


@pytest.mark.parametrize(
    ("request_", "command", "outcome"),
    [
        ("write c2f.py, which asks for a temperature in Celsius", "python c2f.py", "ok"),
        ("write c2f.py, which asks for a temperature in Celsius, and try it", "python c2f.py", "failed"),
        ("write c2f.py, which converts a temperature", "python c2f.py", "failed"),
        ("write c2f.py, which asks for a temperature, and show me the result", "python c2f.py", "failed"),
        ("write c2f.py, which asks for a temperature in Celsius", "echo 100 | python c2f.py", "ok"),
    ],
)
def test_a_program_that_is_to_ask_the_user_is_not_started_without_them(session, request_, command, outcome):
    it = session(ASKING, f"To run it:\n```bash\n{command}\n```", *(["I wrote c2f.py."] * 4))
    results = [each.result for each in it.play(request_) if isinstance(each, Returned)]
    assert results[1].outcome == outcome
    if "echo" in command:
        assert "212.0" in results[1].text
    elif outcome == "ok":
        assert results[1].verdict == "ok, not run, because c2f.py asks for input, which the user types"
        assert results[1].text == ""
    else:
        assert "EOFError" in results[1].text


@pytest.mark.parametrize(
    ("code", "runs"),
    [
        ("python3 - a.csv > b.txt", False),
        ("ls\npython3 - < a.csv", False),
        ("python3 - a.csv <<'END'\nprint(1)\nEND", True),
        ("echo 'print(1)' | python3 -", True),
        ("python3 - < a.py", True),
        ("cat a.py |\npython3 -", True),
        ("python3 - a.csv \\\n  <<'END'\nprint(1)\nEND", True),
        ("go() {\n  python3 - \"$@\"\n}\ngo a <<'END'\nprint(1)\nEND", True),
    ],
)
def test_python_without_a_program_is_not_started(session, code, runs):
    it = session(f"```bash\n{code}\n```", "No.", "No.")
    for name in ("a.csv", "a.py"):
        put(it.loop.context, name, "1\n")
    it.play()
    told = it.model.asked[1][-1].text
    assert ("there is no program for python3 - to run" in told) != runs
    assert (it.folder / "b.txt").exists() is False

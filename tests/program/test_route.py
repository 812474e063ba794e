"""`tripletick route` as it is run, and the training that its answers come from."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.program.test_cli import run

from tripletick.router.classifier import FILE

TOP = Path(__file__).parents[2]


def test_route_says_who_would_get_a_request(home):
    said = run(home, "route", "find", "my", "tax", "pdf").stdout.split()
    assert (said[0], said[2:]) == ("file", ["by", "the", "router"])
    told = json.loads(run(home, "route", "-", "--json", text="write me a poem").stdout)
    assert (told["agent"], told["by"]) == ("casual", "router")
    assert 0.5 < told["confidence"] <= 1


def test_route_says_who_takes_over(home):
    asked = "find the opening hours of the Louvre online and write them into trip.txt"
    assert run(home, "route", asked).stdout.startswith("web, then file  ")


def test_route_says_when_it_is_unsure(home):
    assert "unsure" in run(home, "route", "hm").stdout


def test_route_knows_whom_a_request_names_and_the_persons_own_agents(home):
    folder = home / ".config/tripletick/agents"
    folder.mkdir(parents=True)
    (folder / "potter.md").write_text("---\nwhen = Glazing, kilns and clay.\ntools =\n---\nYou know clay.\n")
    assert run(home, "route", "@file write a poem").stdout.split() == ["file", "1.00", "by", "its", "name"]
    said = run(home, "route", "which glazing for clay in a kiln?").stdout
    assert said.startswith("potter") and said.endswith("by its description\n")


def test_route_without_a_request_says_what_to_type(home):
    done = run(home, "route", "-", text=" \n")
    assert (done.returncode, "tripletick route" in done.stderr) == (2, True)


def test_route_reads_a_record_a_line(home):
    records = [
        {"request": "again", "history": ["web", "coder"]},
        {"request": "北京明天天气怎么样", "history": []},
    ]
    done = run(home, "route", "--jsonl", text="".join(json.dumps(record) + "\n" for record in records))
    assert [json.loads(line)["agent"] for line in done.stdout.splitlines()] == ["coder", "web"]
    assert done.returncode == 0


BAD = ("{", "7", "null", "{}", '{"request": 3}', '{"request": "a", "history": [1]}', "[" * 9000)


@pytest.mark.parametrize("bad", [*BAD, '{"request": "a", "history": "coder"}'])
def test_a_line_that_is_no_record_is_answered_and_the_rest_goes_on(home, bad):
    done = run(home, "route", "--jsonl", text=f'{{"request": "hi"}}\n{bad}\n\n{{"request": "hi"}}\n')
    first, wrong, last = (json.loads(line) for line in done.stdout.splitlines())
    assert (first["agent"], wrong["line"], last["agent"]) == ("casual", 2, "casual")
    assert "error" in wrong and done.returncode == 2


@pytest.mark.timeout(900)
def test_training_gives_the_file_of_the_package_to_the_byte(tmp_path):
    pytest.importorskip("sklearn")
    command = [sys.executable, "-m", "tools.train_router", str(tmp_path / "weights.bin")]
    subprocess.run(command, cwd=TOP, check=True, timeout=880)
    assert (tmp_path / "weights.bin").read_bytes() == FILE.read_bytes()

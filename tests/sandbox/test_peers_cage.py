import sys
from pathlib import Path

import pytest
from bench.peers.cage import URL, WORK, Cage, prepare_home
from bench.peers.proxy import record_exchanges
from bench.peers.roster import find_interpreters
from tests.bad_server import BadServer, answer

HERE = Path(__file__)
ASK = f"import urllib.request as r; print(r.urlopen('{URL}/api/version').read().decode())"


@pytest.fixture
def caged(tmp_path):
    """Run Python code in a cage whose model server says a version."""

    def run(code, seconds=20.0):
        prepare_home(tmp_path / "home", {"given": "to it"})
        with (
            BadServer({"/api/version": [answer(200, '{"version": "9"}')]}) as server,
            record_exchanges(server.url, tmp_path / "socket"),
        ):
            cage = Cage(tmp_path / "home", [Path(sys.prefix), *find_interpreters()], tmp_path / "socket")
            return cage.run(["python3", "-c", code], {"PATH": f"{sys.prefix}/bin:/usr/bin:/bin"}, seconds)

    return run


def test_the_model_server_answers_where_ollama_usually_does(caged):
    assert caged(ASK).said == '{"version": "9"}\n'


def test_nobody_else_can_be_reached(caged):
    code = "import socket; socket.create_connection(('192.0.2.1', 80), 5)"
    assert "unreachable" in caged(code).beside


def test_it_works_in_its_folder_and_has_the_files_of_its_home(caged, tmp_path):
    ran = caged("import os; print(os.getcwd(), open('../given').read()); open('made', 'w').write('x')")
    assert (ran.said, ran.status, ran.late) == (f"{WORK} to it\n", 0, False)
    assert (tmp_path / "home/work/made").read_text() == "x"


def test_nothing_outside_is_there_or_can_be_written(caged):
    ran = caged(f"import os; print(os.path.exists({str(HERE)!r}), flush=True); open('/usr/x', 'w')")
    assert ran.said == "False\n"
    assert "Read-only" in ran.beside


def test_a_run_ends_with_its_time_and_so_does_what_it_started(caged):
    ran = caged("import subprocess; subprocess.run(['sleep', '1000'])", 1.0)
    assert ran.late
    assert ran.seconds < 20

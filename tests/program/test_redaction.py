"""Known secrets are neither drawn nor logged, wherever they come from; plain words stay as they are."""

import json

import pytest
from tests.bad_server import BadServer
from tests.program.test_cli import run, state, task
from tests.test_openai import CHAT, refusal

from tripletick.system.redaction import HIDDEN, Known, Stream

KEY = 'sk-Canary"9f8e7d6c5b'


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def traces(home, done):
    """All that was drawn and logged of a run."""
    kept = [path.read_text("utf-8") for path in state(home).glob("sessions/*.jsonl")]
    return "\n".join((done.stdout, done.stderr, *kept))


@pytest.mark.parametrize(
    ("given", "secret"),
    [
        (["--host", "http://joe:Canary7@h?x"], "Canary7"),
        (["--host", "http://joe:Canary7@127.0.0.1:9"], "Canary7"),
        (["--host=joe:Canary7@h"], "Canary7"),
        (["--host", "http://joe:Can/ary#7@h"], "ary#7"),
        (["--host", "http://joe:secret@h"], "secret"),
        (["-v", "--host", "http://joe:Canary7@h"], "Canary7"),
        (["--hosst", "http://joe:Canary7@h"], "Canary7"),
        (["-m", "openai:m", "--host", "https://joe:Canary7@h/v1"], "Canary7"),
    ],
)
def test_a_password_in_an_address_is_not_told(home, given, secret):
    done = run(home, "-m", "any", *given, "say hello")
    assert done.returncode and done.stderr
    assert secret not in traces(home, done)


@pytest.mark.parametrize("variable", ["OLLAMA_HOST", "TRIPLETICK_HOST"])
def test_a_password_in_an_address_of_the_environment_is_not_told(home, variable):
    done = run(home, "-m", "any", "say hello", **{variable: "http://joe:Canary7@h"})
    assert "is not the address of a server" in done.stderr
    assert "Canary7" not in traces(home, done)


def test_a_password_in_an_address_of_the_settings_is_not_told(home):
    (home / ".config/tripletick").mkdir(parents=True)
    (home / ".config/tripletick/config.ini").write_text("[model]\nhost = http://joe:Canary7@h\n")
    done = run(home, "-m", "any", "say hello")
    assert "is not the address of a server" in done.stderr
    assert "Canary7" not in traces(home, done)


@pytest.mark.parametrize("named", [{}, {"TRIPLETICK_MODEL_KEY_ENV": "MINE"}])
def test_a_server_that_quotes_the_key_is_told_and_logged_without_it(home, named):
    key = {"MINE" if named else "OPENAI_API_KEY": KEY}
    wrong = refusal(401, f"Incorrect API key provided: {KEY}.")
    with BadServer({"/v1/models": [refusal(404)] * 9, CHAT: [wrong] * 9}) as server:
        done = run(home, "-C", ".", "-m", "openai:m", "--host", server.url, "say hello", **key, **named)
    told = traces(home, done)
    assert f"Incorrect API key provided: {HIDDEN}" in done.stderr
    assert '"event"' in told
    assert "Canary" not in told


@pytest.mark.parametrize("name", [".env", "conf/key.pem"])
@pytest.mark.parametrize("output", ["text", "json", "jsonl"])
def test_the_value_of_a_hidden_file_is_neither_drawn_nor_logged(home, name, output):
    path = home / "project" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("# mine\nMODE=development\nexport DB_PASSWORD='Canary-7 x'\nURL=pg://joe:Canary8@db/x\n")
    (home / "project/.tripletickignore").write_text("*.pem\n")
    (home / "project/config.py").write_text("db = 'Canary-7 x', 'Canary8'\n")
    said = "It is development: Canary-7 x and Canary8."
    (home / "script.md").write_text(f"```bash\ncat config.py\n```\n---\n{said}\n")
    done = task(home, "-o", output, "what is the password?")
    told = traces(home, done)
    assert "It is development: [hidden] and [hidden]." in done.stdout
    assert "Canary" not in told
    for line in done.stdout.splitlines() if output != "text" else ():
        assert json.loads(line)


@pytest.mark.parametrize("said", [f"{'x' * cut} Canary-7 and Canary8." for cut in range(7)])
def test_a_secret_that_comes_in_pieces_is_neither_drawn_nor_logged(home, said):
    # a script's replies come in pieces of seven characters
    (home / "script.md").write_text(f"{said}\n")
    done = task(home, "-o", "jsonl", "what is it?", API_KEY="Canary-7", DB_URL="pg://joe:Canary8@db/x")
    texts = [json.loads(line).get("text", "") for line in done.stdout.splitlines() if '"Text"' in line]
    assert "".join(texts) == said.replace("Canary-7", HIDDEN).replace("Canary8", HIDDEN)
    assert "Canary" not in traces(home, done) and "anary" not in "".join(texts)


SPLIT = {
    "A_KEY": "key-1234567",
    "B_KEY": "key-1234567-and-more",
    "C_KEY": "more/than-that9",
    "D_KEY": "+start88+",
}


@pytest.mark.parametrize(
    "text",
    [
        "a key-1234567 b",
        "a key-1234567-and-more b",
        "a key-1234567-and-less",
        "a key-1234567-and-more/than-that9",
        "akey-1234567 key-12345678 key-1234567",
        "more/than-that9key more/than key- +start88+ +start88+",
        "\nkey-1234567\nkey-1234567\n",
    ],
)
def test_wherever_a_text_is_cut_it_loses_the_same_secrets(text):
    secrets = known(**SPLIT)
    for first in range(len(text)):
        for second in range(first, len(text)):
            stream = Stream(secrets)
            pieces = [stream.feed(each) for each in (text[:first], text[first:second], text[second:])]
            assert "".join([*pieces, stream.close()]) == secrets.redact(text)


def known(**named):
    secrets = Known()
    secrets.learn_named(named)
    return secrets


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("API_KEY", "none"),
        ("POSTGRES_PASSWORD", "postgres"),
        ("MAX_TOKENS", "100000"),
        ("SSH_KEY", "/home/me/.ssh/id"),
        ("SSH_KEY", "~/.ssh/id_ed25519"),
        ("PWD", "/work/project1"),
        ("NODE_ENV", "development"),
        ("MODEL", "gpt-4o-mini-2024"),
        ("HOST", "http://localhost:3000/a1b2"),
        ("KEYBOARD", "us-Dvorak7"),
    ],
)
def test_what_is_no_secret_is_left_in_every_text(name, value):
    assert known(**{name: value}).redact(f"it is {value}") == f"it is {value}"


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("GITHUB_TOKEN", "ghp_16C7e42F292c6912E7", "ghp_16C7e42F292c6912E7"),
        ("AWS_SECRET_ACCESS_KEY", "wJalr/K7MDENG+bPxRfi", "wJalr/K7MDENG+bPxRfi"),
        ("KEY", "CANARY-ENV-KEY", "CANARY-ENV-KEY"),
        ("https_proxy", "http://me:p%40ssw0rd@proxy:8080", "p@ssw0rd"),
        ("DB_URL", "postgresql://app:Canary7@db:5432/app", "Canary7"),
        ("TLS_KEY", 'a"b\\c7é', json.dumps('a"b\\c7é')[1:-1]),
    ],
)
def test_what_is_secret_is_taken_out_also_where_json_or_an_address_writes_it_otherwise(name, value, secret):
    assert known(**{name: value}).redact(f"<{secret}>") == f"<{HIDDEN}>"

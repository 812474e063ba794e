"""A limit of the kernel's that a block runs into is named: real programs that fork and write too much."""

import shutil

import pytest

from tripletick.sandbox.box import Finished, Limits
from tripletick.tools.output import collect_flags, detect_limit, format_verdict

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed")
LIMITS = Limits(timeout=30, memory=512 << 20, processes=40, file=1 << 20)
FORKING = "import os\nfor i in range(60):\n if not os.fork(): os.execvp('sleep', ['sleep', '60'])\n"
FORKS = {
    # bash tries again, for seconds: what it has started must end when it first fails, and not before.
    "bash": [
        "bash",
        "-c",
        "mkfifo end; (until [ -s said ]; do :; done; : > end) &\n"
        "for i in $(seq 60); do : < end & done 2> said; cat said; exit 1",
    ],
    "sh": ["sh", "-c", "for i in $(seq 60); do sleep 60 & done; exit 1"],
    "python": ["bash", "-c", f'printf %s "{FORKING}" > ~/x.py; python3 ~/x.py'],
    "subprocess": [
        "python3",
        "-c",
        "import subprocess as s\nl = [s.Popen(['sleep', '60']) for _ in range(60)]",
    ],
    "thread": [
        "python3",
        "-c",
        "import threading as t, time\n"
        "for i in range(60): t.Thread(target=time.sleep, args=[60], daemon=True).start()",
    ],
    "perl": [
        "perl",
        "-e",
        "for (1..60) { defined(my $p = fork) or die qq(cannot fork: $!); exec 'sleep', 60 if !$p }",
    ],
    "node": [
        "node",
        "-e",
        "for (let i = 0; i < 60; i++) require('child_process').spawn('sleep', ['60'])",
    ],
}
WRITES = {
    "shell": ["bash", "-c", "head -c 2000000 /dev/zero > big"],
    "python": ["python3", "-c", "open('big', 'wb').write(bytes(2000000))"],
    "cp": ["bash", "-c", "trap '' XFSZ; head -c 2000000 /dev/zero | cp /dev/stdin big"],
}
SILENT = [
    (Finished(1, b"BlockingIOError: [Errno 11] Resource temporarily unavailable"), "a socket without data"),
    (Finished(1, b"the fork is on the table"), "a word"),
    (Finished(0, b"bash: fork: retry: Resource temporarily unavailable"), "it went on and was well"),
    (Finished(137, b"File too large", signal=9, struck="memory"), "another limit ended it"),
    (Finished(1, b"413 Request Entity Too Large"), "what a server says"),
]


@pytest.mark.parametrize("name", [name for name, words in FORKS.items() if shutil.which(words[0])])
def test_a_program_that_fails_at_the_number_of_processes_names_it(make, name):
    _, finished = make(limits=LIMITS).run(FORKS[name])
    assert (finished.struck, finished.status != 0) == ("", True)
    assert detect_limit(finished, LIMITS) == "a block may have 40 processes", finished.head


@pytest.mark.parametrize("name", WRITES)
def test_a_program_that_fails_at_the_size_of_a_file_names_it(make, name):
    place = make(limits=LIMITS)
    _, finished = place.run(WRITES[name])
    said = f"{format_verdict(finished, LIMITS)}, {detect_limit(finished, LIMITS)}"
    assert "stopped at 1 MiB for one file" in said or "a file of a block may have 1 MiB" in said
    assert (place.workspace / "big").stat().st_size <= 1 << 20


@pytest.mark.parametrize(
    ("finished", "why"), SILENT, ids=lambda value: value if isinstance(value, str) else ""
)
def test_no_limit_is_named_where_none_struck(finished, why):
    assert detect_limit(finished, LIMITS) == ""


def test_the_flag_of_a_limit_of_the_kernel_s_is_its_name():
    assert [collect_flags(Finished(128 + number, b"", signal=number)) for number in (25, 24, 11)] == [
        {"file"},
        {"timeout"},
        {"signal"},
    ]

"""The filter for system calls, tried from inside a real box: each row of its table by a program."""

import errno
import os
import platform
import shutil
import struct

import pytest

from tripletick.sandbox import seccomp

MACHINE = platform.machine()
COLUMN = list(seccomp.ARCHITECTURES).index(MACHINE) if MACHINE in seccomp.ARCHITECTURES else 0
NUMBERS = {name: row[COLUMN] for name, row in seccomp.NUMBERS.items() if row[COLUMN] is not None}
CALL = """
import ctypes
library = ctypes.CDLL(None, use_errno=True)
library.syscall.restype = ctypes.c_long
def call(number, *arguments):
    words = [ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_long(a) for a in arguments]
    result = library.syscall(ctypes.c_long(number), *words)
    return ctypes.get_errno() if result == -1 else 0
file = open("fd")
fd = file.fileno()
"""
NAMESPACE_FLAGS = (0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
NEWTIME = 0x80
needs_box = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed")
known = pytest.mark.skipif(MACHINE not in seccomp.ARCHITECTURES, reason="no filter for this processor")
pytestmark = [needs_box, known]


@pytest.fixture
def calls(place, owner):
    """Make system calls in the box; give the errno of each, 0 where it worked."""
    (place.workspace / "fd").touch()
    os.chown(place.workspace / "fd", owner, -1)

    def run(*rows) -> list[int]:
        code = f"{CALL}\nfor row in [{', '.join(rows)}]: print(call(*row))"
        text, finished = place.python(code)
        assert finished.status == 0, text
        return [int(word) for word in text.split()]

    return run


def test_every_forbidden_call_is_refused(calls):
    names = [name for name in seccomp.FORBIDDEN if name in NUMBERS]
    rows = [f"({NUMBERS[name]}, 0, 0, 0, 0, 0)" for name in names]
    assert dict(zip(names, calls(*rows), strict=True)) == dict.fromkeys(names, errno.EPERM)


def test_calls_whose_arguments_cannot_be_seen_do_not_exist(calls):
    rows = [f"({NUMBERS[name]}, 0, 0, 0, 0, 0)" for name in seccomp.ABSENT]
    assert set(calls(*rows)) == {errno.ENOSYS}


def test_no_namespace_of_any_kind_is_made(calls):
    clones = [f"({NUMBERS['clone']}, {flag | 17}, 0, 0, 0, 0)" for flag in NAMESPACE_FLAGS]
    unshares = [f"({NUMBERS['unshare']}, {flag})" for flag in (*NAMESPACE_FLAGS, NEWTIME)]
    assert calls(*clones, *unshares) == [errno.EPERM] * 15


def test_an_unshare_that_makes_no_namespace_works(calls):
    assert calls(f"({NUMBERS['unshare']}, 0x400)") == [0]


def test_only_four_families_of_sockets_are_there(calls):
    families = [family for family in range(46) if family not in (1, 2, 10, 16)]
    names = ("socket", "socketpair")
    refused = calls(*(f"({NUMBERS[name]}, {family}, 2, 0, 0)" for name in names for family in families))
    allowed = calls(
        *(f"({NUMBERS['socket']}, {family}, 3 if {family} == 16 else 2, 0)" for family in (1, 2, 10, 16))
    )
    assert (set(refused), set(allowed)) == ({errno.EAFNOSUPPORT}, {0})


@pytest.mark.parametrize("request_", [0x5412, 0x541C], ids=["TIOCSTI", "TIOCLINUX"])
def test_nothing_is_typed_into_a_terminal_even_of_the_block_s_own(place, request_):
    code = (
        "import fcntl, os, pty\nours, theirs = pty.openpty()\n"
        "if os.fork(): os._exit(os.waitstatus_to_exitcode(os.wait()[1]))\n"
        "os.setsid(); fcntl.ioctl(theirs, 0x540E, 0)\n"
        f"fcntl.ioctl(theirs, {request_}, b'x')"
    )
    text, finished = place.python(code)
    assert finished.status == 1
    assert text.endswith("PermissionError: [Errno 1] Operation not permitted\n")


WAYS = {
    "chmod": '({n}, b"fd", {mode})',
    "fchmod": "({n}, fd, {mode})",
    "fchmodat": '({n}, -100, b"fd", {mode})',
    "fchmodat2": '({n}, -100, b"fd", {mode}, 0)',
    "open": '({n}, b"new", 0o102, {mode})',
    "openat": '({n}, -100, b"new", 0o102, {mode})',
    "creat": '({n}, b"new", {mode})',
    "mkdir": '({n}, b"new", {mode})',
    "mkdirat": '({n}, -100, b"new", {mode})',
    "mknod": '({n}, b"new", {mode} | 0o100000, 0)',
    "mknodat": '({n}, -100, b"new", {mode} | 0o100000, 0)',
}


@pytest.mark.parametrize("name", sorted(set(WAYS) & set(NUMBERS)))
def test_no_way_gives_a_file_the_setuid_or_setgid_bit(place, calls, name):
    rows = [WAYS[name].format(n=NUMBERS[name], mode=mode) for mode in (0o4755, 0o2755, 0o6755, 0o755)]
    assert calls(*rows) == [errno.EPERM, errno.EPERM, errno.EPERM, 0]
    assert not [path for path in place.workspace.iterdir() if path.lstat().st_mode & 0o6000]


def test_an_unnamed_file_gets_no_setuid_bit_either(calls):
    assert calls(f'({NUMBERS["openat"]}, -100, b".", {os.O_TMPFILE | os.O_RDWR}, 0o4755)') == [errno.EPERM]


def test_opening_without_making_a_file_is_not_judged_by_a_mode_that_means_nothing(calls):
    assert calls(f'({NUMBERS["openat"]}, -100, b"fd", 0, 0o6777)') == [0]


@pytest.mark.parametrize("size", [1 << 20, 1 << 32, (1 << 32) + 56, (256 << 10) + 1, 1 << 63])
def test_shared_memory_by_number_is_too_small_to_hide_much_in(calls, size):
    rows = [f"({NUMBERS['shmget']}, 0, {each}, 0o1600)" for each in (size, 56, 256 << 10)]
    assert calls(*rows) == [errno.EINVAL, 0, 0]


@pytest.mark.skipif(MACHINE != "x86_64", reason="x32 is an interface of x86_64")
def test_the_same_calls_by_the_numbers_of_x32_are_refused(calls):
    assert (
        calls(*(f"({0x40000000 | number}, 0, 0, 0)" for number in (39, 41, 165, 520))) == [errno.ENOSYS] * 4
    )


@pytest.mark.skipif(MACHINE != "x86_64", reason="the instruction is one of x86")
def test_a_call_of_another_architecture_ends_the_program(place):
    code = (
        "import ctypes, mmap\nm = mmap.mmap(-1, 4096, prot=7)\nm.write(bytes.fromhex('b814000000cd80c3'))\n"
        "ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()\nprint('ran')"
    )
    text, finished = place.python(code)
    assert ("ran" in text, finished.signal) == (False, 31)


def test_a_process_may_trace_its_own_children(place):
    assert place.python("import ctypes; print(ctypes.CDLL(None).ptrace(0, 0, 0, 0))")[0] == "0\n"


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_every_jump_of_the_filter_lands_in_it_and_its_last_step_returns(machine):
    steps = list(struct.iter_unpack("=HBBI", seccomp.program(machine) or b""))
    jumps = [
        place + 1 + jump for place, (code, *both, _) in enumerate(steps) for jump in both if code & 7 == 5
    ]
    assert max(jumps) < len(steps) < 200
    assert steps[-1][0] == seccomp.RETURN


def test_a_processor_that_is_not_known_gets_no_filter():
    assert seccomp.program("vax") is None

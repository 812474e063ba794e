import ctypes
import mmap
import os
import subprocess
import sys

import pytest

from tripletick.models.embedded import EmbeddedModel
from tripletick.models.llamacpp import find_first_error
from tripletick.models.ollama_store import ModelFiles

LIMIT = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
ASK = "from tripletick.models.llamacpp import thread_limit; raise SystemExit(thread_limit())"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity") or os.cpu_count() == 1, reason="no core to give up")
def test_no_more_threads_are_started_than_cores_may_be_used():
    assert subprocess.run([sys.executable, "-c", LIMIT + ASK], check=False).returncode == 1


@pytest.mark.parametrize(
    ("log", "told"),
    [
        (
            "0.0 E llama_model_load: error loading model: unknown architecture: 'x'\n0.1 E srv: no",
            "unknown architecture: 'x'",
        ),
        (
            "warming up\n0.1 E common_chat_templates_init: error: Unknown statement: xor",
            "Unknown statement: xor",
        ),
        (
            "0.1 E lora_init: LoRA tensor does not exist (hint: wrong model?).",
            "LoRA tensor does not exist (hint: wrong model?)",
        ),
        ("0.1 I all is well", ""),
        ("", ""),
    ],
)
def test_the_first_error_of_a_log_is_its_reason(log, told):
    assert find_first_error(log) == told


def in_memory(path):
    """Tell whether all pages of a file are, which reads none of them (mincore(2))."""
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        pages = (ctypes.c_ubyte * (len(mapped) // mmap.PAGESIZE))()
        first = ctypes.c_char.from_buffer(mapped)
        ctypes.CDLL(None).mincore(ctypes.c_void_p(ctypes.addressof(first)), len(mapped), pages)
        del first
    return all(page & 1 for page in pages)


@pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="the system takes no advice")
def test_a_preloaded_file_is_read_into_memory_while_the_person_types(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"x" * (4 << 20))
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    EmbeddedModel(ModelFiles("it", path)).preload()
    while not in_memory(path):
        # the test's time limit ends it
        pass

"""How tests use a file tool: a bench without a box, one call, and the person's answers in their order."""

from contextlib import contextmanager

from tripletick.events import Ask
from tripletick.messages import Answer, Call
from tripletick.paths import Workspace
from tripletick.sandbox.bare import UnsandboxedBox
from tripletick.sandbox.box import SandboxSpec
from tripletick.tools import load_tools
from tripletick.tools.tool import FileTracker, ToolContext


@contextmanager
def open_plain(top):
    folder = top / "work"
    folder.mkdir()
    box = UnsandboxedBox(SandboxSpec(folder, top / "state"))
    yield ToolContext(Workspace(folder), box, FileTracker(), clip=2000)
    box.close()


def use(bench, tag, body="", path=None, *words):
    """Run a tool where no one is there to confirm it."""
    return play(bench, Call(tag, body, path, words))


def play(bench, call, *answers):
    """Run a call; without an answer left nobody is there."""
    waiting, said = list(answers), None
    running = load_tools()[call.tool].run(call, bench)
    try:
        while True:
            asked = isinstance(running.send(said), Ask)
            said = (waiting.pop(0) if waiting else Answer(there=False)) if asked else None
    except StopIteration as end:
        return end.value


def put(bench, path, text):
    """Make a file as the person does."""
    file = bench.workspace.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file

"""A real coding model in an editor: the SDK's own client, the program, the sandbox.

That the user is asked, that blocks come as calls and that all of it can be undone is asserted; whether the
work came out right is the model's, and is told at the end of the run.
"""

import asyncio

import pytest

pytest.importorskip("acp")
from tests.editor import Editor, opened
from tests.real.conftest import excused
from tests.real.ollama_server import CannotServe, coder_model

SECONDS = 300
REQUEST = "Change milk to bread in notes.txt."


def test_a_file_is_changed_after_a_permission_and_restored(tmp_path, report):
    project = tmp_path / "project"
    project.mkdir()
    (project / "notes.txt").write_text("milk\neggs\n")
    try:
        model = coder_model()
    except CannotServe as error:
        excused(error)
    editor = Editor()

    async def act():
        async with opened(tmp_path, editor, "-m", f"embedded:{model}", "--ctx", "4096", "-a", "file"):
            await editor.begin(project)
            reason = await editor.send(REQUEST, seconds=SECONDS)
            # a small model may have moved the file too
            changed = {path.name: path.read_text() for path in project.iterdir() if path.is_file()}
            await editor.send("/undo", seconds=SECONDS)
            return reason, changed

    reason, changed = asyncio.run(act())
    assert reason in ("end_turn", "max_turn_requests")
    assert editor.asked[0][0].startswith("Let blocks write here")
    assert editor.calls
    assert {call["status"] for call in editor.calls.values()} <= {"completed", "failed"}
    assert editor.words.strip()
    assert (project / "notes.txt").read_text() == "milk\neggs\n"
    right = changed.get("notes.txt", "").split() == ["bread", "eggs"]
    report(f"editor, {model.stem}: {REQUEST} {'yes' if right else f'no: {changed!r}'}")

"""The screens that a person sees, whole, as text: each scene on a real terminal, in the windows people have.

TRIPLETICK_WRITE_SCREENS=1 keeps them anew, after a change that was meant; look at each of them then.
"""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests import scenes
from tests.bad_server import done, line, stream
from tests.terminal import HEIGHT, Terminal, opened, same_as

NARROW, BROAD = (40, HEIGHT), (200, HEIGHT)
PLAIN, DUMB, BARE = {"NO_COLOR": "1"}, {"TERM": "dumb"}, {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}
SCENES: dict[str, tuple[Callable[..., Terminal], Mapping[str, Any]]] = {
    "first-run": (scenes.first_run, {}),
    "first-run-40": (scenes.first_run, {"size": NARROW}),
    "no-server": (scenes.no_server, {}),
    "no-server-40": (scenes.no_server, {"size": NARROW}),
    "started": (scenes.started, {}),
    "offline": (scenes.offline, {}),
    "no-models": (scenes.no_models, {}),
    "doubted": (scenes.doubted, {}),
    "repair": (scenes.repair, {}),
    "repair-40": (scenes.repair, {"size": NARROW}),
    "repair-200": (scenes.repair, {"size": BROAD}),
    "repair-no-colour": (scenes.repair, PLAIN),
    "repair-dumb": (scenes.repair, DUMB),
    "repair-ascii": (scenes.repair, BARE),
    "plan": (scenes.plan, {}),
    "plan-40": (scenes.plan, {"size": NARROW}),
    "plan-dumb": (scenes.plan, DUMB),
    "plan-ascii": (scenes.plan, BARE),
    "wide": (scenes.wide, {}),
    "wide-40": (scenes.wide, {"size": NARROW}),
    "wide-200": (scenes.wide, {"size": BROAD}),
    "stopped": (scenes.stopped, {}),
    "stopped-dumb": (scenes.stopped, DUMB),
    "resumed": (scenes.resumed, {}),
    "resumed-40": (scenes.resumed, {"size": NARROW}),
    "undone": (scenes.undone, {}),
    "undone-no-colour": (scenes.undone, PLAIN),
    "completed": (scenes.completed, {}),
    "completed-40": (scenes.completed, {"size": NARROW}),
    "pasted": (scenes.pasted, {}),
}


@pytest.mark.parametrize("name", SCENES)
def test_the_screen_is_the_one_that_is_kept(home, name):
    scene, how = SCENES[name]
    assert same_as(name, scene(home, **how).scrolled())


def test_a_window_that_changes_while_the_model_writes_keeps_no_rests_of_the_status_line(home):
    narrow, seen = threading.Event(), threading.Event()

    def answering():
        yield from stream(line("One.\n\nThis is the second of them, and long. "), end=False)
        narrow.wait(60)
        yield from stream(line("NARROW, it goes on over the edge"), end=False)[1:]
        seen.wait(60)
        yield from stream(line(" of it."), done())[1:]

    with (
        scenes.served(answering()) as server,
        opened(home, "-a", "coder", "-m", "any", "--host", server.url) as terminal,
    ):
        terminal.wait(scenes.PROMPT).send("write").wait("One.", "and long.").resize(40)
        narrow.set()
        terminal.wait("edge")
        seen.set()
        terminal.wait("tokens").wait_line(scenes.PROMPT)
        shown = " ".join(terminal.text().partition("One.")[2].split())
    assert shown.startswith("This is the second of them, and long. NARROW, it goes on over the edge of it.")

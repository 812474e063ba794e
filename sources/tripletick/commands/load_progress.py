"""A model loading on a server, as the user sees it: how long it takes, and where it ends up.

How the server is asked is in models/preload.py. A server behind TLS or a proxy loads at the first request.
"""

from __future__ import annotations

import time
from contextlib import closing

from tripletick.chat.frontend import Screen
from tripletick.errors import TripletickError
from tripletick.models import EngineSettings
from tripletick.models.ollama import Ollama
from tripletick.models.preload import LoadedModel

GLANCE = 0.1
"""Seconds after which Ctrl+C is heard."""
LOADING = "Loading … {seconds:.1f} s"


def load_model(name: str, settings: EngineSettings, context: int, screen: Screen, words: str) -> None:
    """Have a model loaded with this context, and say `words` and what came of it.

    What goes wrong is not told: the first request does. Raises KeyboardInterrupt, which stops the server too.
    """
    began = time.monotonic()

    def told() -> str:
        return f"{words} {LOADING.format(seconds=time.monotonic() - began)}".strip()

    with closing(Ollama(name, settings)) as model:
        model.set_context(context)
        model.preload()
        screen.status(told)
        try:
            while model.is_still_loading(GLANCE):
                pass
        finally:
            screen.close()
        loaded = _request_loaded(model)
    if line := f"{told()}, {loaded.placement}" if loaded else words:
        screen.say(line)


def _request_loaded(model: Ollama) -> LoadedModel | None:
    try:
        return model.find_loaded()
    except TripletickError:
        return None

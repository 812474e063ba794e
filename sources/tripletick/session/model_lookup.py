"""Asks a server about the model while the rest of the session is still being imported.

That is all that is asked ahead: loading the model waits until it is known which agent works.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread

from tripletick.config.config import Config
from tripletick.errors import TripletickError
from tripletick.models import resolve_engine
from tripletick.models.model import Model, ModelInfo
from tripletick.session import model_selection
from tripletick.system.cancellation import CancelToken


class ModelLookup:
    """A model that was opened, and what its server says of it; `halt` is the session's."""

    def __init__(self, config: Config, notice: Callable[[str], None], halt: CancelToken) -> None:
        self.config = config
        self._halt = halt
        self.model: Model = model_selection.open_configured_model(config, notice, halt)
        self._info: Future[ModelInfo] = Future()
        self._thread = Thread(target=self._request_info, daemon=True)
        self._thread.start()

    def wait_for_info(self) -> ModelInfo:
        """Give what the server says. Raises what `Model.get_info` raises."""
        return self._info.result()

    def close(self) -> None:
        """Hang up, and close the model."""
        self._halt.cancel()
        self._thread.join()
        self._halt.clear()
        self.model.close()

    def _request_info(self) -> None:
        try:
            self._info.set_result(self.model.get_info())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            self._info.set_exception(error)


def start_lookup(config: Config, notice: Callable[[str], None], halt: CancelToken) -> ModelLookup | None:
    """Ask a server about the model that the config names; None where it names none, or one without a
    server. What is wrong with the config is for the first turn to say.
    """
    name, host = config.model.name, config.model.host
    if name and resolve_engine(name, host) in model_selection.EMPTY:
        with suppress(TripletickError):
            return ModelLookup(config, notice, halt)
    return None


def open_looked_up(
    lookup: ModelLookup | None, config: Config, notice: Callable[[str], None], halt: CancelToken
) -> tuple[Model, ModelInfo]:
    """Open the model that the config names, the one that was asked about ahead where it is that. Raises what
    opening it raises, and `Model.get_info`.
    """
    if lookup is None or model_selection.needs_reload(lookup.config, config):
        if lookup:
            lookup.close()
        model = model_selection.open_configured_model(config, notice, halt)
        return model, model.get_info()
    try:
        return lookup.model, lookup.wait_for_info()
    except BaseException:
        lookup.close()
        raise

"""Makes a fetched model known to a running Ollama server: its file, its adapter, its chat template.

Through the `ollama` library, imported when it is used. The server keeps a copy of its own of the file.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick.errors import ServerFailedError, TripletickError
from tripletick.models import EngineSettings, chat_templates, failures
from tripletick.models.catalog import CatalogEntry
from tripletick.models.failures import ErrorTemplate
from tripletick.models.hosts import ServerAddress, resolve_address
from tripletick.models.ollama import Ollama

if TYPE_CHECKING:
    import httpx

FAILED = ErrorTemplate(
    ServerFailedError,
    "The server rejected model {name}.",
    "It says: {told}.",
    "For details see the server's log. Without a server: tripletick -m embedded:{name}",
)


def register_model(entry: CatalogEntry, model: Path, settings: EngineSettings) -> None:
    """Make a model known to the server under its name in the catalog.

    Raises ServerUnreachableError where none answers, ServerFailedError where it does not take the model or is
    silent for `first_timeout` seconds.
    """
    import httpx
    import ollama

    where = resolve_address(settings.host)
    with closing(Ollama(entry.name, settings)) as server:
        # what does not answer, or is no Ollama, is told as everywhere
        server.list_models()
    client = ollama.Client(
        where.url,
        trust_env=not where.is_private,
        follow_redirects=False,
        timeout=httpx.Timeout(settings.first_timeout, connect=settings.connect_timeout),
        event_hooks={"request": [_drop_key]},
    )
    form = chat_templates.get_template(entry.template)
    try:
        client.create(
            entry.name,
            files={model.name: client.create_blob(model)},
            adapters={path.name: client.create_blob(path) for path in entry.adapters} or None,
            template=form.text,
            parameters={"stop": list(form.stop)},
        )
    except httpx.TimeoutException as error:
        raise failures.SILENT(where=where.url, seconds=settings.first_timeout) from error
    except (ollama.ResponseError, ConnectionError, httpx.HTTPError) as error:
        raise _make_error(entry, error, where) from error


def _drop_key(request: httpx.Request) -> None:
    """Send no key: the library adds OLLAMA_API_KEY, which is meant for ollama.com, whatever the host is."""
    request.headers.pop("Authorization", None)


def _make_error(entry: CatalogEntry, error: Exception, where: ServerAddress) -> TripletickError:
    told = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
    return FAILED(name=entry.name, told=told, where=where.url)

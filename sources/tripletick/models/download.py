"""A model's file from its maker's page, by HTTP, continuing a partial download.

Only files whose length is known beforehand are taken. Whether it is the right file is fetch.py's to tell.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import requests
from urllib3.exceptions import HTTPError

from tripletick.models import failures
from tripletick.models.catalog import CatalogEntry

CONNECT_SECONDS, SILENCE_SECONDS = 5.0, 30.0
ATTEMPTS = 30
"""Times that a page may break off; a time that brings nothing is the last one."""
CHUNK = 1 << 16
OTHER_SIZE = "the file has an unexpected size"

Progress = Callable[[int, int], None]
"""Gets the bytes that are there and the bytes there will be."""


def download_file(entry: CatalogEntry, part: Path, notice: Progress) -> str:
    """Fetch the file into `part`, behind what is there; give "", or one clause that says why it did not come.

    Raises OSError where `part` cannot be written.
    """
    if file_size(part) > entry.size:
        part.unlink()
    why = ""
    for _ in range(ATTEMPTS):
        before = file_size(part)
        if before == entry.size:
            return ""
        why = _download_rest(entry, part, notice)
        if file_size(part) <= before:
            break
    return "" if file_size(part) == entry.size else why or "the connection was lost"


def _download_rest(entry: CatalogEntry, part: Path, notice: Progress) -> str:
    have = file_size(part)
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        response = requests.get(
            entry.url, headers=headers, stream=True, timeout=(CONNECT_SECONDS, SILENCE_SECONDS)
        )
    except (OSError, HTTPError) as error:
        # also where there are no certificates, which is no matter of `part`
        return failures.describe_cause(error)
    try:
        with response:
            at = have if response.status_code == requests.codes.partial_content else 0
            return _check_response(response, entry, at) or _write_body(response, entry, part, at, notice)
    except requests.RequestException as error:
        return failures.describe_cause(error)


def _check_response(response: requests.Response, entry: CatalogEntry, at: int) -> str:
    """Say why this answer is not the rest of the file, "" where it is."""
    if not response.ok:
        return f"status {response.status_code}"
    begins = response.headers.get("Content-Range", f"bytes {at}-").removeprefix("bytes ").partition("-")[0]
    length = response.headers.get("Content-Length", "")
    fits = begins == str(at) and length.isdecimal() and at + int(length) == entry.size
    return "" if fits else OTHER_SIZE


def _write_body(
    response: requests.Response, entry: CatalogEntry, part: Path, at: int, notice: Progress
) -> str:
    with part.open("ab" if at else "wb") as out:
        for data in response.iter_content(CHUNK):
            out.write(data)
            at += len(data)
            notice(min(at, entry.size), entry.size)
    return ""


def file_size(path: Path) -> int:
    """Give a file's bytes, 0 where it is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def folder_size(folder: Path) -> int:
    """Add up the files below a folder, which may come and go meanwhile."""
    # os.walk passes over a folder that goes while it is read; rglob raises
    return sum(file_size(Path(at, name)) for at, _, names in os.walk(folder) for name in names)

"""Run as a program of its own: bytes of a page on standard input, its text as JSON on standard output.

A page that takes too long or too much memory ends this process and nothing else. It imports nothing of
tripletick; what it may find is told by the first argument.
"""

from __future__ import annotations

import codecs
import html
import io
import json
import re
import resource
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

MOST_MEMORY = 2 << 30
MOST_TEXT = 2_000_000
"""Characters that are given."""
MOST_HTML = 2_000_000
"""Characters of HTML that are looked at: a second's work for each 200 000 of them."""
QUICK = 300_000
"""From here on the first way to find a page's text has to do."""
MOST_PAGES = 300
OLD = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "johab": "cp949",
    "big5": "big5hkscs",
}
"""What a page means that names these: browsers read them so (WHATWG, Encoding)."""
UNKNOWN = {
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "x-euc-jp": "euc_jp",
    "x-cp1251": "cp1251",
    "unicode": "utf-8",
}
_META = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]{2,40})""", re.I
)
_TITLE = re.compile(r"(?is)<title[^>]{0,200}>([^<]{0,1000})</title")
_HEAD = re.compile(r"(?i)<(?:head|title)\b")
LOST = "\ufffd"
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
Told = dict[str, object]


def extract_html(data: bytes, charset: str, address: str) -> Told:
    """Give title and Markdown of an HTML page: its main text, else all of it."""
    import trafilatura

    source = decode_text(data, charset)
    cut, source = len(source) > MOST_HTML, source[:MOST_HTML]
    found = _TITLE.search(source)
    title = " ".join(html.unescape(found[1]).split()) if found else ""
    text = trafilatura.extract(
        source,
        url=address,
        output_format="markdown",
        include_links=True,
        include_formatting=True,
        include_comments=False,
        fast=len(source) > QUICK,
    )
    # a few words or one paragraph without a head are taken for no page
    whole = source if _HEAD.search(source) else f"<html><body>{source}</body></html>"
    return {"title": title, "text": text or trafilatura.html2txt(whole), "cut": cut}


def extract_pdf(data: bytes, charset: str, address: str) -> Told:
    """Give the text of a PDF, page by page."""
    import pypdf

    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise ValueError("it is locked by a password")
    count = len(reader.pages)
    texts = list(_extract_pages(reader.pages[:MOST_PAGES], count))
    title = str(reader.metadata.title or "") if reader.metadata else ""
    return {"title": title, "text": "\n\n".join(texts), "cut": count > MOST_PAGES}


def _extract_pages(pages: Iterable[Any], count: int) -> Iterator[str]:
    for number, one in enumerate(pages, 1):
        if text := one.extract_text().strip():
            yield f"(page {number} of {count})\n{text}"


def extract_plain(data: bytes, charset: str, address: str) -> Told:
    """Give a plain text as it stands."""
    return {"title": "", "text": decode_text(data, charset), "cut": False}


def decode_text(data: bytes, charset: str) -> str:
    """Read bytes by their mark, by what was told with them, by what the page says, by what they look like."""
    marked = next((name for mark, name in MARKS if data.startswith(mark)), "")
    for name in (marked, charset, _find_declared(data)):
        with suppress(LookupError, ValueError):
            if name and (text := _decode_as(data, resolve_encoding(name))):
                return text
    if _is_utf8(data):
        return data.decode("utf-8", "replace")
    from charset_normalizer import from_bytes

    best = from_bytes(data[:200_000]).best()
    return data.decode(best.encoding if best else "cp1252", "replace")


def _find_declared(data: bytes) -> str:
    """Give the encoding that a page names in its own text, "" where it names none; that text is ASCII, so
    UTF-16 is not meant (HTML 13.2.3.2).
    """
    said = _META.search(data[:4096])
    name = said[1].decode("ascii") if said else ""
    return "utf-8" if re.match(r"(?i)utf[-_]?(?:16|32)", name) else name


def _decode_as(data: bytes, name: str) -> str:
    """Read bytes in an encoding, "" where they are in another: half of what is not ASCII makes no sense, or
    it is UTF-8 where an old name was told, which hardly ever comes about otherwise.
    """
    text = data.decode(name, "replace")
    strange = len(text) - len(text.encode("ascii", "ignore"))
    wrong = text.count(LOST) * 2 > strange or (name == "cp1252" and not data.isascii() and _is_utf8(data))
    return "" if wrong and strange else text


def _is_utf8(data: bytes) -> bool:
    """Tell whether it is, though it may have been cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeError:
        return False
    return True


def resolve_encoding(name: str) -> str:
    """Give Python's name of an encoding. Raises LookupError."""
    plain = UNKNOWN.get(name.strip().lower(), name.strip())
    found = codecs.lookup(plain).name
    return OLD.get(found, found)


READERS = {"html": extract_html, "pdf": extract_pdf, "text": extract_plain}


def main() -> None:
    told = json.loads(sys.argv[1])
    sys.path[:] = told["path"]
    for limit, most in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))
    got = READERS[told["kind"]](sys.stdin.buffer.read(), told["charset"], told["address"])
    got["cut"] = got["cut"] or len(str(got["text"])) > MOST_TEXT
    got["text"] = str(got["text"])[:MOST_TEXT]
    sys.stdout.buffer.write(json.dumps(got).encode())


if __name__ == "__main__":
    main()

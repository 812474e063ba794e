"""What may be the names of files in the words of a request."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable, Iterator

from tripletick.languages.registry import detect_language
from tripletick.system.lazy_regex import lazy_regex

WORD = lazy_regex(
    r"\"([^\"\n]{1,200})\"|(?<!\w)'([^'\n]{1,200})'(?!\w)|`([^`\n]{1,200})`|([^\s\"'`,;!?()<>\[\]{}]+)"
)
"""What may be a path: words between quotes, which an apostrophe is none of, or one word."""
PLACE = lazy_regex(r"(?<![\w./~+-])[\w./~+-]*[\w+-]\.\w{1,6}")
"""What may be a path in the words of a program."""
PATTERN = lazy_regex(
    r"(?<![A-Za-z])(?:YEAR|YYYY|MONTH|MM|DAY|DD|DATE|TIME|NAME|TITLE|NUMBER|NUM|N+|X+|ID|FILE|FILENAME|EXT)"
    r"(?![A-Za-z])"
)
"""A word in a name that stands for others: `invoice_YEAR_MONTH.txt` is no file."""
_PART = lazy_regex(
    r"(?i)\b(?:(?:end(?:s|ing)?|enden|endet) (?:in|with|on|auf|mit)|endings?|suffix(?:es)?) "
    r"[\"'`]?[_.-][\w.-]+[\"'`]?"
)
"""How names end, which is no name: `those that end in _alto.pdf`."""
NO_FILE = lazy_regex(
    r"(?:Node|Next|Nuxt|Vue|React|Angular|Express|Three|D3|Chart|Ember|Alpine|Electron|node|p5|discord)\.js"
    r"|.*\.(?:ai|me)"
)
"""What has a file's ending and is a library or a site."""
TYPES = mimetypes.MimeTypes()


def is_file_name(word: str) -> bool:
    """Tell a file's name from other words with a point in them: its ending is one that files have."""
    if not PLACE.fullmatch(word) or NO_FILE.fullmatch(word):
        return False
    return bool(detect_language(word) or TYPES.guess_type(word)[0])


def is_named_after(new: str, path: str) -> bool:
    """Tell whether a file is called as another one and more: `choir_sorted.txt`, of `choir.txt`."""
    (folder, _, name), (place, _, other) = path.rpartition("/"), new.rpartition("/")
    stem, _, ending = name.rpartition(".")
    made, _, kind = other.rpartition(".")
    return (folder, ending) == (place, kind) and stem != made and bool(stem) and stem in made


def find_blank_names(text: str, names: Iterable[str]) -> list[str]:
    """Give the names with blanks that a text holds, the longest first."""
    return sorted((name for name in names if " " in name and name in text), key=len, reverse=True)


def mask_endings(text: str) -> str:
    """Leave out of a text what it says of how names end."""
    return _PART.sub(" ", text)


def split_words(text: str) -> Iterator[str]:
    """Give the words that may be paths."""
    for match in WORD.finditer(mask_endings(text)):
        yield next(filter(None, match.groups())).rstrip(".:")

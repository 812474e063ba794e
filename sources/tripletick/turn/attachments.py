"""Attached files: those that a request names, and the program in which an error occurred.

A small model seldom reads a file before it changes it, and mends one that it sees. Each version of a file
goes along once, within the budget of one output; what has gone along as a whole counts as read.
Hidden files do not, nor what is no text; what git ignores does where it is named.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from tripletick.agents.definitions import EVERY_LANGUAGE
from tripletick.agents.templates import Templates
from tripletick.languages.registry import detect_language, is_document, is_program_path
from tripletick.messages import Result
from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools import common_mistakes, data_summary, finder, reproduction
from tripletick.tools.command_arguments import describe_argument
from tripletick.tools.content_listing import list_holding
from tripletick.tools.file_listing import (
    LISTINGS,
    STEM,
    extract_content_words,
    find_by_name,
    fit_words,
    format_dates,
    suggest_paths,
)
from tripletick.tools.file_search import search_files
from tripletick.tools.syntax_check import PARSERS, find_data_problem
from tripletick.tools.tool import FileTracker, ToolContext
from tripletick.turn import clues
from tripletick.turn.file_display import LARGEST, format_fenced, format_file, format_folder
from tripletick.turn.file_mentions import PATTERN, PLACE, find_blank_names, is_file_name, split_words
from tripletick.turn.request_kinds import asks_which, only_wants

MOST = 6
"""Files of one request."""
LEAST = 200
"""Characters; with less room left nothing is begun."""
FEW, SHORT = 3, 1000
"""Files that a request without a name may mean, and their characters."""
ENDING = lazy_regex(r"(?<![\w.])(?:log|csv|tsv|json|toml|yaml|xml|html|md|txt)s?\b", re.IGNORECASE)
"""The ending of a file, as people speak of it."""
SETTINGS = ("yaml", "toml", "ini", "dotenv", "gitignore", "dockerfile", "makefile", "nginx")
TYPED = ("html", "css", "gitignore", "dockerfile", "makefile")
"""Files that are written as programs are, and have a form that a model gives under any tag."""
LOOKS, ACTS = ("tells", "counts", "finds"), ("alters", "moves", "adds")
"""Words of a request that wants to know something, and of one that wants something done with files."""
FAILS = "{command} fails:"
MISSING = lazy_regex(r"(?:No such file or directory|no such file or directory, \w+):? '([^'\n]+)'")
INSTEAD = "{name} does not exist; {path} does."
HITS = 8
"""Files that a search shows."""
FOUND = "A search for words of the task found:\n{hits}"
RENAMES = (
    "renam|mov|umbenenn|benenn|verschieb|renomm|déplac|renombr|muev|mover|rinomin|spost|hernoem|verplaats"
)
"""How what gives a file another name begins."""


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """The file of a failure: how it is shown, and the tag and path under which it is saved."""

    text: str
    tag: str
    path: str


def attach_files(request: str, tools: Collection[str], context: ToolContext, templates: Templates) -> str:
    """Show what goes along with a request to an agent with these tools: the files that it names, else those
    that a search finds where it looks for one.
    """
    if not tools:
        return ""
    makes, repairs = (templates.has_words(kind, request) for kind in ("makes", "repairs"))
    computes = any(templates.has_words(kind, request) for kind in ("counts", "sorts"))
    context.ledger.as_whole = templates.has_words("takes", request) and not computes
    named = attach_named_files(
        request,
        context,
        programs_too=EVERY_LANGUAGE in tools,
        below=not makes,
        repaired=templates.find_named_object("mends", request)
        or (_find_broken_data(request, context) if repairs else ""),
    )
    used = "" if makes else templates.find_named_object("uses", request).removeprefix("./")
    if used and context.ledger.is_new_program and used == context.ledger.asked:
        context.ledger.asked = ""  # it is to be run, shown or deleted, and not written
    if context.ledger.is_new_program and _is_new_name(request, context):
        context.ledger.asked = ""
    if not context.ledger.is_new_program:
        repairs = templates.wants_repair(request, context.ledger.asked)
    named = "\n\n".join(filter(None, (named, *_attach_clues(request, context, repairs=repairs))))
    failure = attach_failure(request, context) if repairs else ""
    holding = list_holding(request, context.workspace) if context.trial.files else ""
    found = ""
    files = [path for path in sorted(context.ledger.named) if _is_file(path, context)]
    if context.trial.files and files:
        dates, twins = (templates.has_words(kind, request) for kind in ("dates", "twins"))
        found = format_dates(files, context.workspace) if dates else ""
        context.ledger.computes &= not found
        found = found or (LISTINGS["twins"](context.workspace) if twins else "")
    elif context.trial.files:
        wanted = [make for kind, make in LISTINGS.items() if templates.has_words(kind, request)]
        if listed := "\n".join(said for make in wanted if (said := make(context.workspace))):
            # names alone beside it are taken for an answer too
            named, found, context.ledger.listed = "", listed, True
        elif not wanted:
            searches = finder.TOOL.tag in tools
            found = "" if holding else _attach_unnamed(request, context, templates, searches=searches)
    boxes = clues.show_ticked(named, request) if templates.has_words("ticks", request) else ""
    return "\n\n".join(filter(None, (named, boxes, failure, found, holding)))


def _is_new_name(request: str, context: ToolContext) -> bool:
    """Tell whether a file that is not there is one that is there under another name: "rename a to b"."""
    there = "|".join(re.escape(path) for path in context.ledger.named if _is_file(path, context))
    into = r"[\"'`]?\s+(?:to|into|as|in|nach|zu|en|à|a|naar)\s+[\"'`]?"
    new = rf"{into}{re.escape(context.ledger.asked)}(?![\w-])"
    renames = re.search(rf"\b(?:{RENAMES})\w*\b[^.\n]*?(?<![\w/-])(?:{there}){new}", request, re.IGNORECASE)
    return bool(there and renames)


def _find_broken_data(request: str, context: ToolContext) -> str:
    """Give the word of a request that names a file of data which cannot be read."""
    for word in dict.fromkeys(split_words(request)):
        path = _resolve_path(word, context) if word.lower().endswith((".json", ".toml")) else None
        with suppress(PathRefused, UnicodeError):
            if path and _is_file(path, context):
                parse = PARSERS[path.rpartition(".")[2].lower()]
                if find_data_problem(parse, context.workspace.read_shown(path, LARGEST).decode()):
                    return word
    return ""


def _attach_clues(request: str, context: ToolContext, *, repairs: bool) -> Iterator[str]:
    """Show what helps to work with data that a request names, and how a new program gets its argument; or,
    for one that is to be repaired, its data, and what of it is read wrongly.
    """
    path, read = context.ledger.asked, context.workspace.read_shown
    language = detect_language(path) if context.ledger.is_new_program else None
    if language:
        yield describe_argument(request, path, language)
    context.ledger.mistakes = ()
    if not repairs:
        files = [
            each for each in sorted(context.ledger.named) if _is_file(each, context) and is_document(each)
        ]
        with suppress(PathRefused, UnicodeError):
            yield from clues.iter_data_clues(files, lambda each: read(each, LARGEST).decode(), request)
        return
    with suppress(PathRefused, UnicodeError):
        source = read(path, LARGEST).decode() if path in context.ledger.known else ""
        context.ledger.broken = source
        inputs = [each for each in clues.find_inputs(source) if _is_file(each, context)]
        yield from (format_file(each, context, SHORT) for each in inputs)
        data = "\n".join(read(each, SHORT).decode() for each in inputs)
        yield clues.describe_ordered_texts(path, source, data)
        sure, ends = common_mistakes.describe_mistakes(path, source, request)
        every = (*sure, *ends)[: common_mistakes.MOST]
        context.ledger.mistakes = every
        yield from every if common_mistakes.ENDS.search(request) else sure[: common_mistakes.MOST]


def _attach_unnamed(request: str, context: ToolContext, templates: Templates, *, searches: bool) -> str:
    """Show what a request may mean that names no file which is there: what a search finds, or what has its
    words in the name.
    """
    found = templates.extract_search_words(request) if searches else ""
    for path in context.ledger.absent:
        found = found.replace(path, " ")  # what is to be made holds nothing
    hits = attach_search_hits(found, context)
    if hits or context.ledger.is_new_program:
        return hits
    asks = any(templates.has_words(kind, request) for kind in LOOKS)
    acts = "?" in request or any(templates.has_words(kind, request) for kind in ACTS)
    few = asks and not extract_content_words(found) and not templates.has_words("makes", request)
    shown = attach_meant_files(request, context, few=few) if asks or acts else ""
    sets = templates.has_words("sets", request)
    if shown or not searches or not (few or sets):
        return shown
    return attach_search_hits(" ".join(extract_content_words(request)), context)


def attach_failure(request: str, context: ToolContext) -> str:
    """Run what a request says fails, and show how it does; it is to succeed before the repair is done."""
    ledger = context.ledger
    program = "" if ledger.is_new_program else ledger.asked
    command = reproduction.find_command(request, program, context) if context.trial.rerun else ""
    said = reproduction.reproduce_failure(command, context) if command else ""
    ledger.check = command if said else ""
    if not said:
        return ""
    missing = dict.fromkeys(MISSING.findall(said))
    near = [(name, path) for name in missing if (path := suggest_paths(name, context.workspace))]
    hints = (INSTEAD.format(name=name, path=path) for name, path in near)
    lacks = [*_describe_modules(said, context)]
    return "\n".join((format_fenced(FAILS.format(command=command), said), *hints, *lacks))


def _describe_modules(said: str, context: ToolContext) -> Iterator[str]:
    """Say what a module of the folder defines from which a name cannot be imported."""
    for name, module in clues.NOT_IMPORTED.findall(said):
        with suppress(PathRefused, UnicodeError):
            path = f"{module.replace('.', '/')}.py"
            if _is_file(path, context):
                yield clues.describe_module(path, context.workspace.read_shown(path, LARGEST).decode(), name)


def attach_named_files(
    words: str,
    context: ToolContext,
    *,
    programs_too: bool = False,
    below: bool = True,
    repaired: str = "",
) -> str:
    """Show the files and folders that a request names, "" where it names none that are there. A table is
    data to compute with; for an agent that writes programs any text is. `below`: a name alone may be that of
    a file in a folder, and is none that is to be made. `repaired`: the name of what is to be repaired.
    """
    left, parts, programs, data = context.clip * context.trial.files, list[str](), list[str](), False
    long = False
    names = context.workspace.list_names(".")
    spaced = find_blank_names(words, (*names, *_list_blank_paths(context)))
    for name in spaced:
        words = words.replace(name, " ")  # its last word is no name
    named = dict.fromkeys((*spaced, *split_words(words)))
    found = {word: path for word in named if (path := _resolve_path(word, context))}
    kinds = {path: context.workspace.get_kind(path) for path in found.values()}
    again = {path.rpartition("/")[2]: path for path, kind in kinds.items() if kind != "missing"}
    found |= {word: again[word] for word, path in found.items() if kinds[path] == "missing" and word in again}
    if below:
        found |= _find_below([word for word, path in found.items() if kinds[path] == "missing"], context)
    kinds = {path: kinds.get(path) or context.workspace.get_kind(path) for path in found.values()}
    for path in list(dict.fromkeys(_filter_existing(found, kinds, names)))[:MOST]:
        if left < LEAST:
            break
        part = format_folder(path, context) if kinds[path] == "folder" else format_file(path, context, left)
        parts += [part] if part else []
        left -= len(part)
        programs += [path] if is_program_path(path) and path in context.ledger.known else []
        is_data = path.lower().endswith(data_summary.KNOWN) or (programs_too and not _is_settings(path))
        data = data or (bool(part) and kinds[path] == "file" and is_data)
        long = long or path.lower().endswith(data_summary.KNOWN) or len(part) > SHORT
    missing = (
        path
        for word, path in found.items()
        if kinds[path] == "missing"
        and (is_file_name(word) or (not below and _is_typed_name(path)))
        and not PATTERN.search(word)
    )
    absent = tuple(dict.fromkeys(missing))
    new = [] if programs else [path for path in absent if is_program_path(path)]
    typed = [path for path in absent if (language := detect_language(path)) and language.tag in TYPED]
    made = not below or words.lstrip().startswith(tuple(f"{path}:" for path in typed))
    page = typed if made and len(absent) == 1 and not (programs or (data and long)) else []
    new = new or page
    target = found.get(repaired, "")
    if target in context.ledger.known and detect_language(target):
        programs = [target]
    # of several new ones the first is asked for, and the others when it is there
    asked = programs[0] if len(programs) == 1 else new[0] if new else ""
    context.ledger.begin_request(frozenset(kinds), absent, asked, computes=data and not page)
    return "\n\n".join(parts)


def choose_ending(request: str, ledger: FileTracker, templates: Templates) -> str:
    """Say what block a request wants, by what it names and what goes along with it."""
    if ledger.listed:  # the list has it, or nearly so
        return (asks_which(request) and templates.tell) or templates.next
    if templates.tell and _is_told_by_text(request, ledger, templates):
        return templates.tell
    return templates.choose_ending(
        request,
        ledger.asked,
        new=ledger.is_new_program,
        several=ledger.makes_several,
        computes=ledger.computes,
    )


def _is_told_by_text(request: str, ledger: FileTracker, templates: Templates) -> bool:
    """Tell whether a request only wants to know what stands in a text that went along whole, or what a
    program does that did.
    """
    paths = [path for path in ledger.named if path in ledger.shown or is_file_name(path)]
    if len(paths) == 1 and is_program_path(paths[0]) and only_wants(("describes",), templates, request):
        return paths[0] in ledger.shown
    texts = [path for path in paths if is_document(path) and not path.lower().endswith(data_summary.KNOWN)]
    wants = only_wants(("asks", "questions", "tells", "reads"), templates, request)
    counts = templates.has_words("counts", request) and not templates.has_words("states", request)
    is_one = len(paths) == len(texts) == 1 and texts[0] in ledger.shown
    return is_one and wants and not counts and templates.lacks_words("compares", request)


def _find_below(missing: Iterable[str], context: ToolContext) -> dict[str, str]:
    """Find the files and folders below others that are named without them; of equal names none is meant."""
    named = [word for word in missing if "/" not in word]
    if not named or not context.trial.files:
        return {}
    there = find_by_name(context.workspace, deep=any(map(is_file_name, named)))
    below = {word: there.get(word.casefold(), []) for word in named}
    return {word: paths[0] for word, paths in below.items() if len(paths) == 1}


def attach_search_hits(words: str, context: ToolContext) -> str:
    """Show the files that a request may mean, "" where none fits or no file is to go along."""
    found = search_files(words, context, HITS) if context.trial.files else []
    return FOUND.format(hits="\n".join(found)) if found else ""


def attach_meant_files(request: str, context: ToolContext, *, few: bool) -> str:
    """Show the one or two files whose names have words of a request that names none: "my todo list" is
    todo.txt, "the log" is server.log; else, where the folder holds only a `few` short texts, these.
    """
    words = {word.casefold().removesuffix("s") for word in (*STEM.findall(request), *ENDING.findall(request))}
    paths = sorted(path for found in find_by_name(context.workspace, deep=False).values() for path in found)
    fits = {path: fit_words(path, words) for path in paths}
    best = max(fits.values(), default=(0, 0.0))
    meant = [path for path in paths if best > (0, 0) and fits[path] == best and _is_file(path, context)]
    texts = [path for path in paths if is_document(path)]
    if few and not meant and len(texts) <= FEW:
        sizes = (context.workspace.describe_path(path).size for path in texts)
        meant = texts if sum(sizes) <= SHORT else []
    parts = [format_file(path, context, SHORT) for path in meant] if len(meant) <= FEW else []
    data = any(path.lower().endswith(data_summary.KNOWN) for path in meant)
    context.ledger.computes |= data and any(parts)
    return "\n\n".join(filter(None, parts))


def _is_settings(path: str) -> bool:
    """Tell settings from data: who has a program write them anew loses their comments and their order."""
    language = detect_language(path)
    return language is not None and language.tag in SETTINGS


def _is_file(path: str, context: ToolContext) -> bool:
    return context.workspace.get_kind(path) == "file"


def find_failed_program(result: Result, context: ToolContext) -> AttachedFile | None:
    """Give the program of the workspace that a failure names last; its text is "" where the model has seen it
    as it is.
    """
    # what lacks a name is not where it is asked for
    text = clues.LACKING_MODULE.sub("", result.text)
    for word in dict.fromkeys(reversed(PLACE.findall(text))):
        language = detect_language(word)
        path = _resolve_path(word, context) if language and language.is_runnable else None
        if language and path and context.workspace.get_kind(path) == "file":
            shown = format_file(path, context, context.clip)
            return AttachedFile(shown, language.tag, path) if path in context.ledger.known else None
    return None


def _filter_existing(
    found: Mapping[str, str], kinds: Mapping[str, str], names: Collection[str]
) -> Iterator[str]:
    """Give what is there of the paths that words mean; of folders those that lie at most one deep."""
    for word, path in found.items():
        is_near = word in names or "/" in word or path.count("/") == 1
        is_folder = kinds[path] == "folder" and path != "." and is_near
        if is_folder or kinds[path] == "file":
            yield path


def _is_typed_name(path: str) -> bool:
    """Tell a name without an ending that is one of a file of this kind: `.gitignore`, `Makefile`."""
    language, name = detect_language(path), path.rpartition("/")[2]
    return language is not None and language.tag in TYPED and name in language.names


def _list_blank_paths(context: ToolContext) -> Iterator[str]:
    """Give the paths in folders that have blanks, and the names of files alone."""
    there = find_by_name(context.workspace, deep=False) if context.trial.files else {}
    for path in (path for found in there.values() for path in found if "/" in path and " " in path):
        yield path
        if PLACE.search(name := path.rpartition("/")[2]):
            yield name


def _resolve_path(word: str, context: ToolContext) -> str | None:
    with suppress(PathRefused, OSError, ValueError):
        return context.workspace.resolve_path(word).path
    return None

"""What a block holds, once its end is known: indentation, prompts and entities taken off, and what holds
nothing.

Covered: FENCES, rule 7, and the blocks of rule 3 that do nothing. Not covered: whether the block is a call.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from tripletick.dialects.fence.blocks import BlockEnd, FencedBlock
from tripletick.dialects.fence.info_string import DATA, TOOLS
from tripletick.dialects.fence.lines import ReplyLines, dedent_line
from tripletick.dialects.fence.literals import LITERALS, ShellLiterals
from tripletick.dialects.reasoning_tags import BLANKS
from tripletick.languages import registry
from tripletick.system.lazy_regex import lazy_regex

_ENTITY = lazy_regex(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_ANGLED = lazy_regex(r"<[^<>]+>$")
_DOTS = lazy_regex(r"[.…\s]+$|\[\s*(?:\.\.\.|…)\s*\]$")
_COMMENTED = TOOLS - {"write", "append", "edit"}
"""Tools whose body holds lines of its own, as a program does."""
EMPTY_FILES = lazy_regex(r"(?:.*/)?(?:__init__\.py|py\.typed|\.(?:git)?keep|\.nojekyll)$")
"""Files that mean something without content."""


class TranscriptError(ValueError):
    """Commands and their output in one block; `form` is the sentence that says what is wrong."""

    def __init__(self, form: str = "text") -> None:
        super().__init__(form)
        self.form = form


@dataclass(frozen=True, slots=True)
class SessionPrompts:
    """How an interactive session of one language looks."""

    first: str
    further: str = ""


_OTHER_SHELL = lazy_regex(
    rf"^[{BLANKS}]*(?:PS(?:[{BLANKS}][^>\n]*)?>|[A-Za-z]:[\\/][^>\n\"'|<]*>)", re.MULTILINE
)
"""The prompts of PowerShell and cmd; to bash they redirect."""
_PROMPTS = {"bash": SessionPrompts("$"), "python": SessionPrompts(">>>", "...")}


def extract_body(page: ReplyLines, block: FencedBlock, end: BlockEnd) -> str:
    """Give a closed block's content as its program or file. Raises TranscriptError."""
    lines = extract_lines(page, block, end)
    body = "\n".join(lines)
    if block.info.tag in registry.load_table().languages and block.info.tag not in DATA:
        body = _unescape_html(block.info.tag, body)
    return _strip_prompts(block.info.tag, body)


def extract_lines(page: ReplyLines, block: FencedBlock, end: BlockEnd) -> list[str]:
    """Give the lines between the fences, less the opener's indentation."""
    lines = page.lines[block.mark.line + 1 : end.line]
    if end.stop > page.starts[end.line]:  # the closing fence is glued to the last line
        lines.append(page.text[page.starts[end.line] : end.stop])
    shape = block.mark.shape
    return [dedent_line(line, shape.prefix, shape.width) for line in lines] if shape.prefix else lines


def _unescape_html(tag: str, body: str) -> str:
    """Undo HTML's escapes where every `<`, `>` and `&` is one; for Python only if it is none as it stands."""
    if "&" not in body or "<" in body or ">" in body or len(_ENTITY.findall(body)) != body.count("&"):
        return body
    if tag == "python" and _is_python(body):
        return body
    import html

    return html.unescape(body)


def _is_python(body: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(body)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return False
    return True


def _strip_prompts(tag: str, body: str) -> str:
    prompts = _PROMPTS.get(tag)
    if prompts is None:
        return body
    lines = body.split("\n")
    if tag == "bash" and _OTHER_SHELL.search(body) and _has_other_prompt(lines):
        raise TranscriptError("other")
    said = next((line for line in lines if line.strip(BLANKS) and not _is_comment(line)), None)
    if said is None or _parse_command(said, prompts) is None:
        return body
    kept: list[str] = []
    literal = LITERALS[tag]()
    for line in lines:
        command = _parse_command(line, prompts)
        if command is None and not _is_continuation(line, kept, literal):
            raise TranscriptError
        kept.append(line if command is None else command)
        literal.feed(kept[-1])
    return "\n".join(kept)


def _has_other_prompt(lines: list[str]) -> bool:
    """True where a prompt of another shell begins a line that no literal holds."""
    literal = ShellLiterals()
    for line in lines:
        if not literal.name and _OTHER_SHELL.match(line):
            return True
        literal.feed(line)
    return False


def _is_comment(line: str) -> bool:
    return line.lstrip(BLANKS).startswith("#")


def _parse_command(line: str, prompts: SessionPrompts) -> str | None:
    """Give the line behind its prompt, None where it has none."""
    text = line.lstrip(BLANKS)
    for prompt in filter(None, (prompts.first, prompts.further)):
        if text.rstrip(BLANKS) == prompt:
            return ""
        if text.startswith(prompt + " "):
            return text[len(prompt) + 1 :]
    return None


def _is_continuation(line: str, above: list[str], literal: object) -> bool:
    """True for a line without a prompt that is no output: blank, a remark, the rest of a command."""
    inside = isinstance(literal, ShellLiterals) and bool(literal.name)
    continued = bool(above) and above[-1].endswith("\\")
    return inside or continued or not line.strip(BLANKS) or _is_comment(line)


def is_placeholder(tag: str, body: str) -> bool:
    """True for nothing but comments, ellipses or `<what stands here>`."""
    return all(_is_placeholder_line(tag, line.strip(BLANKS)) for line in body.split("\n"))


def _is_placeholder_line(tag: str, line: str) -> bool:
    if not line or (("..." in line or "…" in line) and _DOTS.match(line)):
        return True
    if _ANGLED.match(line):
        return tag not in DATA or tag in ("text", "markdown") or line.startswith("<!--")
    signs = _comment_markers(tag)
    return bool(signs) and line.startswith(signs)


def _comment_markers(tag: str) -> tuple[str, ...]:
    language = registry.load_table().languages.get(tag)
    if language is None:
        return ("#",) if tag in _COMMENTED else ()
    if not language.comment or tag in ("markdown", "text", "rst"):
        return ()
    return ("//", "/*", "* ", "*/") if language.comment == "//" else (language.comment,)

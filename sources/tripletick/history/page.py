"""A session as one HTML page: no script, nothing loaded, light or dark like the reader's system.

What was written by people and models is escaped, pictures are not shown, and a policy in the head forbids the
page to load anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from tripletick.history.transcript import Part, Transcript
from tripletick.ui.sanitize import escape_controls

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

OPEN = 20
"""Lines of a result that are shown at once; a longer one is unfolded."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLES = ("default", "github-dark")
"""Of pygments: on light ground, on dark."""
CSS = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1b1f24; --soft: #f8f9fa; --line: #d5d9df;
  --pale: #5b6470; --own: #e8f0fe; --bad: #b3261e; --good: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171b; --ink: #e3e6ea; --soft: #1d2127;
  --line: #353b44; --pale: #9aa4b1; --own: #1c2a44; --bad: #ff8a80; --good: #6fd38b; } }
body { background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif;
  max-width: 54rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.3; } .about, .note { color: var(--pale); font-size: .85rem; }
.request { background: var(--own); border-radius: .6rem; padding: .6rem 1rem; margin: 2rem 0 1rem;
  white-space: pre-wrap; }
.agent { color: var(--pale); font-size: .8rem; display: block; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .8rem;
  overflow-x: auto; margin: .4rem 0; font: .85rem/1.45 ui-monospace, monospace; overflow-wrap: normal; }
code { font-family: ui-monospace, monospace; font-size: .9em; } pre code { font-size: inherit; }
.tag, summary { color: var(--pale); font: .8rem ui-monospace, monospace; } summary { cursor: pointer; }
.tag { margin: .8rem 0 -.2rem; } table { border-collapse: collapse; }
.result { border-left: 3px solid var(--line); padding-left: .8rem; margin: .6rem 0 1rem; }
.failed { border-color: var(--bad); } .failed > .tag, .failed summary { color: var(--bad); }
td, th { border: 1px solid var(--line); padding: .2rem .6rem; } .end { color: var(--bad); }
"""
PAGE = """<!DOCTYPE html>
<html lang="und">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{css}</style>
</head>
<body>
<h1>{title}</h1>
<p class="about">{about}</p>
{parts}
</body>
</html>
"""


def written(told: Transcript, about: str) -> str:
    """Give the page; `about` is the line below its title."""
    markdown = _markdown()
    parts = (DRAWN[part.kind](part, markdown) for part in told.parts)
    return PAGE.format(
        policy=POLICY,
        title=_safe(told.title or told.id),
        css=build_styles(),
        about=_safe(about),
        parts="\n".join(filter(None, parts)),
    )


def render_markdown(text: str) -> str:
    """Give a reply as HTML, as the page has it."""
    return _draw_markdown(text, _markdown())


def build_styles() -> str:
    """Give the styles of the page."""
    return CSS + _colours()


def _safe(text: str) -> str:
    return escape(escape_controls(text))


def _draw_markdown(text: str, markdown: MarkdownIt) -> str:
    """Give Markdown as HTML; what it makes of an entity (&#x202e;) is made visible too."""
    return escape_controls(str(markdown.render(escape_controls(text))))


def _markdown() -> MarkdownIt:
    """Give what turns replies into HTML: tags in them are text, and so are pictures."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")

    def fence(renderer: Any, tokens: Sequence[Any], at: int, *rest: Any) -> str:
        return _code(tokens[at].content, tokens[at].info)

    for rule in ("fence", "code_block"):
        markdown.add_render_rule(rule, fence)
    return markdown


def _code(text: str, info: str) -> str:
    """Give a block of code with the colours of its language, which the info string begins with."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    tag = info.strip().partition(" ")[0].partition(":")[0].lower()
    try:
        inner = highlight(text, get_lexer_by_name(tag, stripnl=False), HtmlFormatter(nowrap=True))
    except ClassNotFound:
        inner = escape(text)
    head = f'<div class="tag">{escape(info.strip())}</div>' if info.strip() else ""
    return f'{head}<pre class="code"><code>{inner}</code></pre>\n'


def _colours() -> str:
    from pygments.formatters import HtmlFormatter

    light, dark = (_ink(HtmlFormatter(style=style).get_style_defs(".code")) for style in STYLES)
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


def _ink(css: str) -> str:
    """Keep the colours of tokens; ground and frame are the page's."""
    return "\n".join(line for line in css.splitlines() if line.startswith(".code ."))


def _request(part: Part, markdown: MarkdownIt) -> str:
    who = f'<span class="agent">@{_safe(part.title)}</span>' if part.title else ""
    return f'<div class="request">{who}{_safe(part.text.strip())}</div>'


def _reply(part: Part, markdown: MarkdownIt) -> str:
    return _draw_markdown(part.text, markdown)


def _folded(part: Part, markdown: MarkdownIt) -> str:
    return f"<details><summary>thought</summary><pre>{_safe(part.text.strip())}</pre></details>"


def _plan(part: Part, markdown: MarkdownIt) -> str:
    return f'<div class="tag">{_safe(part.title)}</div><pre>{_safe(part.text)}</pre>'


def _result(part: Part, markdown: MarkdownIt) -> str:
    head, body = _safe(part.title), _safe(part.text.rstrip())
    kind = "result" if part.title.partition(" ")[2].startswith("ok") else "result failed"
    if not body:
        return f'<div class="{kind}"><div class="tag">{head}</div></div>'
    lines = body.count("\n") + 1
    shown = f"<pre>{body}</pre>"
    if lines > OPEN:
        return f'<div class="{kind}"><details><summary>{head}, {lines} lines</summary>{shown}</details></div>'
    return f'<div class="{kind}"><div class="tag">{head}</div>{shown}</div>'


DRAWN: dict[str, Callable[[Part, MarkdownIt], str]] = {
    "request": _request,
    "reply": _reply,
    "thought": _folded,
    "command": lambda part, markdown: (
        f'<div class="request">!</div>{_code(escape_controls(part.text), "bash")}'
    ),
    "result": _result,
    "plan": _plan,
    "task": lambda part, markdown: f"<h3>{_safe(part.title)}: {_safe(part.text)}</h3>",
    "note": lambda part, markdown: f'<p class="note">{_safe(part.text)}</p>',
    "end": lambda part, markdown: f'<p class="end">{_safe(part.text)}</p>',
}

"""A hook: what looks like a key or a password is masked in results and answers.

Copy it to the folder `hooks` next to your config.ini (`tripletick config path` names it).
"""

import re
from dataclasses import replace

from tripletick import hook
from tripletick.messages import Result

SECRET = re.compile(
    r"(?i)\b(?P<name>[\w-]*(?:api[_-]?key|token|password|secret)\b[\"']?\s*[=:]\s*[\"']?)(?P<value>[^\s\"',;]{4,})"
    r"|(?:sk|ghp|xox[bp])[-_][\w-]{16,}"
)


def masked(text: str) -> str:
    """Put stars in the place of each secret, and leave its name."""
    return SECRET.sub(lambda found: f"{found['name'] or ''}****", text)


@hook(trylast=True)
def post_tool(result: Result) -> Result:
    """The model does not see them …"""
    return replace(result, text=masked(result.text), view=masked(result.view))


@hook(trylast=True)
def pre_response(answer: str) -> str:
    """… and no answer shows them."""
    return masked(answer)

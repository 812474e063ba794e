"""Questions because of untrusted input: text may instruct a model, and an address may leak
what the model knows.

Until there is something from outside, an address must be at a host that the user or a search has named;
from then on whatever writes, installs or has network is asked for, and an address that was named as it
stands is not. Searching itself goes to the service of the user's choice.
"""

from __future__ import annotations

from collections.abc import Sequence

from tripletick.permission.block import PendingBlock
from tripletick.permission.questions import Question
from tripletick.system.text import join_names
from tripletick.tools.outside_sources import OutsideSources
from tripletick.web.address import WebAddress

READ = "This request has read untrusted content ({hosts})."
RUN = "{read}{risks} Run this {name} block{network}?"
WHY = (
    "A page was not written by you and may instruct the model: check the block before you approve it. You "
    "are asked for each block until your next request."
)
AFTER = "a block that writes or has network, after words from outside,"
NETWORK = " with network"
UNNAMED = "{hosts} was not named in this request. Fetch {address}{more}?"
STRANGE = "{read} Fetch {address}{more}?"
MORE = " and {count} more"
UNNAMED_WHY = (
    "An address can leak what the model has read. You are not asked about pages that your request names."
)
GETTING = "getting {address}, which nobody has named,"
MOST_HOSTS = 3
LONGEST = 160


def build_question(block: PendingBlock, says: Sequence[str]) -> Question | None:
    """Give what is to be asked of a block, None where nothing is; `says` is what is risky in it besides."""
    outside = block.context.outside
    if block.typed:
        return None
    if block.tool.reaches and not (outside.sources and block.tool.writes):
        unnamed = outside.find_unnamed(block.tool.reaches(block.call))
        return _build_address_question(unnamed, outside) if unnamed else None
    if not (outside.sources and can_act(block)):
        return None
    risks = "".join(f" {say}" for say in says)
    network = NETWORK if block.context.grant.network else ""
    text = RUN.format(read=_format_sources(outside), risks=risks, name=block.name, network=network)
    return Question("", text, AFTER, WHY, "yne")


def can_act(block: PendingBlock) -> bool:
    """Tell whether a block can do more than look."""
    context = block.context
    return context.grant.network or block.tool.unboxed or (block.tool.writes and context.mode != "read")


def _build_address_question(unnamed: Sequence[WebAddress], outside: OutsideSources) -> Question:
    first, more = _shorten_text(str(unnamed[0])), MORE.format(count=len(unnamed) - 1) if unnamed[1:] else ""
    what = GETTING.format(address=first)
    if outside.sources:
        return Question(
            "", STRANGE.format(read=_format_sources(outside), address=first, more=more), what, WHY, "yne"
        )
    hosts = list(dict.fromkeys(each.display_host for each in unnamed))
    text = UNNAMED.format(hosts=_format_hosts(hosts), address=first, more=more)
    kinds = [f"host {host}" for host in hosts]
    return Question(kinds[0], text, what, UNNAMED_WHY, also=tuple(kinds[1:]))


def _format_sources(outside: OutsideSources) -> str:
    return READ.format(
        hosts=_format_hosts(list(dict.fromkeys(_extract_host(each.address) for each in outside.sources)))
    )


def _extract_host(where: str) -> str:
    return where.partition("://")[2].partition("/")[0] or where


def _format_hosts(hosts: Sequence[str]) -> str:
    return join_names(hosts, MOST_HOSTS)


def _shorten_text(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}…{text[-LONGEST // 2 :]}"

"""Run in a box, as a program of its own: steps in a browser, told as JSON, and what the page shows then.

It reaches the network through the box's proxy alone, has a home that is new, and sees nothing of the folder.
Not covered: downloads, uploads, several tabs; a page is what it shows when it has been quiet for a moment.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = (
    # the box is the sandbox: in it Chromium could make none of its own
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)
MARK = "\x1e"
"""Comes before the answer: a browser talks on the same line."""
QUIET = 3000
"""Milliseconds that a page has to settle after each step."""
MOST_LINKS, MOST_FIELDS = 40, 20
NOTHING: Mapping[str, Any] = {"title": "", "text": "", "links": (), "fields": ()}
UNREAD = "the page keeps from being read"
LOOK = """() => ({
  title: document.title,
  text: document.body ? document.body.innerText : "",
  links: [...document.querySelectorAll("a[href]")]
    .filter(a => a.innerText.trim() && a.href.startsWith("http"))
    .map(a => [a.innerText.trim().slice(0, 80), a.href]),
  fields: [...document.querySelectorAll("input:not([type=hidden]), textarea, select")]
    .map(f => f.labels && f.labels[0] ? f.labels[0].innerText : f.placeholder || f.name || f.type)
    .map(name => name.trim().slice(0, 60)),
})"""


def main() -> None:
    told = json.loads(sys.argv[1])
    sys.path[:] = told["path"]
    sys.stdout.write(MARK + json.dumps(_run_browser(told), ensure_ascii=False) + "\n")


def _run_browser(told: Mapping[str, Any]) -> dict[str, Any]:
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        return {"problem": "no Chromium was found (apt install chromium)"}
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=program,
            args=[*ARGUMENTS],
            proxy={"server": told["proxy"], "bypass": "<-loopback>"},
        )
        try:
            page = browser.new_context(accept_downloads=False, service_workers="block").new_page()
            page.set_default_timeout(told["patience"] * 1000)
            return _run_steps(page, told, Error)
        finally:
            browser.close()


def _run_steps(page: Any, told: Mapping[str, Any], error: type[Exception]) -> dict[str, Any]:
    """Take the steps up to the first that fails, then look."""
    problem = said = ""
    for number, (step, *words) in enumerate(told["steps"], 1):
        try:
            STEPS[step](page, *words)
            with suppress(error):
                page.wait_for_load_state("networkidle", timeout=QUIET)
        except error as wrong:
            problem, said = f"step {number}, {step}", str(wrong).splitlines()[0][:200]
            break
    if told["picture"]:
        page.screenshot(path=told["picture"], full_page=True)
    try:
        seen = _normalize_page(page.evaluate(LOOK), told["most"])
    except (error, KeyError, TypeError, ValueError):
        seen, problem = _normalize_page(NOTHING, 0), problem or UNREAD
    return {"problem": problem, "said": said, "address": page.url, **seen}


def _normalize_page(seen: Any, most: int) -> dict[str, Any]:
    """Give what was looked at in its shape: the page may have put something else in its place."""
    text = str(seen["text"])
    return {
        "title": str(seen["title"])[:200],
        "text": text[:most],
        "more": max(0, len(text) - most),
        "links": [[str(name), str(where)] for name, where in seen["links"][:MOST_LINKS]],
        "fields": [str(name) for name in seen["fields"][:MOST_FIELDS]],
    }


def _click_element(page: Any, name: str) -> None:
    link = page.get_by_role("link", name=name)
    button = page.get_by_role("button", name=name)
    link.or_(button).or_(page.get_by_text(name, exact=True)).first.click()


def _fill_field(page: Any, name: str, value: str) -> None:
    field = (
        page.get_by_label(name)
        .or_(page.get_by_placeholder(name))
        .or_(page.locator(f"[name={json.dumps(name)}]"))
    )
    choice = field.first.evaluate("field => field.tagName") == "SELECT"
    (field.first.select_option if choice else field.first.fill)(value)


STEPS: Mapping[str, Callable[..., object]] = {
    "open": lambda page, address: page.goto(address, wait_until="domcontentloaded"),
    "click": _click_element,
    "fill": _fill_field,
    "press": lambda page, key: page.keyboard.press(key),
}


if __name__ == "__main__":
    main()

"""The page of `tripletick serve` in a real Chromium: by keyboard, on a phone, in the dark, under attack."""

import os
import re
import shutil
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("acp")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright")
from playwright.sync_api import expect, sync_playwright
from tests.scenes import free_port
from tests.served import open_server

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CACHE = Path(os.environ.get("TRIPLETICK_TEST_CACHE", Path.home() / ".cache/tripletick-tests"))
AXE = CACHE / "servers/npm/node_modules/axe-core/axe.min.js"
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs Chromium")
WRITES = "I **write** it.\n```write:hello.txt\nhello\n```"
SLEEPS = "```bash\ntouch begun && sleep 4714\n```"
REMOVES = "```bash\nrm -rf *\n```"
PRINTS = "```bash\nseq 30; until test -e more; do sleep 1; done; seq 29; sleep 1; echo end; sleep 4715\n```"
CHANGES = "```bash\nseq 90 > rows; true\n```", "```bash\nsed -i 's/^9$/nine/; s/^81$/last/' rows; false\n```"
CODE = "```python\n# so\n@wraps\nclass No(Exception): x = f'{1!r}\\n'\n```\n\n[a](https://a.invalid/)\n\n> so"
HOSTILE = (
    "<img src=x onerror=\"document.title='taken'\"> <script>document.title='taken'</script> "
    "[click](javascript:document.title='taken') ![p](http://127.0.0.1:9/pixel.png)"
)
LIMIT = 60_000
"""Milliseconds."""


expect.set_options(timeout=LIMIT)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """A second folder, in which nothing was asked yet."""
    return tmp_path_factory.mktemp("other")


@pytest.fixture(scope="module")
def served(tmp_path_factory, other):
    with open_server(tmp_path_factory.mktemp("page"), "--allow", str(other)) as server:
        yield server


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as play:
        # its own sandbox needs what neither root nor a container has
        opened = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(served, browser):
    """A page that is logged in, in a context of its own; nothing that it did may be an error."""
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    context.set_default_timeout(LIMIT)
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("dialog", lambda dialog: wrong.extend([dialog.message, dialog.dismiss()]))
    page.on("request", lambda sent: None if sent.url.startswith(served.url) else wrong.append(sent.url))
    log_in(page, served)
    yield page
    context.close()
    assert wrong == []


def log_in(page, served):
    page.goto(f"{served.url}/#token={served.token}")
    expect(page.locator("#folder")).to_be_visible(timeout=LIMIT)
    assert "token" not in page.url
    page.select_option("#folder", str(served.project))


def send(page, text):
    page.fill("#input", text)
    page.press("#input", "Enter")


def wait_for(page, words):
    expect(page.locator("#status")).to_have_text(words, timeout=LIMIT)


def answer(page, button="Yes"):
    page.get_by_role("button", name=button, exact=True).click()


def begin(page, text, block, state="running"):
    """Send a request and wait for a block; the folder's question, asked in the first session, is a yes."""
    send(page, text)
    call = page.locator(".call", has_text=block)
    page.wait_for_selector(f".question, .call:has-text('{block}')")
    if not call.count():
        answer(page)
    expect(call).to_contain_text(state, timeout=LIMIT)
    return call


def finish(page, text):
    """Send a request and wait for its end; the folder's question, asked in the first session, is a yes."""
    requests = page.locator("#talk .request")
    before = requests.count()
    send(page, text)
    expect(requests).to_have_count(before + 1, timeout=LIMIT)
    page.wait_for_selector(".question, #status:text-is('Done')")
    if page.locator(".question").count():
        answer(page)
    wait_for(page, "Done")


def test_without_the_token_there_is_only_the_way_to_log_in(served, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(served.url)
    expect(page.locator("#login")).to_be_visible(timeout=LIMIT)
    expect(page.locator("#work")).to_be_hidden()
    page.fill("#token", "wrong")
    page.keyboard.press("Enter")
    expect(page.locator("#login-error")).to_contain_text("This is not the token", timeout=LIMIT)
    page.fill("#token", served.token)
    page.keyboard.press("Enter")
    expect(page.locator("#work")).to_be_visible(timeout=LIMIT)
    (cookie,) = context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    context.close()


def test_a_token_in_the_address_of_a_page_that_is_open_logs_in_and_is_taken_out(served, browser):
    page = browser.new_context().new_page()
    page.goto(served.url)
    expect(page.locator("#token")).to_be_focused(timeout=LIMIT)
    # the same document: only what comes after # is another
    log_in(page, served)
    page.context.close()


def test_a_file_is_written_after_a_yes_and_restored_by_keyboard_alone(served, page):
    served.script(WRITES, "It is written.")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.type("@coder write hello.txt")
    page.keyboard.press("Enter")
    wait_for(page, "A question")
    assert page.title().startswith("A question")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Yes"
    page.keyboard.press("Enter")
    wait_for(page, "Done")
    assert (served.project / "hello.txt").read_text() == "hello\n"
    talk = page.locator("#talk")
    expect(talk.locator(".reply strong").first).to_have_text("write", timeout=LIMIT)
    expect(talk.locator(".call", has_text="write hello.txt")).to_contain_text("done")
    expect(talk.locator(".call .added")).to_have_text("+ hello\n")
    expect(talk).to_contain_text("saved hello.txt")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "undo":
            break
    page.keyboard.press("Enter")
    expect(talk).to_contain_text("Removed: hello.txt", timeout=LIMIT)
    assert not (served.project / "hello.txt").exists()
    expect(talk.locator(".reply[aria-busy=true]")).to_have_count(0, timeout=LIMIT)


def test_every_control_is_reached_by_tab(served, page):
    served.script("Hello.")
    finish(page, "@casual hello")
    controls = "[...document.querySelectorAll('#work :is(button, select, textarea, summary, pre)')]"
    for _ in range(60):
        page.keyboard.press("Tab")
        page.evaluate("document.activeElement.reached = true")
    missed = page.evaluate(
        f"{controls}.filter(each => each.checkVisibility() && !each.reached).map(each => each.outerHTML)"
    )
    assert missed == []
    assert page.evaluate(f"{controls}.filter(each => each.reached).length") > 8


def test_the_focus_stays_where_the_user_has_put_it(served, page):
    served.script("Hello.", SLEEPS)
    finish(page, "@casual hello")
    page.evaluate("document.querySelector('[data-name=mode]').dataset.old = ''")
    page.get_by_label("Sandbox").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-old]")).to_have_count(0, timeout=LIMIT)
    expect(page.get_by_label("Sandbox")).to_be_focused()
    begin(page, "@coder sleep", "sleep 4714")
    send(page, "and this")
    wait_for(page, "At work: wait, or stop it first")
    expect(page.locator("#input")).to_have_value("and this")
    page.locator("#stop").focus()
    page.keyboard.press("Enter")
    wait_for(page, "Stopped")
    expect(page.locator("#stop")).to_be_focused()
    expect(page.locator("#talk .call", has_text="running")).to_have_count(0)


def test_a_page_that_is_loaded_again_in_a_turn_has_all_of_it(served, page):
    served.script(WRITES, REMOVES, SLEEPS, "Never.")
    begin(page, "@coder write, remove and sleep", "write hello.txt", state="done")
    page.wait_for_selector(".question :text('Run it?')")
    page.reload()
    expect(page.get_by_role("heading", name="Run it?").last).to_be_focused(timeout=LIMIT)
    page.keyboard.press("Escape")
    running = page.locator(".call", has_text="sleep 4714")
    expect(running).to_contain_text("running", timeout=LIMIT)
    page.reload()
    expect(running).to_contain_text("running", timeout=LIMIT)
    wait_for(page, "At work")
    expect(page.locator("#talk .request")).to_have_text("@coder write, remove and sleep")
    expect(page.locator("#talk .call .added")).to_have_text("+ hello\n")
    expect(page.locator("#talk .call", has_text="rm -rf")).to_contain_text("failed")
    expect(page.locator(".question")).to_have_count(0)
    page.get_by_role("button", name="Stop").click()
    wait_for(page, "Stopped")
    expect(page.get_by_role("button", name="Send")).to_be_enabled()


def test_a_server_that_is_started_again_goes_on_with_the_session(browser, tmp_path):
    page = browser.new_context().new_page()
    with open_server(tmp_path, "--port", str(free_port())) as server:
        server.script("It is Vienna.", "It is Rome.")
        log_in(page, server)
        finish(page, "@casual Austria?")
    wait_for(page, "Connection lost. Trying again …")
    send(page, "@casual Italy?")
    expect(page.locator("#input")).to_have_value("@casual Italy?")
    with open_server(tmp_path, "--port", server.url.rpartition(":")[2]) as server:
        expect(page.locator("#talk")).to_contain_text("It is Vienna.", timeout=LIMIT)
        wait_for(page, "")
        page.press("#input", "Enter")
        expect(page.locator("#talk")).to_contain_text("It is", timeout=LIMIT)
        wait_for(page, "Done")
        expect(page.locator("#talk .request")).to_have_text(["Austria?", "@casual Italy?"])
    page.context.close()


def test_an_earlier_session_is_opened_and_gone_on_with(served, page):
    served.script("The capital is Vienna.")
    finish(page, "@casual Which capital has Austria?")
    page.get_by_role("button", name="New session").click()
    wait_for(page, "New session")
    expect(page.locator("#talk .request")).to_have_count(0)
    page.get_by_role("button", name=re.compile("Which capital has Austria")).first.click()
    expect(page.locator("#talk")).to_contain_text("The capital is Vienna.", timeout=LIMIT)
    served.script("It has two million inhabitants.")
    finish(page, "And its size?")
    expect(page.locator("#talk")).to_contain_text("two million", timeout=LIMIT)
    told = []
    page.on("request", lambda sent: told.append(sent.post_data or ""))
    page.reload()
    expect(page.locator("#talk")).to_contain_text("two million", timeout=LIMIT)
    expect(page.locator("#talk")).to_have_attribute("aria-busy", "false")
    # what is told again is not done again
    assert re.findall(r"session/\w+", "".join(told)) == ["session/list"]


def test_the_end_stays_in_view_unless_the_user_scrolls_away(served, page):
    served.script("\n\n".join(f"Line {number}." for number in range(80)), "More.")
    finish(page, "@casual talk")
    expect(page.get_by_text("Line 79.")).to_be_in_viewport(timeout=LIMIT)
    page.locator("#talk").evaluate("talk => talk.scrollTop = 0")
    finish(page, "@casual more")
    expect(page.get_by_text("More.", exact=True)).to_have_count(1, timeout=LIMIT)
    expect(page.get_by_text("Line 0.", exact=True)).to_be_in_viewport()


def test_a_question_of_the_model_is_answered_in_a_field(served, page):
    served.script("REQUEST_CLARIFICATION Which colour?", "Blue it is.")
    send(page, "@casual paint it")
    field = page.get_by_label("Answer")
    expect(field).to_be_focused(timeout=LIMIT)
    page.keyboard.type("blue")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator("#talk")).to_contain_text("Blue it is.", timeout=LIMIT)


def test_what_a_model_writes_never_becomes_active(served, page):
    block = f"```bash\ncat > '<img src=x onerror=alert(1)>.txt' <<'E'\n{HOSTILE}\nE\ncat *.txt\n```"
    served.script(f"{HOSTILE}\n{block}", HOSTILE)
    finish(page, f"@coder {HOSTILE}")
    expect(page.locator("#talk .reply").last).to_contain_text("onerror", timeout=LIMIT)
    expect(page.locator("#talk .reply[aria-busy=true]")).to_have_count(0, timeout=LIMIT)
    assert page.locator("#work img, #work script, #work iframe, #work [onerror]").count() == 0
    assert page.locator("#work a[href^='javascript']").count() == 0
    assert page.title().startswith("Done")


def test_nothing_is_wider_than_a_phone_and_nothing_hinders_a_screen_reader(served, other, page, browser):
    if not AXE.exists():
        pytest.skip("needs axe-core from npm")
    login = browser.new_context().new_page()
    login.goto(served.url)
    expect(login.locator("#login")).to_be_visible(timeout=LIMIT)
    assert find_barriers(login) == []
    login.context.close()
    assert find_barriers(page) == []
    served.script(*CHANGES, PRINTS, CODE)
    page.select_option("#folder", str(other))
    send(page, "@coder " + "long" * 60)
    page.wait_for_selector(".question")
    assert find_barriers(page) == []
    answer(page)
    changed = page.locator(".call", has_text="sed")
    expect(changed.locator(".added")).to_have_text(["+ nine\n", "+ last\n"], timeout=LIMIT)
    details = page.locator(".call", has_text="until").locator("details")
    details.get_by_text("30 lines").click()
    (other / "more").touch()
    expect(details).to_contain_text("60 lines", timeout=LIMIT)
    expect(details).to_have_attribute("open", "")
    for scheme, width in product(("dark", "light"), (360, 1200)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert find_barriers(page) == []
    page.get_by_role("button", name="Stop").click()
    wait_for(page, "Stopped")
    finish(page, "@casual show")
    expect(page.locator(".reply .code").last).to_be_visible(timeout=LIMIT)
    expect(page.locator("#talk [aria-busy=true]")).to_have_count(0, timeout=LIMIT)
    assert find_barriers(page) == []
    page.emulate_media(color_scheme="dark")
    assert find_barriers(page) == []


def test_more_sessions_than_fit_a_page_of_the_list_are_shown_on_request(served, page):
    served.script("Hello.")
    finish(page, "@casual hello")
    logs = (served.home / ".local/state/tripletick/sessions").glob("*.jsonl")
    log = max(logs, key=lambda each: each.stat().st_mtime_ns)
    for number in range(60):
        shutil.copy(log, log.with_name(f"20200101-0000{number:02}-aaaa.jsonl"))
    page.reload()
    rows = page.locator("#sessions button")
    expect(rows).to_have_count(51, timeout=LIMIT)
    page.get_by_role("button", name="Show more").press("Enter")
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)
    assert rows.count() > 60
    expect(rows.nth(50)).to_be_focused()


def find_barriers(page):
    """Give what axe-core finds: the rule, and the elements that break it."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found]

"""The home folder as the place of work: read at once, and a change asks for the folder that it is about."""

import os

import pytest
from tests.bad_server import BadServer
from tests.program.test_cli import run, state
from tests.terminal import opened
from tests.turns.test_web import place, words

TIERS = ["bubblewrap", "landlock"]
FIND = "```file_finder\n*tax*\n```"
RENAME = '```bash\ncd Pictures\nfor f in *.jpg; do mv "$f" "new_$f"; done\n```'
HIDDEN = "CANARY"


@pytest.fixture(params=TIERS)
def tier(request):
    return {"TRIPLETICK_SANDBOX_TIER": request.param}


@pytest.fixture
def home(tmp_path):
    files = {
        "project/readme.txt": "words",
        "Documents/2024/tax-return.pdf": "%PDF-1.4",
        "Documents/deep/.env": HIDDEN,
        "project/venv/.env": HIDDEN,
        "Documents/.private/tax-of-old.txt": "old",
        "node_modules/tax/tax.js": "x",
        "built/tax.o": "x",
        "built/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55",
        "Pictures/a.jpg": "a",
        "Pictures/b.jpg": "b",
        "Downloads/invoice.pdf": "bill",
        "notes.txt": "milk\n",
        ".ssh/id": HIDDEN,
        ".secret/tax.txt": HIDDEN,
        ".bashrc": "# CALM",
        "snap/browser/cookies": HIDDEN,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def script(home):
    """Write the model's replies; give the flag that names them."""

    def write(*replies):
        (home / "project/replies.md").write_text("\n---\n".join(replies))
        return "-m", f"scripted:{home / 'project/replies.md'}"

    return write


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_find_my_tax_pdf_works_at_once_and_leaves_out_hidden_files_and_caches(home, script):
    done = run(home, *script(FIND, "It is in Documents."), "-C", "..", "find my tax pdf")
    assert (done.returncode, done.stdout) == (0, "It is in Documents.\n")
    found = [line.strip() for line in done.stderr.splitlines() if "tax" in line and "*" not in line]
    assert found == ["Documents/2024/tax-return.pdf"]
    assert ".tripletick" not in names(home)


def test_blocks_read_what_is_in_sight_and_nothing_else_in_both_boxes(home, script, tier):
    reads = "ls; cat notes.txt ~/Downloads/invoice.pdf; cat Documents/deep/.env ~/.ssh/id .secret/tax.txt"
    block = f"```bash\n{reads}; cat snap/browser/cookies project/venv/.env; find ~ -name 'tax*'; true\n```"
    done = run(home, *script(block, "Done."), "-C", "..", "look around", **tier)
    assert done.returncode == 0
    assert all(word in done.stderr for word in ("Pictures", "milk", "bill", "2024/tax-return.pdf"))
    assert HIDDEN not in done.stderr


@pytest.mark.parametrize(
    "path", ["~/.ssh/id", ".secret/tax.txt", "snap/browser/cookies", "Documents/deep/.env"]
)
def test_file_tools_do_not_read_what_is_hidden(home, script, path):
    done = run(home, *script(f"```read\n{path}\n```", "Done."), "-C", "..", "look around")
    assert "kept from you by the person" in done.stderr
    assert HIDDEN not in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="is about root")
def test_root_is_refused_above_its_home_with_what_to_type(home, script):
    done = run(home, *script("Hello."), "-C", "/", "look around")
    assert done.returncode == 2
    assert "/ cannot be the workspace." in done.stderr and "tripletick -C DIR" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root is refused there")
def test_from_the_root_the_home_is_read_and_its_secrets_are_not(home, script, tier):
    block = f"```bash\npwd; cat ~/notes.txt {home}/.ssh/id; cat ~/Documents/deep/.env\n```"
    reads = f"```read\n{home}/Downloads/invoice.pdf\n```", f"```read\n{home}/.secret/tax.txt\n```"
    done = run(home, *script(block, *reads, "Done."), "-C", "/", "look around", **tier)
    assert ("milk" in done.stderr, "bill" in done.stderr, HIDDEN in done.stderr) == (True, True, False)


def test_a_change_asks_once_for_its_folder_and_undo_brings_it_back(home, script, tier):
    replies = script(RENAME, "```text:Pictures/list.txt\ntwo\n```", "All renamed.")
    with opened(home, *replies, "-C", "..", "rename the photos", **tier) as terminal:
        terminal.wait("Let this turn write to ~/Pictures?").type("y\r").wait("All renamed.").end()
        assert terminal.text().count("Let this turn") == 1
    assert names(home / "Pictures") == ["list.txt", "new_a.jpg", "new_b.jpg"]
    assert "Renamed back" in run(home, "undo", "-C", "..").stdout
    assert names(home / "Pictures") == ["a.jpg", "b.jpg"]


def test_the_leave_to_write_ends_with_the_turn(home, script):
    replies = script("```bash\ntouch Pictures/c\n```", "Made c.", "```bash\ntouch Pictures/d\n```", "No d.")
    with opened(home, *replies, "-C", "..") as terminal:
        terminal.wait_line("coder>").send("make c").wait("write to ~/Pictures?").type("y\r").wait("Made c.")
        terminal.wait_line("coder>").send("make d").wait_line("Let this turn write to ~/Pictures? [y/n/s/?]")
        terminal.type("n\r").wait("No d.").wait_line("coder>")
    assert names(home / "Pictures") == ["a.jpg", "b.jpg", "c"]


def test_a_granted_folder_that_a_block_replaced_with_a_link_is_granted_no_more(home, script, tier):
    (home / "work/a/proj/.git").mkdir(parents=True)
    swap = "cd ~/work; mv a a2; mkdir a; ln -s ../../.bashrc a/proj; ls a"
    uses = "echo EVIL >> ~/.bashrc; ls ~/work/b && touch ~/work/c"
    blocks = [f"```bash\n{each}\n```" for each in ("touch ~/work/a/proj/x", "touch ~/work/b", swap, uses)]
    with opened(home, *script(*blocks, "Done."), "-C", "..", "change the project", **tier) as terminal:
        terminal.wait("write to ~/work/a/proj?").type("y\r").wait("write to ~/work?").type("y\r")
        terminal.wait("Done.").end()
    assert (home / ".bashrc").read_text() == "# CALM"
    assert "c" in names(home / "work")


def test_moving_between_two_folders_asks_for_both(home, script, tier):
    replies = script("```bash\nmv Downloads/invoice.pdf Documents/\n```", "Moved.")
    with opened(home, *replies, "-C", "..", "file the invoice", **tier) as terminal:
        terminal.wait("Let this turn write to ~/Do").type("y\r")
        terminal.wait("write to ~/Downloads?", "write to ~/Documents?").type("y\r")
        terminal.wait("Moved.").end()
    assert (names(home / "Downloads"), "invoice.pdf" in names(home / "Documents")) == ([], True)


@pytest.mark.parametrize(
    "block", ["```bash\nmkdir fresh && echo 1 > fresh/a.txt\n```", "```text:fresh/a.txt\n1\n```"]
)
def test_a_new_folder_is_made_after_a_yes_and_goes_with_the_undo(home, script, tier, block):
    with opened(home, *script(block, "Made it."), "-C", "..", "start a project", **tier) as terminal:
        terminal.wait("Let this turn create ~/fresh and write to it?").type("y\r").wait("Made it.").end()
    assert (home / "fresh/a.txt").read_text() == "1\n"
    run(home, "undo", "-C", "..")
    assert not (home / "fresh/a.txt").exists()


def test_what_a_no_was_said_to_stays_as_it_was(home, script):
    with opened(home, *script(RENAME, "I could not."), "-C", "..", "rename the photos") as terminal:
        terminal.wait("write to ~/Pictures?").type("n\r").wait("I could not.").end()
    assert names(home / "Pictures") == ["a.jpg", "b.jpg"]


def test_a_file_of_the_home_itself_is_asked_for_and_nothing_beside_it_can_be_written(home, script, tier):
    replies = script("```bash\necho bread >> notes.txt; touch Pictures/x other\n```", "Added.")
    with opened(home, *replies, "-C", "..", "add bread", **tier) as terminal:
        terminal.wait("Let this turn write ~/notes.txt?").type("y\r").wait("~/Pictures?").type("n\r")
        terminal.wait("Added.").end()
    assert (names(home / "Pictures"), (home / "other").exists()) == (["a.jpg", "b.jpg"], False)


def test_git_and_hidden_files_in_a_folder_that_may_be_written_are_kept(home, script, tier):
    (home / "Documents/.git").mkdir()
    (home / "Documents/.git/config").write_text("[core]\n")
    writes = "touch new; echo x > .git/config; echo x > deep/.env; rm -rf .git"
    with opened(
        home, *script(f"```bash\ncd Documents\n{writes}\n```", "Tried."), "-C", "..", "do it", **tier
    ) as terminal:
        terminal.wait("write to ~/Documents?").type("y\r").wait("Tried.").end()
    assert (home / "Documents/new").exists()
    assert (home / "Documents/.git/config").read_text() == "[core]\n"
    assert (home / "Documents/deep/.env").read_text() == HIDDEN


@pytest.mark.parametrize("flags", [(), ("-y",)])
def test_without_a_terminal_a_change_is_refused_with_what_to_type(home, script, flags, tier):
    done = run(home, *script(RENAME, "Done."), "-C", "..", *flags, "rename the photos", **tier)
    assert done.returncode == 3
    assert 'tripletick -C ~/Pictures "…"' in done.stderr
    assert names(home / "Pictures") == ["a.jpg", "b.jpg"]


def test_snapshots_hold_the_folder_that_may_change_alone(home, script):
    (home / "Documents/large.txt").write_text("UNKEPT")
    with opened(home, *script(RENAME, "All done."), "-C", "..", "rename the photos") as terminal:
        terminal.wait("write to ~/Pictures?").type("y\r").wait("All done.").end()
    (store,) = (state(home) / "snapshots").glob("*/store.db")
    import sqlite3

    rows = sqlite3.connect(store).execute("SELECT path FROM file").fetchall()
    assert {path.split(b"/")[0] for (path,) in rows} == {b".", b"Pictures"}


def test_a_hidden_file_that_the_request_names_is_read_after_a_yes_and_keys_never(home, script):
    block = "```bash\ncat ~/.bashrc ~/.ssh/id\n```"
    with opened(
        home,
        *script(block, "```read\n~/.bashrc\n```", "Seen."),
        "-C",
        "..",
        "explain ~/.bashrc and ~/.ssh/id",
    ) as terminal:
        terminal.wait("Let blocks read ~/.bashrc in this session?").type("y\r").wait("Seen.").end()
        assert terminal.text().count("# CALM") >= 2
        assert HIDDEN not in terminal.text()


def test_a_question_for_one_block_keeps_what_the_block_before_changed(home, script):
    pytest.importorskip("trafilatura")
    (home / ".config/tripletick/agents").mkdir(parents=True)
    (home / ".config/tripletick/agents/both.md").write_text(
        "---\nwhen = Both.\ntools = bash fetch\n---\nDo it.\n"
    )
    first, second = "```bash\ntouch Pictures/c\n```", "```bash\ntouch Pictures/d\n```"
    with BadServer({"/": [words("A page.")]}) as server:
        replies = script(first, f"```fetch\n{server.url}/\n```", second, "Both are there.")
        allow = {"TRIPLETICK_WEB_ALLOW": place(server)}
        with opened(
            home, *replies, "-C", "..", f"make two files as {server.url}/ says", agent="both", **allow
        ) as terminal:
            terminal.wait("Let this turn write to ~/Pictures?").type("y\r")
            terminal.wait("touch Pictures/d").wait_line("Let this turn write to ~/Pictures? [y/n/s/?]")
            terminal.type("y\r").wait("Both are there.").end()
    assert names(home / "Pictures") == ["a.jpg", "b.jpg", "c", "d"]

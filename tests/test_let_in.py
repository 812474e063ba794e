"""What lies outside the workspace and was let in: read, never written, and not all of it."""

import pytest
from tests.filing import use

from tripletick.paths import PathRefused, Workspace
from tripletick.sandbox.bare import UnsandboxedBox
from tripletick.sandbox.box import SandboxSpec
from tripletick.tools.tool import FileTracker, ToolContext


@pytest.fixture
def home(tmp_path):
    for name in ("home/.ssh", "home/My Documents/old", "home/state", "home/work", "secret"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "home/.ssh/id").write_text("CANARY")
    (tmp_path / "home/.env").write_text("CANARY")
    (tmp_path / "home/state/log").write_text("CANARY")
    (tmp_path / "secret/file").write_text("CANARY")
    (tmp_path / "home/My Documents/letter.txt").write_text("Dear aunt\n")
    (tmp_path / "home/My Documents/old/plan.md").write_text("plant trees\n")
    (tmp_path / "home/work/mine.txt").write_text("mine\n")
    return tmp_path / "home"


@pytest.fixture
def context(home):
    workspace = Workspace(home / "work", home=home, state=[home / "state"])
    box = UnsandboxedBox(SandboxSpec(home / "work", home / "state"))
    yield ToolContext(workspace, box, FileTracker(), clip=2000)
    box.close()


def refusal(workspace, written, **how):
    with pytest.raises(PathRefused) as caught:
        workspace.resolve_path(written, **how)
    return str(caught.value)


@pytest.mark.parametrize(
    "written",
    [
        "~/My Documents/letter.txt",
        "'~/My Documents/letter.txt'",
        "$HOME/My Documents/letter.txt",
        "{home}/My Documents/letter.txt",
    ],
)
def test_a_file_of_a_folder_that_was_let_in_is_read(context, home, written):
    context.workspace.allow_reading(home / "My Documents")
    assert "Dear aunt" in use(context, "read", written.format(home=home)).text


@pytest.mark.parametrize("written", ["~/My Documents/letter.txt", "{home}/My Documents"])
def test_nothing_outside_is_read_before_it_is_let_in(context, home, written):
    assert "outside this folder" in use(context, "read", written.format(home=home)).text


def test_the_folder_itself_is_listed(context, home):
    context.workspace.allow_reading(home / "My Documents")
    assert "letter.txt" in use(context, "read", "~/My Documents").text


@pytest.mark.parametrize("written", ["~/My Documents/letter.txt", "~/My Documents/new.txt"])
def test_what_was_let_in_is_never_written(context, home, written):
    context.workspace.allow_reading(home / "My Documents")
    assert "may only be read" in refusal(context.workspace, written, writing=True)
    assert use(context, "write", "x", written).outcome == "failed"
    assert (home / "My Documents/letter.txt").read_text() == "Dear aunt\n"


@pytest.mark.parametrize(
    "written", ["~/.ssh/id", "~/.ssh", "~/.env", "~/state/log", "~/My Documents/../.ssh/id"]
)
def test_keys_secrets_and_our_state_stay_hidden_where_home_is_let_in(context, home, written):
    context.workspace.allow_reading(home)
    assert "kept from you" in refusal(context.workspace, written)
    assert "CANARY" not in use(context, "read", written).text


@pytest.mark.parametrize(
    "target", ["{top}/secret/file", "../../secret/file", "{top}/home/.ssh/id", "/etc/passwd"]
)
def test_a_link_in_what_was_let_in_does_not_lead_out_of_it(context, home, tmp_path, target):
    (home / "My Documents/link").symlink_to(target.format(top=tmp_path))
    context.workspace.allow_reading(home / "My Documents")
    assert "leads out" in refusal(context.workspace, "~/My Documents/link")


def test_the_workspace_s_own_rules_hold_where_it_lies_in_what_was_let_in(context, home):
    (home / "work/.tripletickignore").write_text("mine.txt\n")
    (home / "way").symlink_to("work/mine.txt")
    context.workspace.allow_reading(home)
    assert "kept from you" in refusal(context.workspace, f"{home}/work/mine.txt")
    with pytest.raises(PathRefused):
        context.workspace.resolve_path("~/way")


def test_a_file_that_was_let_in_brings_no_other(context, home):
    context.workspace.allow_reading(home / "My Documents/letter.txt")
    assert "Dear aunt" in use(context, "read", "~/My Documents/letter.txt").text
    assert "outside this folder" in refusal(context.workspace, "~/My Documents/old/plan.md")
    assert "outside this folder" in refusal(context.workspace, "~/My Documents")


@pytest.mark.parametrize("query", ["plan", "~/My Documents/**/*.md", "trees"])
def test_the_finder_looks_into_what_was_let_in(context, home, query):
    context.workspace.allow_reading(home / "My Documents")
    assert f"{home}/My Documents/old/plan.md" in use(context, "file_finder", query).text


def test_the_finder_finds_nothing_hidden_and_the_workspace_once(context, home):
    context.workspace.allow_reading(home)
    found = use(context, "file_finder", "*\nCANARY").text
    assert (found.count("mine.txt"), "id" in found.split(), "CANARY:" in found) == (1, False, False)


def test_the_finder_finds_once_what_was_let_in_twice(context, home):
    for folder in ("My Documents/old", "My Documents", "My Documents"):
        context.workspace.allow_reading(home / folder)
    assert use(context, "file_finder", "plan.md").text == f"{home}/My Documents/old/plan.md"

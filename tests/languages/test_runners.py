"""The tests of compiled languages are run by their own runners, in a project and without one."""

import shutil

import pytest
from tests.programs import run

from tripletick.turn.receipts import parse_test_counts

GO = """package add

import "testing"

func TestAdd(t *testing.T) {{
	if Add(1, 1) != {sum} {{
		t.Fatal("wrong")
	}}
}}

func TestNothing(t *testing.T) {{}}
"""
RUST = """#[test]
fn adds() {{ assert_eq!({call}(1, 1), {sum}); }}

#[test]
fn nothing() {{}}
"""
ADD_GO = "package add\n\nfunc Add(a, b int) int { return a + b }\n"
ADD_RUST = "pub fn add(a: i32, b: i32) -> i32 { a + b }\n"
CARGO = '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n'
OUTCOMES = pytest.mark.parametrize(("right", "outcome", "passed"), [(2, "ok", 2), (3, "failed", 1)])
needs_go = pytest.mark.skipif(not shutil.which("go"), reason="go")
needs_rust = pytest.mark.skipif(not shutil.which("cargo"), reason="cargo")


def put(context, files):
    for name, text in files.items():
        path = context.workspace.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def seen(result):
    return result.outcome, parse_test_counts(result.text)


@needs_go
@OUTCOMES
@pytest.mark.parametrize(
    "files",
    [{"add/add.go": ADD_GO}, {"go.mod": "module example.org/x\n\ngo 1.20\n", "add/add.go": ADD_GO}],
    ids=["alone", "module"],
)
def test_go(context, files, right, outcome, passed):
    put(context, files)
    assert seen(run(context, "go", GO.format(sum=right), "add/add_test.go")) == (outcome, (passed, 2))
    assert sorted(path.name for path in (context.workspace.root / "add").iterdir()) == [
        "add.go",
        "add_test.go",
    ]


@needs_rust
@OUTCOMES
def test_cargo(context, right, outcome, passed):
    put(context, {"Cargo.toml": CARGO, "src/lib.rs": ADD_RUST})
    source = RUST.format(call="sums::add", sum=right)
    assert seen(run(context, "rust", source, "tests/adds.rs")) == (outcome, (passed, 2))
    assert not (context.workspace.root / "target").exists()


@needs_rust
@OUTCOMES
def test_rust_without_a_project(context, right, outcome, passed):
    source = ADD_RUST + RUST.format(call="add", sum=right)
    assert seen(run(context, "rust", source, "lib.rs")) == (outcome, (passed, 2))


def test_empty_lines_are_no_summary():
    assert parse_test_counts("\n" * 100_000) is None
    assert parse_test_counts("\n\n  2 passed in 0.1s\n") == (2, 2)

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tools import release_check

TOP = Path(__file__).parents[2]
SCRIPT = "```bash\necho run > ran\n```\n---\nDone.\n"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "script.md").write_text(SCRIPT)
    return tmp_path


def run(home, sources, *words):
    """Run the product from these sources; site-packages serve for what it depends on."""
    return subprocess.run(
        [sys.executable, "-c", "import sys; from tripletick.cli import main; sys.exit(main())", *words],
        cwd=home / "project",
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(sources)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=150,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """What a wheel of this tree's source archive holds, unpacked as an installer does."""
    folder = tmp_path_factory.mktemp("wheel")
    source = release_check.unpack_archive(
        release_check.build_archive(TOP, folder, "sdist"), folder / "source"
    )
    with zipfile.ZipFile(release_check.build_archive(source, folder, "wheel")) as file:
        file.extractall(folder / "installed")
    return folder / "installed"


def test_a_wheel_holds_prompts_config_and_tables(wheel):
    package = wheel / "tripletick"
    assert (package / "prompts/base/system.md").is_file()
    assert (package / "router/weights.bin").is_file()
    assert (package / "config.ini").read_text() == (TOP / "config.ini").read_text()
    assert {path.name for path in (TOP / "docs").glob("*.md")} <= {
        path.name for path in (package / "docs").iterdir()
    }
    assert {path.name for path in TOP.rglob("sources/**/*.toml")} <= {
        path.name for path in package.rglob("*.toml")
    }


def test_an_installed_wheel_does_a_request(wheel, home):
    done = run(home, wheel, "-C", ".", "-m", f"scripted:{home / 'script.md'}", "run it")
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert (home / "project" / "ran").exists()


def test_an_editable_install_reads_config_and_prompts_where_they_lie(home):
    clone = home / "clone"
    shutil.copytree(
        TOP / "sources", clone / "sources", ignore=shutil.ignore_patterns("__pycache__", "*.gguf")
    )
    shutil.copytree(TOP / "prompts", clone / "prompts")
    text = (TOP / "config.ini").read_text().replace("name = auto", "name = mine")
    (clone / "config.ini").write_text(text.replace("\nname =\n", f"\nname = scripted:{home / 'script.md'}\n"))
    (clone / "prompts/base/mine.md").write_text("---\nwhen = Always.\ntools = bash\n---\nYou run.\n")
    done = run(home, clone / "sources", "-C", ".", "do it")
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "mine" in next((home / ".local/state/tripletick/sessions").glob("*.jsonl")).read_text()


def test_make_ask_installs_what_runs_a_model_of_this_machine():
    planned = subprocess.run(
        ["make", "-n", "ask", "q=hi", "VENV=nowhere"], cwd=TOP, capture_output=True, text=True, timeout=150
    )
    assert "--editable '.[embedded]'" in planned.stdout


@pytest.fixture
def packaging(tmp_path):
    """A copy of the files for other package managers."""
    return Path(shutil.copytree(TOP / "packaging", tmp_path / "packaging"))


def test_the_formula_and_the_pkgbuild_can_be_read_and_name_what_the_project_needs(packaging):
    assert [*release_check.run_linters(packaging), *release_check.check_dependencies(packaging)] == []


def test_what_is_wrong_with_a_package_file_is_said(packaging):
    for path in packaging.iterdir():
        path.write_text(
            path.read_text().replace("python-rich", "").replace("\n}\n", "\n").replace("\nend", "")
        )
    assert [line.partition(":")[0] for line in release_check.check_dependencies(packaging)] == [
        "packaging/PKGBUILD does not depend on python-rich."
    ]
    told = " ".join(release_check.run_linters(packaging))
    assert "packaging/PKGBUILD: bash -n" in told
    assert "packaging/tripletick.rb: ruby -c" in told or not shutil.which("ruby")


def test_version_and_hash_of_the_source_archive_are_compared_and_written(packaging):
    true = {"version": "9.8.7", "sha256": "ab" * 32}
    assert len([*release_check.check_versions(packaging, true)]) == 4
    release_check.write_versions(packaging, true)
    assert [*release_check.check_versions(packaging, true)] == []

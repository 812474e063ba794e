"""What `tripletick doctor` finds is what is there, and each of its attacks can succeed."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from tripletick.sandbox import open_box
from tripletick.sandbox.attacks import ATTACKS, prepare_targets, run_all_attacks, run_attack
from tripletick.sandbox.box import SandboxSpec
from tripletick.system import platforms

BOXES = ["bubblewrap", "landlock"]


def run(home, *words, **env):
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONWARNINGS": "error", **env}
    command = [sys.executable, "-m", "tripletick.cli", "doctor", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=150)


def holds(tmp_path, tier):
    workspace = tmp_path / "work"
    workspace.mkdir()
    box = open_box(SandboxSpec(workspace, tmp_path / "state"), tier)
    box.close()
    return box.holds


@pytest.mark.parametrize("tier", BOXES)
def test_a_box_that_holds_passes_all_ten(tmp_path, tier):
    if not holds(tmp_path, tier):
        pytest.skip(f"{tier} does not hold on this machine")
    done = run(tmp_path, "--json", TRIPLETICK_SANDBOX_TIER=tier)
    told = json.loads(done.stdout)
    assert [each["verdict"] for each in told["attacks"]] == ["held"] * 10
    assert (done.returncode, told["tier"], told["holds"]) == (0, tier, True)
    assert told["sentence"].startswith(f"{tier}: ")


def test_a_state_folder_that_cannot_be_made_is_told_with_what_to_look_at(tmp_path):
    (tmp_path / "a file").touch()
    done = run(tmp_path, XDG_STATE_HOME=str(tmp_path / "a file" / "state"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(f"ls -ld '{tmp_path}/a file/state'\n")


def test_without_a_box_every_attack_gets_through_and_none_does_harm(tmp_path):
    with prepare_targets(tmp_path) as stage:
        box = open_box(SandboxSpec(stage.workspace, tmp_path), "none")
        outcomes = run_all_attacks(box, stage)
        box.close()
    assert [each.tries for each in outcomes if each.verdict != "not held"] == []
    assert len(ATTACKS) == 10


def test_an_attack_that_did_not_run_is_not_held(tmp_path):
    missing = replace(ATTACKS[0], command=("nosuchprogram",))
    with prepare_targets(tmp_path) as stage:
        box = open_box(SandboxSpec(stage.workspace, tmp_path))
        assert run_attack(missing, box, stage).verdict == "not tried"
        box.close()


def test_without_a_box_nothing_is_attacked_and_the_remedy_is_told(tmp_path):
    done = run(tmp_path, PATH="/nonexistent", TRIPLETICK_SANDBOX_TIER="bubblewrap")
    assert done.returncode == 1
    assert "NO SANDBOX" in done.stdout
    assert "attacks" not in done.stdout
    assert "sudo apt install bubblewrap" in done.stdout.partition("what to do:")[2]


def test_folders_of_ours_are_told_with_their_sizes_and_nothing_is_left_behind(tmp_path):
    state = tmp_path / ".local/state/tripletick"
    state.mkdir(parents=True)
    (state / "kept").write_bytes(bytes(3000))
    told = json.loads(run(tmp_path, "--json").stdout)
    folders = {each["path"]: each["size"] for each in told["folders"]}
    assert folders[str(state)] == 3000
    assert len(folders) == 3
    assert {path.name for path in state.iterdir()} <= {"kept", "boxes"}


def test_folders_that_blocks_do_not_see_are_told(tmp_path):
    (tmp_path / "program").write_text("#!/bin/sh\n")
    done = run(tmp_path, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert str(tmp_path) in done.stdout.partition("not visible on PATH:")[2].partition("data folders")[0]


@pytest.mark.skipif(not platforms.list_sandbox_tiers(), reason="no tier is made for this system")
def test_the_page_is_for_people(tmp_path):
    lines = run(tmp_path).stdout.splitlines()
    assert lines[0].startswith("sandbox: ")
    assert any(line.startswith("attacks: 10 of 10") for line in lines)
    assert not any("\x1b" in line for line in lines)


def programs(folder, **texts):
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_a_language_that_is_there_and_does_not_start_is_told_with_what_it_says(tmp_path):
    path = programs(tmp_path / "tools/bin", fish="echo no licence found >&2; exit 3")
    done = run(tmp_path, PATH=path)
    assert "does not start: fish (no licence found)" in done.stdout
    assert "fish" not in done.stdout.partition("languages: ")[2].partition("\n")[0].split()


@pytest.mark.parametrize("toolchain", [False, True])
def test_a_rustup_without_a_toolchain_is_no_rust(tmp_path, toolchain):
    path = programs(tmp_path / ".cargo/bin", rustup="echo no toolchain >&2; exit 1")
    (tmp_path / ".cargo/bin/rustc").symlink_to("rustup")
    if toolchain:
        programs(tmp_path / ".rustup/toolchains/stable/bin", rustc="echo rustc 1.80")
        (tmp_path / ".rustup/settings.toml").write_text('default_toolchain = "stable"\n')
    spoken = {
        each["tag"]: each for each in json.loads(run(tmp_path, "--json", PATH=path).stdout)["languages"]
    }
    assert spoken["rust"]["runs"] == toolchain


def test_words_that_are_not_understood_are_refused(tmp_path):
    assert run(tmp_path, "--jsn").returncode == 2


def test_a_model_that_cannot_be_tested_is_said(tmp_path):
    done = run(tmp_path, "--model", "none", "--host", "http://127.0.0.1:9")
    assert (done.returncode, done.stderr) == (4, "The model was not tested.\n")
    assert "server: none" in done.stdout

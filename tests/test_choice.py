"""Which model suits a machine, what a pull looks like, and which system this is: told by values."""

import sys

import pytest
from rich.cells import cell_len

from tripletick.commands.onboarding import format_models
from tripletick.commands.pull_progress import PullProgress
from tripletick.models import fitness
from tripletick.models.choice import (
    FreeMemory,
    describe_use,
    fits_memory,
    format_rows,
    free_memory_for,
    sort_models,
    suggest_pulls,
)
from tripletick.models.hosts import ServerAddress
from tripletick.models.model import ListedModel, ModelInfo
from tripletick.models.ollama_pull import PullStatus
from tripletick.models.server_models import AvailableModel, ModelCatalog
from tripletick.session.model_discovery import system_notes
from tripletick.system import platforms
from tripletick.system.text import format_duration
from tripletick.ui.columns import align_rows

GB = 1_000_000_000
ROUTES = "Iface\tDestination\tGateway\neth0\t000013AC\t00000000\neth0\t00000000\t{}\n"


def stock(name, size, parameters=7 * GB, can=("completion",)):
    return AvailableModel(
        ListedModel(name, int(size * GB)), ModelInfo(name, "ollama", parameters=parameters, can=can)
    )


def test_a_model_fits_where_its_file_and_its_context_have_room():
    assert fits_memory(4_700_000_000, 7 * GB) is True
    assert fits_memory(4_700_000_000, 5 * GB) is False
    assert fits_memory(4_700_000_000, 0) is None


@pytest.mark.parametrize("free", [0, 1, 2, 4, 8, 12, 16, 24, 48, 128])
def test_three_models_are_suggested_and_the_first_one_is_not_too_large(free):
    rows = suggest_pulls(FreeMemory(free * GB))
    assert len({row.name for row in rows}) == 3
    assert free < 2 or fits_memory(rows[0].size, free * GB) is not False


def test_with_more_memory_more_is_suggested():
    firsts = [suggest_pulls(FreeMemory(free * GB))[0].size for free in (2, 4, 8, 16, 32, 64)]
    assert firsts == sorted(set(firsts))


def test_a_card_with_more_memory_than_the_machine_decides_and_all_of_it_counts():
    assert suggest_pulls(FreeMemory(8 * GB, 25 * GB))[0].size > suggest_pulls(FreeMemory(25 * GB))[0].size
    assert FreeMemory(8 * GB, 24 * GB).largest == 24 * GB


def test_what_loaded_models_hold_goes_to_the_next_one_where_the_rest_is_known():
    shelf = ModelCatalog(ServerAddress(), held=2 * GB, held_video=3 * GB)
    assert free_memory_for(shelf, FreeMemory(4 * GB, 5 * GB)) == FreeMemory(6 * GB, 8 * GB)
    assert free_memory_for(shelf, FreeMemory(4 * GB)) == FreeMemory(6 * GB)


def test_nvidias_cards_tell_by_their_program_and_amds_by_the_kernel(tmp_path):
    smi, drm = tmp_path / "nvidia-smi", tmp_path / "drm"
    smi.write_text(f"#!{sys.executable}\nprint(81000, 24000, '[N/A]', sep=chr(10))\n")
    smi.chmod(0o755)
    (drm / "card0" / "device").mkdir(parents=True)
    (drm / "card0" / "device" / "mem_info_vram_total").write_text("17163091968\n")
    (drm / "card0" / "device" / "mem_info_vram_used").write_text("163091968\n")
    assert fitness.free_video_memory(str(smi), drm) == (105000 << 20) + 17 * GB
    assert fitness.free_video_memory(None, drm) == 17 * GB
    assert fitness.free_video_memory(str(tmp_path / "gone"), tmp_path) == 0


def test_the_largest_that_fits_and_is_good_for_code_comes_first():
    models = [stock("tiny", 0.4, GB), stock("talker", 5), stock("coder:7b", 4.7), stock("coder:32b", 20)]
    assert [one.name for one in sort_models(models, 16 * GB)] == ["coder:7b", "tiny", "talker", "coder:32b"]


def test_of_models_that_are_all_too_large_the_smallest_comes_first():
    assert sort_models([stock("a", 40), stock("b", 20)], 8 * GB)[0].name == "b"


def test_an_embedding_model_is_told_and_never_offered():
    embedder = stock("nomic", 0.3, can=("embedding",))
    assert sort_models([embedder], 8 * GB) == []
    assert (
        describe_use(embedder) == next(format_rows([embedder], 8 * GB))[-1] == "embedding model, cannot chat"
    )


def test_a_bar_tells_share_speed_and_time_left_of_what_came_since_the_start():
    times = iter([0.0, 2.0, 4.0])
    bar = PullProgress("m", clock=lambda: next(times))
    for done in (100, 150, 200):
        bar.update_progress(PullStatus("pulling", done * 1_000_000, 1_200_000_000))
    assert (
        bar.format_line() == "Pulling m  [###-----------------] 16 %  200 MB of 1.2 GB  25.0 MB/s  40 s left"
    )


def test_a_bar_says_what_the_server_does_where_nothing_is_counted():
    bar = PullProgress("m")
    bar.update_progress(PullStatus("verifying\x1b[2J", 5, 5))
    assert bar.format_line() == "Pulling m  verifying\u241b[2J"


@pytest.mark.parametrize(("seconds", "words"), [(8.9, "8 s"), (125, "2 min 5 s"), (3840, "1 h 4 min")])
def test_times_are_short(seconds, words):
    assert format_duration(seconds) == words


@pytest.mark.parametrize(
    ("system", "kernel", "kind"),
    [
        ("linux", "Linux version 6.1 (gcc)", "linux"),
        ("linux", "Linux version 5.15.153.1-microsoft-standard-WSL2", "wsl"),
        ("darwin", "", "macos"),
        ("win32", "", "windows"),
    ],
)
def test_the_system_is_told_from_its_names(system, kernel, kind):
    assert platforms.detect_system(system, kernel) == kind


def test_windows_is_the_gateway_of_wsl_and_a_routers_address_is_left_alone():
    assert platforms.find_windows_host(ROUTES.format("011013AC")) == "172.19.16.1"
    assert platforms.find_windows_host(ROUTES.format("0101A8C0")) == ""
    assert platforms.find_windows_host("") == ""


def test_the_ways_out_name_what_holds_on_one_system_alone():
    assert list(system_notes("linux")) == []
    assert "--host http://172.19.16.1:11434" in next(system_notes("wsl", "172.19.16.1"))
    assert "--host http://127.0.0.1:11434" in next(system_notes("wsl"))
    assert "open -a Ollama" in next(system_notes("macos"))


def test_columns_are_as_wide_as_the_terminal_draws_them():
    rows = [("漢字", "4.7 GB"), ("naïve", "398 MB"), ("🐙 cat", "1 GB")]
    assert {cell_len(line.rpartition("|")[0]) for line in align_rows([(*row, "|") for row in rows])} == {
        14 + 2
    }
    assert {cell_len(line) for line in align_rows(rows, right=(1,))} == {14}


def test_the_suggested_model_is_marked_and_one_that_is_too_large_is_named_the_smallest():
    rows = format_models([stock("coder:7b", 4.7), stock("tiny", 0.4, GB)], 16 * GB, numbered=True)
    assert rows[0].endswith("← good for code")
    assert rows[1].endswith("  small: simple tasks")
    assert format_models([stock("coder:7b", 4.7)], GB, numbered=True)[0].endswith("← smallest")

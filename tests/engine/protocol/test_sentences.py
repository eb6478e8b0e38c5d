"""Protects the templates of captions: they fill their places and no others; every kind is a step or goes with one."""

from __future__ import annotations

from typing import get_args

import pytest

from backscope.protocol import events as ev
from backscope.protocol.sentences import say, tables, templates

KINDS = [kind.__struct_config__.tag for kind in get_args(ev.Event)]


def test_places_are_filled_with_what_they_are_given():
    assert say("tensor_named", name="{tensor}", tensor=r"\1 x") == r"{tensor} is now the name of \1 x."
    assert say("loop_finished.several", rounds=3) == "The loop is over after 3 rounds."


@pytest.mark.parametrize("places", [{}, {"name": "x"}, {"name": "x", "tensor": "y", "value": "z"}])
def test_a_place_that_is_missing_or_too_many_is_an_error(places):
    with pytest.raises(KeyError, match="tensor_named has the places"):
        say("tensor_named", **places)


def test_a_template_that_there_is_not_is_an_error():
    with pytest.raises(KeyError, match="tensor_lost"):
        say("tensor_lost")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_once_in_what_makes_steps(kind):
    steps = tables()["steps"]
    ways = ("begins", "begins_between_nodes", "waits_between_nodes", "joins", "by_rule")
    assert sum(steps[way].count(kind) for way in ways) == 1


def test_what_makes_steps_names_kinds_of_events():
    for kinds in tables()["steps"].values():
        assert set(kinds) <= set(KINDS)


def test_every_kind_that_begins_a_step_has_templates():
    named = {name.partition(".")[0] for name in templates()}
    steps = tables()["steps"]
    begin = {*steps["begins"], *steps["begins_between_nodes"], *steps["by_rule"]} - {"recomputation_started"}
    assert begin <= named

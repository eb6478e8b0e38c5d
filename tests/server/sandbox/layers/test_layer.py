"""Protects the decision whether strangers may send programs: each essential layer, and one of the second wall."""

from __future__ import annotations

import pytest

from backscope_server.sandbox.layers.layer import ALL, Layer, lacking

NAMES = ("rlimits", "seccomp", "landlock", "namespaces", "executable memory", ALL)


def without(*missing: str) -> list[str]:
    return lacking([Layer(name=name, works=name not in missing, found=f"{name} was found") for name in NAMES])


def test_everything_is_enough():
    assert without() == []


@pytest.mark.parametrize("missing", ["landlock", "namespaces", "executable memory"])
def test_one_of_the_others_may_be_missing(missing):
    assert without(missing) == []


@pytest.mark.parametrize(("missing", "remedy"), [("seccomp", "CONFIG_SECCOMP_FILTER"), ("rlimits", "ordinary user")])
def test_an_essential_layer_is_named_with_how_to_get_it(missing, remedy):
    (reason,) = without(missing)
    assert reason.startswith(f"{missing}: {missing} was found.")
    assert remedy in reason


def test_a_second_wall_is_needed():
    (reason,) = without("landlock", "namespaces")
    assert "one is needed" in reason and "lsm=" in reason and "max_user_namespaces" in reason


def test_all_together_have_to_hold():
    assert without(ALL) == [f"{ALL}: {ALL} was found."]


def test_nothing_tested_is_not_enough():
    assert len(lacking([])) == 4


def test_no_walls_at_all_is_one_reason():
    (reason,) = lacking([Layer(name=ALL, works=False, found="no walls", remedy="Run the server on Linux.")])
    assert reason == "no walls. Run the server on Linux."

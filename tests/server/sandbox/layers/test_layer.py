"""Protects the decision whether a public server may start: each essential layer, and one of the second wall."""

from __future__ import annotations

import pytest

from backscope_server.sandbox.layers.layer import ALL, Layer, lacking

NAMES = ("rlimits", "seccomp", "landlock", "namespaces", "executable memory", ALL)


def without(*missing: str) -> list[str]:
    return lacking([Layer(name=name, works=name not in missing, found=f"{name} was found") for name in NAMES])


def test_all_layers_suffice():
    assert without() == []


@pytest.mark.parametrize("missing", ["landlock", "namespaces", "executable memory"])
def test_a_layer_that_is_not_essential_may_be_missing(missing):
    assert without(missing) == []


@pytest.mark.parametrize(("missing", "remedy"), [("seccomp", "CONFIG_SECCOMP_FILTER"), ("rlimits", "ordinary user")])
def test_an_essential_layer_is_named_with_how_to_get_it(missing, remedy):
    (reason,) = without(missing)
    assert reason.startswith(f"{missing}: {missing} was found.")
    assert remedy in reason


def test_a_second_wall_is_needed():
    (reason,) = without("landlock", "namespaces")
    assert "one is needed" in reason and "lsm=" in reason and "max_user_namespaces" in reason


def test_all_layers_together_have_to_work():
    assert without(ALL) == [f"{ALL}: {ALL} was found."]


def test_untested_layers_do_not_suffice():
    assert len(lacking([])) == 4


def test_a_system_without_layers_is_one_reason():
    (reason,) = lacking([Layer(name=ALL, works=False, found="no walls", remedy="Run the server on Linux.")])
    assert reason == "no walls. Run the server on Linux."

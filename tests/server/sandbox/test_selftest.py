"""Protects the self-test of the sandbox: it reports which layers work and which do not."""

from __future__ import annotations

import os

import pytest

from backscope_server.sandbox.layers import landlock, layer, namespaces, prctl


def test_the_layers_of_this_system_work(layers_without):
    found = layers_without(thorough=True)
    expected = {
        "rlimits": True,
        "seccomp": True,
        "landlock": landlock.abi() > 0,
        "namespaces": namespaces.why_not() is None,
        "process attributes": True,
        "executable memory": prctl.has_mdwe(),
        "capabilities": True,
        layer.ALL: True,
    }
    if os.geteuid() == 0:
        expected["identity"] = True
    assert {name: layer.works for name, layer in found.items()} == expected, found


def test_a_thorough_test_waits_for_the_processor_time(layers_without):
    assert "computing for longer" in layers_without(thorough=True)["rlimits"].found
    assert "computing" not in layers_without()["rlimits"].found


@pytest.mark.parametrize("name", ["seccomp", "landlock", "namespaces", "executable memory"])
def test_a_layer_that_is_left_out_is_missing(layers_without, name):
    found = layers_without(name)
    assert not found[name].works
    assert found[name].remedy


def test_together_they_work_without_any_one_of_them(layers_without):
    for name in ("landlock", "namespaces", "executable memory"):
        assert layers_without(name)[layer.ALL].works, name


def test_attempts_that_succeed_are_named(layers_without):
    # Nothing is left that refuses executable memory.
    found = layers_without("seccomp", "executable memory")[layer.ALL]
    assert not found.works
    assert "mapping executable memory" in found.found


def test_the_layers_do_not_suffice_without_seccomp(layers_without):
    (first, *_) = layer.lacking(list(layers_without("seccomp").values()))
    assert first.startswith("seccomp")

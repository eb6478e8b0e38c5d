"""Protects the choice of user ids: only ranges that the container maps as a whole are taken."""

from __future__ import annotations

from backscope_server.sandbox.layers.identity import _mapped


def test_a_range_has_to_be_mapped_as_a_whole():
    assert _mapped("0 0 4294967295\n", 2_000_000)
    assert _mapped("0 100000 65536\n", 60_600)
    assert not _mapped("0 100000 65536\n", 2_000_000)
    assert not _mapped("0 1000 1\n1 100000 60700\n", 60_600)

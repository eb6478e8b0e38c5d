"""Protects that what a child allocates lies in pages of its own."""

from __future__ import annotations

from backscope_server.sandbox import holes

BLOCK = 64


def test_free_blocks_are_found_and_taken():
    made = [bytes(BLOCK - b"".__sizeof__()) for _ in range(4096)]
    assert made.pop().__sizeof__() == BLOCK
    del made[::2]
    assert holes.free_blocks()[BLOCK] >= 1000
    filling = holes.fill()
    assert holes.free_blocks()[BLOCK] < 1000
    assert sum(map(len, filling)) < 100 << 20

"""Protects the pages that children share: free blocks of the zygote are filled before it forks."""

from __future__ import annotations

from backscope_server.sandbox import free_blocks

BLOCK = 64


def test_free_blocks_are_found_and_taken():
    made = [bytes(BLOCK - b"".__sizeof__()) for _ in range(4096)]
    assert made.pop().__sizeof__() == BLOCK
    del made[::2]
    assert free_blocks.count_free_blocks()[BLOCK] >= 1000
    filling = free_blocks.fill_free_blocks()
    assert free_blocks.count_free_blocks()[BLOCK] < 1000
    assert sum(map(len, filling)) < 100 << 20

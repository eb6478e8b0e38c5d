"""Counts the bytes that saved tensors hold."""

from __future__ import annotations

from collections.abc import Iterable

from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev


def kept_bytes(tape: Tape, nodes: Iterable[int], seq: int) -> int:
    """Count the bytes that the live saved tensors of nodes hold."""
    return whole_bytes(tape, (saved for number in nodes for saved in tape.nodes[number].kept(seq)))


def whole_bytes(tape: Tape, saved: Iterable[ev.SavedTensor | ev.BufferFreed]) -> int:
    """Count the bytes of the storages of saved tensors: each once and whole, as a part of a storage keeps all of it."""
    storages: dict[int, int] = {}
    for one in saved:
        known = storages.get(one.storage) or tape.storage_bytes.get(one.storage, 0)
        storages[one.storage] = max(one.nbytes, known)
    return sum(storages.values())

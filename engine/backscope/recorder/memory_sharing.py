"""Tensors over one memory: a change of it is recorded for the first of them and for those with a name."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.recorder.identity import Token
from backscope.tensor.tensor import Tensor

MOST_SHARING = 16
"""Tensors over one memory of which a change is told."""

COMPARED = 1000
"""Steps that are taken to find out whether two tensors have an element in common; after them they are taken to."""


class MemorySharing:
    """Which tensors share memory, so that a change of one is recorded for the others as well.

    `tokens` has by storage the first tensor over it that is known, and those with a name.
    """

    __slots__ = ("_most", "tokens")

    def __init__(self) -> None:
        self.tokens: dict[int, tuple[Token, dict[str, Token]]] = {}
        self._most = 1024

    def shares(self, first: Token) -> None:
        """Another tensor shares the memory of one: changes are told of the first one and of those with a name."""
        if first.storage in self.tokens:
            return
        if len(self.tokens) >= self._most:
            self.tokens = {
                storage: (oldest, named)
                for storage, (oldest, named) in self.tokens.items()
                if oldest() is not None or any(token() is not None for token in named.values())
            }
            self._most = max(1024, 2 * len(self.tokens))
        self.tokens[first.storage] = first, {}

    def known_as(self, name: str, token: Token) -> None:
        """Remember a tensor by the name of its variable or module; items of containers are too many to keep."""
        found = self.tokens.get(token.storage)
        if found is not None and token is not found[0] and "[" not in name:
            found[1][name] = token

    def others(self, tensor: Tensor, storage: int) -> list[Tensor]:
        """The others that are told of when a tensor's memory changes: the first over it, then those with a name."""
        found: list[Tensor] = []
        if storage not in self.tokens:
            return found
        first, named = self.tokens[storage]
        for token in (first, *named.values()):
            other = token()
            if other is None or other is tensor or any(other is known for known in found):
                continue
            if overlap(other._data, tensor._data):
                found.append(other)
                if len(found) == MOST_SHARING:
                    break
        return found


def overlap(first: Any, second: Any) -> bool:
    """Whether two arrays have an element in common, or may have one where that takes long to find out."""
    try:
        return np.shares_memory(first, second, max_work=COMPARED)  # type: ignore[arg-type] # Any number will do.
    except np.exceptions.TooHardError:
        return True

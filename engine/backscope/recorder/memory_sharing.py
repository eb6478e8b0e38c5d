"""Tensors that share memory: a change of it is recorded for the first of them and for those with a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.recorder.identity import Token
from backscope.recorder.tensor_slots import data_of
from backscope.runtime.given import Array

MOST_SHARING = 16
"""Tensors over one memory that a change is recorded for at most."""

COMPARED = 1000
"""Steps of the search for an element that two tensors have in common; after them they count as overlapping."""


class MemorySharing:
    """Knows which tensors share memory.

    `tokens` has by storage the first tensor over it that is known, and those with a name; `array` gives the memory of
    one of the framework's tensors, None where it cannot be read.
    """

    __slots__ = ("_most", "array", "tokens")

    # Any: a tensor of the framework's.
    def __init__(self, array: Callable[[Any], Array | None] = data_of) -> None:
        self.array = array
        self.tokens: dict[int, tuple[Token, dict[str, Token]]] = {}
        self._most = 1024

    def shares(self, first: Token) -> None:
        """Note that another tensor shares the memory of this one."""
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
        """Keep a tensor by the name of its variable or module; items of containers are too many to keep."""
        found = self.tokens.get(token.storage)
        if found is not None and token is not found[0] and "[" not in name:
            found[1][name] = token

    # Any: tensors of the framework's.
    def others(self, tensor: Any, storage: int) -> list[Any]:
        """Return the others that a change of a tensor's memory is recorded for: the first, then those with a name."""
        found: list[Any] = []
        if storage not in self.tokens:
            return found
        first, named = self.tokens[storage]
        changed = self.array(tensor)
        for token in (first, *named.values()):
            other = token()
            if other is None or other is tensor or any(other is known for known in found):
                continue
            theirs = self.array(other)
            if theirs is None or changed is None or overlap(theirs, changed):
                found.append(other)
                if len(found) == MOST_SHARING:
                    break
        return found


def overlap(first: Array, second: Array) -> bool:
    """Return True if two arrays have an element in common, or may have one where the search takes too long."""
    try:
        return np.shares_memory(first, second, max_work=COMPARED)  # type: ignore[arg-type] # Any number will do.
    except np.exceptions.TooHardError:
        return True

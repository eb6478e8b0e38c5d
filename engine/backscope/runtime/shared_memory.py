"""Memory that a program can write to without the engine's knowing: what it saw as numpy arrays, storages, addresses."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from backscope.runtime.given import Array
from backscope.runtime.listening import hub

exposed: dict[int, weakref.ref[Any]] = {}
"""The owners of such memory, by identity."""


# Any: the owner of memory may be an object of any type.
def owner(array: Array) -> Any:
    """Return the object that owns an array's memory: itself, or the last base in the chain of views."""
    base = array.base
    while base is not None:
        array = base
        base = getattr(array, "base", None)
    return array


def expose(array: Array) -> None:
    """Mark the memory of an array as one that a program may write to without the engine, as long as it exists."""
    if isinstance(array, np.ndarray):
        if hub.keeper is not None:
            hub.keeper.before_change(array)
        memory = owner(array)
        number = id(memory)
        if isinstance(memory, np.ndarray) and number not in exposed:
            exposed[number] = weakref.ref(memory, lambda _: exposed.pop(number, None))

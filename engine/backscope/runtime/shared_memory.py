"""Memory that a program can write to without the engine's knowing: what it saw as numpy arrays, storages, addresses."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from backscope.runtime.given import Array
from backscope.runtime.listening import hub

exposed: dict[int, weakref.ref[Any]] = {}
"""The owners of such memory, by identity."""


def owner(array: Array) -> Any:
    """Whose memory an array shows: itself, or what it is a view of, by way of whatever is between."""
    base = array.base
    while base is not None:
        array = base
        base = getattr(array, "base", None)
    return array


def expose(array: Array) -> None:
    """From now on others may write to the memory of an array, as long as it is there."""
    if isinstance(array, np.ndarray):
        if hub.keeper is not None:
            hub.keeper.before_change(array)
        memory = owner(array)
        number = id(memory)
        if isinstance(memory, np.ndarray) and number not in exposed:
            exposed[number] = weakref.ref(memory, lambda _: exposed.pop(number, None))

"""What listeners hear of a backward pass inside a transform: the ops that its formulas run, not the pass itself.

The nodes of a transform's own tape are gone with it, and its tensors wrap those that the ops below are told of.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from backscope.autograd.transform_level import Lifted
from backscope.runtime.listening import hub

_HEARD = frozenset({"op", "applied", "created", "aliased", "mutated", "tangent_computed", "line"})


class Undertone:
    """A listener that passes on what it hears of ops, and nothing of nodes and gradients."""

    def __init__(self, listener: Any) -> None:
        self.listener = listener

    def __getattr__(self, name: str) -> Any:
        return getattr(self.listener, name) if name in _HEARD else _nothing


def _nothing(*args: Any, **kwargs: Any) -> None:
    return None


@contextmanager
def undertone(tensors: Any) -> Iterator[bool]:
    """Whether a pass from these tensors belongs to a transform; if so, listeners hear only of its ops meanwhile."""
    inside = any(isinstance(t, Lifted) and t.inner is not None for t in tensors)
    listener = hub.listener
    if inside and listener is not None and not isinstance(listener, Undertone):
        hub.listener = Undertone(listener)
    try:
        yield inside
    finally:
        hub.listener = listener

"""What a recording replaces in PyTorch, and puts back when it ends."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any


class Patches:
    """Replaces attributes, and puts them back in the reverse order."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []

    # Any: attributes of PyTorch's classes and modules.
    def replace(self, holder: Any, name: str, new: Any) -> None:
        """Replace an attribute of a module or a class."""
        old = vars(holder)[name]
        setattr(holder, name, new)
        self._undo.append(lambda: setattr(holder, name, old))

    def later(self, undo: Callable[[], object]) -> None:
        """Call a function when all is put back."""
        self._undo.append(undo)

    def put_back(self) -> None:
        """Put everything back."""
        while self._undo:
            with suppress(Exception):  # One that fails must not keep the others.
                self._undo.pop()()

"""Where shared runs are kept: named objects of bytes, in a folder or in a store that speaks S3.

A name is a path of a few parts, each of letters, digits, "-", "_", "=" and ".".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol


class Found(NamedTuple):
    """An object that is listed: its name, its size in bytes, and when it was written last, in seconds as time.time."""

    name: str
    nbytes: int
    at: float


class Unreachable(RuntimeError):
    """The error for objects that cannot be read or written now; the text says why."""


class Objects(Protocol):
    """Objects by name.  Each method raises Unreachable where the store does not answer, and is called in a thread."""

    workers: int
    """How many threads may call at once."""

    def put(self, name: str, content: bytes) -> None:
        """Write an object, whole or not at all, in place of one of the same name."""

    def create(self, name: str, content: bytes) -> bool:
        """Write an object unless there is one of this name; return whether it was written."""

    def get(self, name: str) -> bytes | None:
        """Return an object, None where there is none."""

    def delete(self, names: Iterable[str]) -> None:
        """Remove objects, those that are there."""

    def list(self, prefix: str = "") -> list[Found]:
        """Return the objects below a prefix of whole parts."""

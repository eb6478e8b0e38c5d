"""Who listens to the engine: one recorder at most, asked for with one check per op."""

from __future__ import annotations

from typing import Any


class _Hub:
    """`listener` is None where nobody listens, and then nothing is paid but the check."""

    __slots__ = ("listener",)

    def __init__(self) -> None:
        self.listener: Any = None


hub = _Hub()

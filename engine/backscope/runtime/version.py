"""The version of Backscope and of the PyTorch that it follows."""

from __future__ import annotations

import re
from typing import Any

VERSION = "0.1.0"
TORCH_VERSION = "2.13.0"


class TorchVersion(str):
    """A version as text that is compared with others as versions are: with texts, or with numbers in a row."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return _numbers(self) < _numbers(other)

    def __le__(self, other: object) -> bool:
        return _numbers(self) <= _numbers(other)

    def __gt__(self, other: object) -> bool:
        return _numbers(self) > _numbers(other)

    def __ge__(self, other: object) -> bool:
        return _numbers(self) >= _numbers(other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (str, tuple, list)):
            return _numbers(self) == _numbers(other)
        return NotImplemented

    __hash__ = str.__hash__


def _numbers(version: Any) -> tuple[int, ...]:
    """The numbers that a version consists of, without the zeros at its end and what it says of its build."""
    parts = re.findall(r"\d+", version.partition("+")[0]) if isinstance(version, str) else version
    numbers = [int(p) for p in parts]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)

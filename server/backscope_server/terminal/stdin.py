"""Records the program's input from stdin, so that the program reads the same input when it is run again."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from typing import Any

from backscope.diagnosis.user_frame import WAITING

_SIZE = 4
"""The bytes that hold the length of a part."""


class Stdin:
    """The debugger's own stdin, for one run of the program and its repetitions."""

    def __init__(self) -> None:
        self._parts = tempfile.TemporaryFile()  # noqa: SIM115
        self._behind = sys.stdin  # Kept, or its descriptor may be closed with it.
        self._is_terminal = sys.stdin.isatty()

    def connect(self, *, again: bool) -> None:
        """Connect sys.stdin in the program's forked process, to the real input or to the recorded one."""
        kept = self._parts.fileno()
        raw = _Again(kept, self._is_terminal) if again else _Keeping(kept, self._is_terminal)
        sys.stdin = io.TextIOWrapper(io.BufferedReader(raw), sys.stdin.encoding, sys.stdin.errors)

    def close(self) -> None:
        """Discard the recording."""
        self._parts.close()


class _Raw(io.RawIOBase):
    def __init__(self, kept: int, is_terminal: bool) -> None:
        self._kept = kept
        self._is_terminal = is_terminal

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 0

    def isatty(self) -> bool:
        return self._is_terminal


class _Keeping(_Raw):
    """Reads the real stdin, and records each part, an empty one for an end."""

    def readinto(self, into: Any, /) -> int:
        part = os.read(0, len(into))
        os.write(self._kept, len(part).to_bytes(_SIZE) + part)
        into[: len(part)] = part
        return len(part)


WAITING.add(_Keeping.readinto.__code__)


class _Again(_Raw):
    """Reads the recorded parts, from the first on; all processes share one position in the file."""

    def __init__(self, kept: int, is_terminal: bool) -> None:
        super().__init__(kept, is_terminal)
        self._at = 0
        self._rest = b""

    def readinto(self, into: Any, /) -> int:
        if not self._rest:
            size = int.from_bytes(os.pread(self._kept, _SIZE, self._at))
            self._rest = os.pread(self._kept, size, self._at + _SIZE)
            self._at += _SIZE + size
        part, self._rest = self._rest[: len(into)], self._rest[len(into) :]
        into[: len(part)] = part
        return len(part)

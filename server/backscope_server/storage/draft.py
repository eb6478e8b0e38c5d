"""Files that get their names once they are whole: what a server that is killed leaves has the name of a draft."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

PRIVATE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Flags for opening files, those that the system has."""


def create(path: Path) -> int:
    """Create a new file that only this user can read; return its descriptor.

    Raises: OSError, FileExistsError among them.
    """
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PRIVATE, 0o600)


@contextlib.contextmanager
def draft(path: Path, publish: Callable[[], None]) -> Iterator[BinaryIO]:
    """Open a new file, which `publish` has to give its name where the context ends well; it is removed otherwise.

    It is synced and closed before it gets its name.

    Raises: OSError, what `publish` does.
    """
    file = create(path)
    try:
        with os.fdopen(file, "wb") as opened:
            yield opened
            opened.flush()
            os.fsync(file)
        publish()
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


def sync_folder(path: Path) -> None:
    """Have the disk keep the names in a folder; some file systems cannot."""
    with contextlib.suppress(OSError, AttributeError):
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | PRIVATE)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

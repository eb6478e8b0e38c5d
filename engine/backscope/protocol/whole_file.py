"""Files that appear whole or not at all: what is killed while it writes one leaves a draft with another name."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, BinaryIO

PRIVATE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Flags for opening files, those that the system has."""
_NAME = 50
"""The characters of a file's name that its draft has: names have 255 bytes at most, and a character up to four."""


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file to be written that replaces the one at `path`, once it is on the disk and the context ends well.

    Nothing half-written is left.  The file has the mode, and where this user may give it away the owner, of the one
    that it replaces.  A pipe or a device is written to, never replaced.

    Raises: OSError where it cannot be written, such as on a full disk.
    """
    if _is_special(path):
        with open(path, "wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    begun = target.with_name(f".{target.name[:_NAME]}.{secrets.token_hex(4)}")
    with draft(begun, lambda: os.replace(begun, target), mode=0o666) as file:
        _keep_owner(file.fileno(), target)
        yield file
    sync_folder(target.parent)


@contextlib.contextmanager
def draft(path: Path, publish: Callable[[], None], *, mode: int = 0o600) -> Iterator[BinaryIO]:
    """Open a new file, which `publish` has to give its name where the context ends well; it is removed otherwise.

    It is synced and closed before it gets its name.

    Raises: OSError, what `publish` does.
    """
    file = create(path, mode)
    try:
        with os.fdopen(file, "wb") as opened:
            yield opened
            opened.flush()
            os.fsync(file)
        publish()
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


def create(path: Path, mode: int = 0o600) -> int:
    """Create a new file, which only this user can read unless `mode` says else; return its descriptor.

    Raises: OSError, FileExistsError among them.
    """
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PRIVATE, mode)


def sync_folder(path: Path) -> None:
    """Have the disk keep the names in a folder; some file systems cannot."""
    with contextlib.suppress(OSError, AttributeError):
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | PRIVATE)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _keep_owner(file: int, target: Path) -> None:
    """Give a file the owner, as far as this user may, and the mode of the one that it replaces."""
    with contextlib.suppress(FileNotFoundError, AttributeError):  # Windows has no such owners and modes.
        about = target.stat()
        for owner in (about.st_uid, -1):
            with contextlib.suppress(OSError):  # Such as EINVAL for an owner that a container does not know.
                os.fchown(file, owner, about.st_gid)
                break
        os.fchmod(file, stat.S_IMODE(about.st_mode))


def _is_special(path: str | Path) -> bool:
    """Return whether a pipe or a device is at `path`, which /dev/stdout leads to by a link that names no file."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False

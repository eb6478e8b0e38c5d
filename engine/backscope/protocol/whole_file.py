"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_NAME = 50
"""The characters of a file's name that its draft has: names have 255 bytes at most, and a character up to four."""


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file to be written that replaces the one at `path`, once it is on the disk and the context ends well.

    Nothing half-written is left.  A pipe or a device is written to, never replaced.

    Raises: OSError where it cannot be written, such as on a full disk.
    """
    if _is_special(path):
        with open(path, "wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{target.name[:_NAME]}.{secrets.token_hex(4)}")
    try:
        with open(draft, "xb") as file:
            with contextlib.suppress(FileNotFoundError, AttributeError):  # Windows has no such modes.
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _is_special(path: str | Path) -> bool:
    """Return whether a pipe or a device is at `path`, which /dev/stdout leads to by a link that names no file."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False

"""File locks, which the system releases when their process dies."""

from __future__ import annotations

import os
import time

_PLACE = (1 << 31) - 2
"""The byte that is locked on Windows, behind all data: other processes cannot read a locked byte there."""
_AGAIN_SECONDS = 0.02


def try_lock(file: int) -> bool:
    """Lock an open file until it is closed; return False where another process has the lock."""
    try:
        import fcntl
    except ImportError:
        return _lock_byte(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock(file: int) -> None:
    """Wait for the lock of an open file, and hold it until the file is closed."""
    try:
        import fcntl
    except ImportError:
        while not _lock_byte(file):
            time.sleep(_AGAIN_SECONDS)
        return
    fcntl.flock(file, fcntl.LOCK_EX)


def _lock_byte(file: int) -> bool:
    import msvcrt

    here = os.lseek(file, 0, os.SEEK_CUR)
    os.lseek(file, _PLACE, os.SEEK_SET)
    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        return False
    finally:
        os.lseek(file, here, os.SEEK_SET)
    return True

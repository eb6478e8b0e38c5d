"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file to be written that replaces the one at `path`, once it is on the disk and the context ends well.

    Nothing half-written is left.  A pipe or a device is written to, never replaced.

    Raises: OSError where it cannot be written, such as on a full disk.
    """
    target = Path(os.path.realpath(path))
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(target.stat().st_mode):
            with open(target, "wb") as file:
                yield file
            return
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}")
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

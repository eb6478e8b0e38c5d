"""`python as_user.py USER FOLDER... -- COMMAND...`: runs a command as an ordinary user who can read these folders.

Python itself may lie in root's home.  What hides a folder from everybody is covered with an empty folder in which only
that one is shown, for this process and what it starts alone.  Only root can do that.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_NEW_MOUNTS = 0x20000
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x40000

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        raise PermissionError(f"{what}: {os.strerror(ctypes.get_errno())}")


def _mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    texts = [None if text is None else text.encode() for text in (source, target, kind, options)]
    _check(_libc.mount(*texts[:3], ctypes.c_ulong(flags), texts[3]), f"mount {target}")


def hiding(folder: Path) -> Path | None:
    """Return the topmost folder on the path to this one that not everybody may enter, None if there is none."""
    return next((way for way in [*reversed(folder.parents), folder] if not way.stat().st_mode & 1), None)


def show(folders: list[Path]) -> None:
    """Make these folders readable for everybody, in a mount namespace of this process.

    Raises: PermissionError where the system does not let root do that.
    """
    hidden = [(folder, cover) for folder in folders if (cover := hiding(folder)) is not None and cover != folder]
    if not hidden:
        return
    _check(_libc.unshare(_NEW_MOUNTS), "a view of its own")
    _mount("none", "/", None, _RECURSIVE | _PRIVATE)
    held = [(folder, os.open(folder, os.O_PATH | os.O_DIRECTORY)) for folder, _ in hidden]
    for cover in {cover for _, cover in hidden}:
        _mount("tmpfs", str(cover), "tmpfs", 0, "mode=755")
    for folder, descriptor in held:
        folder.mkdir(parents=True, exist_ok=True)
        _mount(f"/proc/self/fd/{descriptor}", str(folder), None, _BIND | _RECURSIVE)
        os.close(descriptor)


def main(user: int, folders: list[Path], command: list[str]) -> None:
    """Replace this process by the command."""
    show(sorted({folder.resolve() for folder in folders}))
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.execv(command[0], command)


if __name__ == "__main__":
    at = sys.argv.index("--")
    main(int(sys.argv[1]), [Path(name) for name in sys.argv[2:at]], sys.argv[at + 1 :])

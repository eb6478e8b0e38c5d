"""Objects as files in a folder, for one server or several on the same file system."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from backscope.protocol.whole_file import PRIVATE, draft, sync_folder
from backscope_server.storage.folder import StorageError, is_own
from backscope_server.storage.objects import Found, Unreachable

logger = logging.getLogger(__name__)

_DRAFT = ".draft-"
"""The beginning of the name of a file that gets its own once it is whole."""
_DRAFT_SECONDS = 3600.0
"""The age at which such a file is of a server that was killed."""
_FORMER = ".share"
_TRIES = 10
_ELSE = "Set BACKSCOPE_SHARES to another folder, or to off."


class FolderObjects:
    """Keeps objects in a folder of this user's, which is made if it is not there; the methods are those of Objects.

    Raises: StorageError where no such folder can be had.
    """

    workers = 1  # A disk that hangs blocks one thread only.

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            found = path.lstat()
            if not stat.S_ISDIR(found.st_mode) or not is_own(found):
                raise StorageError(
                    f"Shared runs cannot be kept in {path}: it is no folder of the server's user. {_ELSE}"
                )
            path.chmod(0o700)
            self._clear_drafts()
            self._say_what_is_not_read()
        except OSError as error:
            raise StorageError(f"Shared runs cannot be kept in {path}: {error.strerror or error}. {_ELSE}") from None

    def put(self, name: str, content: bytes) -> None:
        """Write an object in place of one of the same name."""
        self._write(name, content, os.replace)

    def create(self, name: str, content: bytes) -> bool:
        """Write an object unless there is one of this name; return whether it was written."""
        try:
            self._write(name, content, os.link)
        except FileExistsError:
            return False
        return True

    def get(self, name: str) -> bytes | None:
        """Return an object, None where there is none."""
        try:
            with os.fdopen(os.open(self.path / name, os.O_RDONLY | PRIVATE), "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unreachable(error) from None

    def delete(self, names: Iterable[str]) -> None:
        """Remove objects, those that are there, and the folders that are empty then."""
        for name in names:
            path = self.path / name
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise _unreachable(error) from None
            with contextlib.suppress(OSError):
                path.parent.rmdir()

    def list(self, prefix: str = "") -> list[Found]:
        """Return the objects below a prefix of whole parts."""
        found: list[Found] = []
        for folder, _, names in os.walk(self.path / prefix):
            for path in (Path(folder, name) for name in names if not name.startswith(_DRAFT)):
                with contextlib.suppress(OSError):  # It was removed since.
                    about = path.lstat()
                    found.append(Found(path.relative_to(self.path).as_posix(), about.st_size, about.st_mtime))
        return found

    def _write(self, name: str, content: bytes, publish: Callable[[Path, Path], None]) -> None:
        """Write a file that only this user can read, then publish it; raises FileExistsError where that does."""
        path, begun = self.path / name, self.path / f"{_DRAFT}{secrets.token_hex(8)}"
        try:
            with draft(begun, lambda: self._publish(begun, path, publish)) as file:
                file.write(content)
        except FileExistsError:
            raise
        except OSError as error:
            raise _unreachable(error) from None

    def _publish(self, begun: Path, path: Path, publish: Callable[[Path, Path], None]) -> None:
        """Publish a file in its folder, which another server may remove at any time while it is empty."""
        for _ in range(_TRIES):
            with contextlib.suppress(FileExistsError, FileNotFoundError):
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with contextlib.suppress(FileNotFoundError):
                publish(begun, path)
                break
        else:
            publish(begun, path)
        sync_folder(path.parent)

    def _say_what_is_not_read(self) -> None:
        """Warn where shared runs are here that an earlier version kept, in a file each."""
        if many := sum(1 for _ in self.path.glob(f"*{_FORMER}")):
            logger.warning(
                "%s has runs that an earlier version shared, %d of them in files *%s. They are not read, so their "
                "links open no longer: have them shared again, and remove the files.",
                self.path,
                many,
                _FORMER,
            )

    def _clear_drafts(self) -> None:
        for path in self.path.glob(f"{_DRAFT}*"):
            with contextlib.suppress(OSError):
                if time.time() - path.lstat().st_mtime > _DRAFT_SECONDS:
                    path.unlink()


def _unreachable(error: OSError) -> Unreachable:
    return Unreachable(f"The server's disk cannot be used ({error.strerror or error}).")

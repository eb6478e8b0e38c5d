"""A folder that runs or lessons are kept in: its owner, the names of its files, and their removal when it is full.

The names of the files are the index: `ID.backscope` is a finished run, `ID.part` one that a server is writing, and
`ID.draft` the beginning of a file that gets its name once it is whole.  Several servers may share a folder: a server
holds a lock on each part that it writes, which the kernel takes from it when it dies, and the folder's own lock
while it adopts the parts of others, writes drafts or removes runs.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from backscope.protocol.whole_file import PRIVATE, create, draft, sync_folder
from backscope_server.storage.lock import lock, try_lock

_IDENTITY = re.compile(r"[A-Za-z0-9_-]{16}")
_LOCK = ".lock"
FINISHED = ".backscope"
PART = ".part"
DRAFT = ".draft"


def is_own(about: os.stat_result) -> bool:
    """Return whether a file belongs to this user; on Windows the rights of its folder decide."""
    return not hasattr(os, "geteuid") or about.st_uid == os.geteuid()


class StorageError(RuntimeError):
    """The error for a folder that cannot be used, or a run that cannot be read; the text says why and what to do."""


class Folder:
    """Keeps at most `kept` files of `nbytes` bytes in all, runs if nothing else is said, in a folder under `place`.

    `name` is that of the folder, and `finished` the ending of the names of whole files.

    Raises: StorageError where no such folder can be had.
    """

    def __init__(self, place: Path, *, kept: int, nbytes: int, name: str = "runs", finished: str = FINISHED) -> None:
        self.kept = kept
        self.nbytes = nbytes
        self.path = place / name
        self.finished = finished
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.path.mkdir(exist_ok=True, mode=0o700)
            found = self.path.lstat()
            if not stat.S_ISDIR(found.st_mode) or not is_own(found):
                raise StorageError(
                    f"Runs cannot be kept in {self.path}: it is not a folder of the user that runs the server. "
                    "Set BACKSCOPE_STORAGE to another folder, or to off."
                )
            self.path.chmod(0o700)
            with self.lock():
                pass
        except OSError as error:
            raise StorageError(
                f"Runs cannot be kept in {self.path}: {error.strerror or error}. "
                "Set BACKSCOPE_STORAGE to another folder, or to off."
            ) from None

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder's lock for the context, against other servers."""
        file = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | PRIVATE, 0o600)
        try:
            lock(file)
            yield
        finally:
            os.close(file)

    def file(self, identity: str, kind: str) -> Path:
        """Return the path of a session's run.

        Raises: KeyError for anything that is not the id of a session.
        """
        if not _IDENTITY.fullmatch(identity):
            raise KeyError(identity)
        return self.path / f"{identity}{kind}"

    def create(self, identity: str, kind: str) -> int:
        """Create a new file that only this user can read, locked; return its descriptor.

        Raises: OSError, FileExistsError among them.
        """
        file = create(self.file(identity, kind))
        try:
            try_lock(file)
        except OSError:
            os.close(file)
            raise
        return file

    @contextlib.contextmanager
    def draft(self, identity: str) -> Iterator[BinaryIO]:
        """Open a file that is synced and published where the context ends well, and removed otherwise.

        The caller holds the folder's lock, so that a draft that is there already is of a server that was killed.

        Raises: OSError.
        """
        path = self.file(identity, DRAFT)
        path.unlink(missing_ok=True)
        with draft(path, lambda: self.publish(identity, DRAFT)) as file:
            yield file

    def clear_drafts(self) -> None:
        """Remove the drafts of servers that were killed; the caller holds the folder's lock."""
        for identity in self.identities(DRAFT):
            with contextlib.suppress(OSError):
                self.file(identity, DRAFT).unlink()

    def publish(self, identity: str, kind: str) -> None:
        """Rename a file that is complete and synced to that of a finished run."""
        os.replace(self.file(identity, kind), self.file(identity, self.finished))
        sync_folder(self.path)

    def remove(self, identity: str) -> bool:
        """Remove a finished run; return False if there is none."""
        try:
            self.file(identity, self.finished).unlink()
        except (KeyError, FileNotFoundError):
            return False
        return True

    def identities(self, kind: str) -> list[str]:
        """Return the ids of the sessions that have a file of this kind, the oldest first."""
        return [identity for _, _, identity in self._files(kind)]

    def make_room(self) -> None:
        """Remove the oldest finished runs until the others are within the bounds."""
        with self.lock():
            files = self._files(self.finished)
            total = sum(size for _, size, _ in files)
            count = len(files)
            for _, size, identity in files:
                if total <= self.nbytes and count <= self.kept:
                    return
                self.remove(identity)
                total -= size
                count -= 1

    @contextlib.contextmanager
    def orphan(self, identity: str) -> Iterator[bool]:
        """Lock a part whose server has ended; return False if the part is gone or its server is alive."""
        try:
            file = os.open(self.file(identity, PART), os.O_RDWR | PRIVATE)
        except OSError:
            yield False
            return
        try:
            yield try_lock(file)
        finally:
            os.close(file)

    def _files(self, kind: str) -> list[tuple[int, int, str]]:
        """Return the time of the last change, bytes and session of the files of a kind, the oldest first."""
        found = []
        with os.scandir(self.path) as entries:
            for entry in entries:
                identity = entry.name.removesuffix(kind)
                if not entry.name.endswith(kind) or not _IDENTITY.fullmatch(identity):
                    continue
                with contextlib.suppress(FileNotFoundError):
                    about = entry.stat(follow_symlinks=False)
                    found.append((about.st_mtime_ns, about.st_size, identity))
        return sorted(found)

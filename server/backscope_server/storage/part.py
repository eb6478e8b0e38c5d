"""The file of one run while it is written: it can be read up to its last batch, and becomes a finished run."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from backscope_server.session import packed
from backscope_server.session.packed import PackedBlock
from backscope_server.storage.folder import PART, Folder


class Part:
    """Writes the events of one session; after an OSError the file is removed and nothing more can be added.

    Raises: OSError where the file cannot be made.
    """

    def __init__(self, folder: Folder, identity: str) -> None:
        self._folder = folder
        self._identity = identity
        self._last = packed.NONE
        # Under the folder's lock: another server must not find the file before it is locked.
        with folder.lock():
            self._file = folder.create(identity, PART)

    def add(self, blocks: list[PackedBlock]) -> None:
        """Add the events that follow.

        Raises: OSError.
        """
        beginning = packed.BEGINNING if self._last is packed.NONE else b""
        self._write(beginning + b"".join(block.data for block in blocks))
        self._last = blocks[-1]

    def finish(self) -> None:
        """Make it a finished run that is synced to the disk.

        Raises: OSError.
        """
        self._write(packed.end(self._last))
        try:
            os.fsync(self._file)
            with self._closed():
                self._folder.publish(self._identity, PART)
        except OSError:
            self.abandon()
            raise
        self._folder.make_room()

    def abandon(self) -> None:
        """Remove what has been written."""
        with contextlib.suppress(OSError), self._closed():
            self._folder.file(self._identity, PART).unlink()

    @contextlib.contextmanager
    def _closed(self) -> Iterator[None]:
        """Hold the folder's lock and close the file meanwhile: Windows cannot rename or remove open files."""
        try:
            with self._folder.lock():
                self._close()
                yield
        finally:  # Also where there is no lock to be had.
            self._close()

    def _close(self) -> None:
        if self._file >= 0:
            file, self._file = self._file, -1
            with contextlib.suppress(OSError):  # As when the disk was too slow for what was written.
                os.close(file)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            self.abandon()
            raise

"""Keeps collected lessons on disk for links that would be too long with the lesson in them.

A lesson is kept as its link has it, under an id that is computed from it: the same lesson is kept once.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import zlib

from backscope.protocol.whole_file import PRIVATE
from backscope_server.storage.disk_threads import DiskThreads
from backscope_server.storage.folder import Folder, StorageError

LECTURE = ".lecture"
"""The ending of the files of lessons."""
MOST_BYTES = 400_000
"""The largest lesson as its link has it; the page reads no longer one."""
_MOST_TEXT = 2_000_000
"""The most bytes of a lesson when it is unpacked: 400,000 characters, which the page reads at most."""
_PACKED = re.compile(r"1[A-Za-z0-9_-]+")


class NotALecture(ValueError):
    """The error for a text that is no collected lesson, or one without a moment; the text says which."""


class LectureStorage:
    """Keeps lessons in a folder; those that were stored or opened longest ago are removed when it is full."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._threads = DiskThreads("lectures")

    async def keep(self, packed: str) -> str:
        """Keep a lesson, and return its id.

        Raises: NotALecture; OSError where it cannot be written.
        """
        return await self._threads.run(_keep, self.folder, packed)

    async def open(self, identity: str) -> str | None:
        """Return the lesson of an id, None where there is none.

        Raises: StorageError for one that cannot be read.
        """
        return await self._threads.run(_open, self.folder, identity)

    def close(self) -> None:
        """Keep and open no more."""
        self._threads.close()


def check(packed: str) -> None:
    """Check that a text is a collected lesson with a moment, as the page packs it into links.

    Raises: NotALecture.
    """
    damaged = NotALecture("This is no collected lesson: send what a link to one has after `lesson=-`.")
    if len(packed) > MOST_BYTES or not _PACKED.fullmatch(packed):
        raise damaged
    try:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        text = unpacker.decompress(base64.urlsafe_b64decode(packed[1:] + "=" * (-len(packed[1:]) % 4)), _MOST_TEXT)
        if not unpacker.eof:
            raise damaged
        found = json.loads(text)
    except (ValueError, RecursionError, zlib.error):  # Errors of base64 and JSON are ValueErrors.
        raise damaged from None
    if not isinstance(found, dict) or not all(isinstance(found.get(key), list) for key in ("programs", "moments")):
        raise damaged
    if not found["moments"] or not found["programs"]:
        raise NotALecture("The lesson is empty: add a moment of a run first.")


def _keep(folder: Folder, packed: str) -> str:
    check(packed)
    content = packed.encode()
    identity = _identity_of(content)
    with contextlib.suppress(StorageError):  # A damaged file is written again.
        if _open(folder, identity) is not None:
            return identity
    with folder.lock(), folder.draft(identity) as file:
        file.write(content)
    folder.make_room()
    return identity


def _identity_of(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()[:12]).decode()


def _open(folder: Folder, identity: str) -> str | None:
    unreadable = StorageError("The lesson cannot be read from the disk any more. Have it shared again.")
    try:
        path = folder.file(identity, LECTURE)
        with os.fdopen(os.open(path, os.O_RDONLY | PRIVATE), "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (KeyError, FileNotFoundError):
        return None
    except OSError:
        raise unreadable from None
    if _identity_of(content) != identity:
        raise unreadable
    with contextlib.suppress(OSError):
        os.utime(path)
    return content.decode()

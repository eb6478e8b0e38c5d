"""Keeps recorded runs for short links: each under an id that is computed from the run and the step that is shown.

A file has a line of JSON, `Label`, and then the trace.  Whoever shares a run gets a secret, by which it can be removed;
where several share the same moment of the same run, it is removed once all have removed it.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import msgspec

from backscope.protocol import trace
from backscope_server.sandbox.limits import Limits
from backscope_server.session import trace_file
from backscope_server.session.admission import NotATrace
from backscope_server.session.session import Session
from backscope_server.storage.folder import PRIVATE, Folder, StorageError

SHARE = ".share"
"""The ending of the files of shared runs."""
_UNREADABLE = "The shared run cannot be read from the disk any more. Have it shared again."

_Result = TypeVar("_Result")


class Label(msgspec.Struct, frozen=True):
    """What is known of a shared run: the step to show, its title, when it was shared last, and hashes of secrets."""

    step: int
    title: str
    at: float
    secrets: list[str]


class Shared(NamedTuple):
    """A shared run: its id, and the secret by which it is removed."""

    identity: str
    secret: str


class ShareStorage:
    """Keeps runs in a folder for `seconds` after they were shared; the oldest go first when it is full."""

    def __init__(self, folder: Folder, seconds: float) -> None:
        self.folder = folder
        self.seconds = seconds
        # A disk that hangs blocks this thread only.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="shares")

    async def keep(self, content: bytes, step: int, title: str) -> Shared:
        """Keep a trace, opened at a step; raises OSError where it cannot be written."""
        return await self._run(self._keep, content, step, title)

    async def label(self, identity: str) -> Label | None:
        """Return what is known of a shared run, None where there is none.

        Raises: StorageError.
        """
        found = await self._run(self._read, identity)
        return None if found is None else found[0]

    async def content(self, identity: str) -> bytes | None:
        """Return the trace of a shared run, None where there is none.

        Raises: StorageError.
        """
        found = await self._run(self._read, identity)
        return None if found is None else found[1]

    async def open(self, identity: str, limits: Limits) -> Session | None:
        """Return a shared run as a session of the same id, None where there is none.

        Raises: StorageError.
        """
        return await self._run(self._open, identity, limits)

    async def remove(self, identity: str, secret: str) -> bool:
        """Remove what was shared with a secret; return False where there is nothing of it."""
        return await self._run(self._remove, identity, secret)

    def close(self) -> None:
        """Keep and open no more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _run(self, function: Callable[..., _Result], *arguments: object) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)

    def _keep(self, content: bytes, step: int, title: str) -> Shared:
        identity, secret = _identity_of(content, step), secrets.token_urlsafe(18)
        known: list[str] = []
        with contextlib.suppress(StorageError):  # A damaged file is written again.
            if (found := self._read(identity)) is not None:
                known = found[0].secrets
        self._write(identity, Label(step, title, time.time(), [*known[-99:], _hash(secret)]), content)
        self.folder.make_room()
        return Shared(identity, secret)

    def _write(self, identity: str, label: Label, content: bytes) -> None:
        with self.folder.lock(), self.folder.draft(identity) as file:
            file.write(msgspec.json.encode(label) + b"\n")
            file.write(content)

    def _read(self, identity: str) -> tuple[Label, bytes] | None:
        try:
            path = self.folder.file(identity, SHARE)
            with os.fdopen(os.open(path, os.O_RDONLY | PRIVATE), "rb") as file:
                first, content = file.readline(), file.read()
        except (KeyError, FileNotFoundError):
            return None
        except OSError:
            raise StorageError(_UNREADABLE) from None
        try:
            label = msgspec.json.decode(first, type=Label)
        except msgspec.MsgspecError:
            raise StorageError(_UNREADABLE) from None
        if _identity_of(content, label.step) != identity:
            raise StorageError(_UNREADABLE)
        if time.time() - label.at > self.seconds:
            self.folder.remove(identity)
            return None
        return label, content

    def _open(self, identity: str, limits: Limits) -> Session | None:
        if (found := self._read(identity)) is None:
            return None
        try:
            return Session.recorded(*trace_file.unpack(found[1], limits, lambda: time.sleep(0)), identity=identity)
        except (NotATrace, trace.TraceError) as error:
            raise StorageError(str(error)) from None

    def _remove(self, identity: str, secret: str) -> bool:
        found = self._read(identity)
        if found is None or _hash(secret) not in found[0].secrets:
            return False
        label, content = found
        left = [one for one in label.secrets if one != _hash(secret)]
        if left:
            self._write(identity, msgspec.structs.replace(label, secrets=left), content)
        else:
            self.folder.remove(identity)
        return True


def _identity_of(content: bytes, step: int) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(b"%d\n%b" % (step, content)).digest()[:12]).decode()


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()

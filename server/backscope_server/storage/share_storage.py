"""Keeps recorded runs for short links: each under an id that is computed from the run and the moment that is shown.

Several servers may share the objects, and none of them is ever read to be written again:

- `runs/ID` is the trace, and `labels/ID` what is known of it; the run is there for others while it has a label.
- `pictures/ID` is the picture of its step, once it is drawn.
- `secrets/ID/HASH` is one for each who shared it and can have it removed, and holds the name of the next one.
- `makers/MAKER/ID.HASH.BYTES` counts for who shared it. MAKER is computed from an address with a key, `key`, so that
  the address cannot be read from it.

Who shares writes the secret first; who removes the last secret looks for secrets again after the run was removed, and
puts it back if there is one.  So a run stays as long as somebody has it.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import logging
import re
import secrets
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from backscope.protocol import trace
from backscope_server.sandbox.limits import Limits
from backscope_server.session import trace_file
from backscope_server.session.admission import NotATrace
from backscope_server.session.session import Session
from backscope_server.storage.disk_threads import DiskThreads
from backscope_server.storage.folder import StorageError
from backscope_server.storage.objects import Found, Objects, Unreachable

logger = logging.getLogger(__name__)

_IDENTITY = re.compile(r"[A-Za-z0-9_-]{16}")
_UNREADABLE = "The shared run cannot be read any more. Have it shared again."
_TIDY_SECONDS = 3600.0
"""The time after which what is old or too much is looked for again; sooner where a hundredth of all has come."""
_STRAY_SECONDS = 3600.0
"""The age at which objects without a label are of a server that was stopped while it wrote or removed them."""


class Label(msgspec.Struct, frozen=True):
    """What is known of a shared run: the moment to show, its title, and when it was shared last."""

    step: int
    title: str
    at: float
    more: str = ""


class Moment(NamedTuple):
    """A step, from 0, and what else a link of the page has of the moment, such as what is selected."""

    step: int
    more: str = ""


class Shared(NamedTuple):
    """A shared run: its id, and the secret by which it is removed."""

    identity: str
    secret: str


class Bounds(NamedTuple):
    """How much is kept, for how many seconds: runs and bytes in all, and of one address."""

    seconds: float
    kept: int
    nbytes: int
    of_address: int
    bytes_of_address: int


class TooMany(RuntimeError):
    """The error for an address that has as much kept as it may; `nbytes` says whether bytes are what is too much."""

    def __init__(self, *, nbytes: bool) -> None:
        super().__init__(nbytes)
        self.nbytes = nbytes


class ShareStorage:
    """Keeps runs within bounds; the oldest go first where all together are too many.

    Its methods raise Unreachable where the objects cannot be read or written now.
    """

    def __init__(self, objects: Objects, bounds: Bounds) -> None:
        self.objects = objects
        self.bounds = bounds
        self._threads = DiskThreads("shares", objects.workers)
        self._key: bytes | None = None
        self._since = 0
        """How many runs were kept since what is too much was last looked for."""
        self._tidying: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to remove what is too old, now and then."""
        self._tidying = asyncio.create_task(self._keep_tidy(), name="shares")

    async def keep(self, content: bytes, moment: Moment, title: str, address: str) -> Shared:
        """Keep a trace, opened at a moment, for an address.

        Raises: TooMany.
        """
        return await self._threads.run(self._keep, content, moment, title, address)

    async def label(self, identity: str) -> Label | None:
        """Return what is known of a shared run, None where there is none."""
        return await self._threads.run(self._label, identity)

    async def content(self, identity: str) -> bytes | None:
        """Return the trace of a shared run, None where there is none.

        Raises: StorageError.
        """
        return await self._threads.run(self._content, identity)

    async def picture(self, identity: str) -> bytes | None:
        """Return the picture of a shared run, None where it is not drawn."""
        if not _IDENTITY.fullmatch(identity):
            return None
        return await self._threads.run(self.objects.get, f"pictures/{identity}")

    async def keep_picture(self, identity: str, picture: bytes) -> None:
        """Keep the picture of a shared run."""
        await self._threads.run(self.objects.put, f"pictures/{identity}", picture)

    async def open(self, identity: str, limits: Limits) -> Session | None:
        """Return a shared run as a session of the same id, None where there is none.

        Raises: StorageError.
        """
        return await self._threads.run(self._open, identity, limits)

    async def remove(self, identity: str, secret: str) -> bool:
        """Remove what was shared with a secret; return False where there is nothing of it."""
        return await self._threads.run(self._remove, identity, secret)

    def close(self) -> None:
        """Keep and open no more."""
        if self._tidying is not None:
            self._tidying.cancel()
        self._threads.close()

    async def _keep_tidy(self) -> None:
        while True:
            try:
                await self._threads.run(self._tidy)
            except Unreachable as error:
                logger.warning("%s Old shared runs are removed later.", error)
            await asyncio.sleep(_TIDY_SECONDS)

    def _keep(self, content: bytes, moment: Moment, title: str, address: str) -> Shared:
        identity, secret = _identity_of(content, moment), secrets.token_urlsafe(18)
        counted = f"makers/{self._maker(address)}/{identity}.{_hash(secret)}.{len(content)}"
        label = msgspec.json.encode(Label(moment.step, title, time.time(), moment.more))
        try:
            # Written first and counted then: of several servers at once none sees too little.
            self.objects.put(counted, b"-")
            self._check(counted.rpartition("/")[0], counted)
            self.objects.put(f"secrets/{identity}/{_hash(secret)}", counted.encode())
            self.objects.put(f"runs/{identity}", content)
            self.objects.put(f"labels/{identity}", label)
        except Exception:  # What has not been kept is not to be counted.
            with contextlib.suppress(Unreachable):
                self.objects.delete([counted])
            raise
        self._since += 1
        if self._since > self.bounds.kept // 100:
            self._tidy()
        return Shared(identity, secret)

    def _maker(self, address: str) -> str:
        """Return the name of an address, the same at every server."""
        if self._key is None:
            self.objects.create("key/makers", secrets.token_bytes(32))
            self._key = self.objects.get("key/makers") or b""
        return hmac.new(self._key, address.encode(), "sha256").hexdigest()[:32]

    def _check(self, folder: str, own: str) -> None:
        """Raises: TooMany where what an address has kept, with `own` among it, is too much."""
        begun = time.time() - self.bounds.seconds
        found = [one for one in self.objects.list(folder) if one.at > begun or one.name == own]
        if len(found) > self.bounds.of_address:
            raise TooMany(nbytes=False)
        if sum(_size(one) for one in found) > self.bounds.bytes_of_address:
            raise TooMany(nbytes=True)

    def _label(self, identity: str) -> Label | None:
        found = self.objects.get(f"labels/{identity}") if _IDENTITY.fullmatch(identity) else None
        if found is None:
            return None
        try:
            label = msgspec.json.decode(found, type=Label)
        except msgspec.MsgspecError:
            return None
        return label if time.time() - label.at <= self.bounds.seconds else None

    def _content(self, identity: str) -> bytes | None:
        if (label := self._label(identity)) is None:
            return None
        content = self.objects.get(f"runs/{identity}")
        if content is None or _identity_of(content, Moment(label.step, label.more)) != identity:
            raise StorageError(_UNREADABLE)
        return content

    def _open(self, identity: str, limits: Limits) -> Session | None:
        if (content := self._content(identity)) is None:
            return None
        try:
            return Session.recorded(*trace_file.unpack(content, limits, lambda: time.sleep(0)), identity=identity)
        except (NotATrace, trace.TraceError) as error:
            raise StorageError(str(error)) from None

    def _remove(self, identity: str, secret: str) -> bool:
        name = f"secrets/{identity}/{_hash(secret)}"
        if not _IDENTITY.fullmatch(identity) or self.objects.get(name) is None:
            return False
        self._discard(identity, [name])
        return True

    def _discard(self, identity: str, names: Iterable[str]) -> None:
        """Remove secrets of a run, and the run if it has no other."""
        names = list(names)
        counted = [found.decode() for name in names if (found := self.objects.get(name)) is not None]
        self.objects.delete([*names, *counted])
        folder = f"secrets/{identity}"
        if self.objects.list(folder):
            return
        whole = {
            f"{kind}/{identity}": self.objects.get(f"{kind}/{identity}") for kind in ("labels", "runs", "pictures")
        }
        self.objects.delete(whole)
        if self.objects.list(folder):  # Somebody has shared it meanwhile.
            for name in reversed(whole):
                if (content := whole[name]) is not None:
                    self.objects.put(name, content)

    def _tidy(self) -> None:
        """Remove what is too old, the oldest of what is too much, and what others have left half done."""
        self._since = 0
        now = time.time()
        of_runs: defaultdict[str, list[Found]] = defaultdict(list)
        makers: list[Found] = []
        for one in self.objects.list():
            kind, _, rest = one.name.partition("/")
            if kind == "makers":
                makers.append(one)
            elif kind in ("labels", "runs", "secrets", "pictures"):
                of_runs[rest.partition("/")[0]].append(one)
        ages = sorted((now - max(_times(found)), identity) for identity, found in of_runs.items())
        nbytes = 0
        for kept, (age, identity) in enumerate(ages, 1):
            found = of_runs[identity]
            nbytes += sum(one.nbytes for one in found)
            stray = age > _STRAY_SECONDS and not any(one.name.startswith("labels/") for one in found)
            if stray or age > self.bounds.seconds or kept > self.bounds.kept or nbytes > self.bounds.nbytes:
                self._discard(identity, [one.name for one in found if one.name.startswith("secrets/")])
        self.objects.delete(one.name for one in makers if now - one.at > self.bounds.seconds)


def _times(found: list[Found]) -> list[float]:
    """Return when what belongs to a run was written, but for its picture, which may be drawn at any time."""
    return [one.at for one in found if not one.name.startswith("pictures/")] or [one.at for one in found]


def _size(counted: Found) -> int:
    text = counted.name.rpartition(".")[2]
    return int(text) if text.isdecimal() else 0


def _identity_of(content: bytes, moment: Moment) -> str:
    text = b"%d %b\n%b" % (moment.step, moment.more.encode(), content)
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()[:12]).decode()


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()

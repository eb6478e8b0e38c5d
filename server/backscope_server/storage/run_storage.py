"""Writes the events of sessions to the folder of runs as they are logged, and opens finished runs from there."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
from collections.abc import Callable

from backscope.protocol import events, trace
from backscope.protocol.whole_file import PRIVATE
from backscope_server.session.lines import Lines
from backscope_server.session.session import Session
from backscope_server.session.trace_file import salvaged
from backscope_server.storage.disk_threads import DiskThreads
from backscope_server.storage.folder import FINISHED, PART, Folder, StorageError
from backscope_server.storage.part import Part

logger = logging.getLogger(__name__)

_EVERY_SECONDS = 0.5
"""The most of a run that is lost when the server is killed; also the time before a run is first written."""
_AT_ONCE = 1000
_CLOSE_SECONDS = 10.0


class RunStorage:
    """Writes running sessions to the folder: it reads their logs like any client, so no program waits for the disk."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._writing: dict[str, tuple[Session, asyncio.Task[None]]] = {}
        self._unwanted: set[str] = set()
        """The ids of those that are being removed."""
        self._threads = DiskThreads("storage", 2)
        self._opening = asyncio.Lock()
        self._adopting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Recover the runs of servers that were killed; `open` waits until this is done."""
        self._adopting = asyncio.create_task(self._adopt(), name="storage")

    async def _adopt(self) -> None:
        try:
            await self._threads.run(adopt, self.folder)
        except OSError as error:
            logger.warning("What killed servers left behind could not be taken over: %s.", error)

    def keep(self, session: Session, stored: Callable[[], None] = lambda: None) -> None:
        """Write a session's events as they are logged, make them a finished run when it is over, and call `stored`."""
        session.keeping = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._keep(session, session.keeping), name=f"storage of {session.id}")
        self._writing[session.id] = session, task
        task.add_done_callback(lambda _task: self._written(session.id))
        task.add_done_callback(lambda _task: stored())

    def _written(self, identity: str) -> None:
        self._writing.pop(identity, None)
        self._unwanted.discard(identity)

    async def open(self, identity: str, *, events: int, nbytes: int) -> Session | None:
        """Return a stored session, None if there is none.

        Raises: StorageError for one that cannot be read.
        """
        if (writing := self._writing.get(identity)) is not None:
            return writing[0]
        if self._adopting is not None:
            await asyncio.shield(self._adopting)
        async with self._opening:  # One at a time: a run may fill much of the memory that there is for all.
            return await self._threads.run(_read, self.folder, identity, events, nbytes)

    async def remove(self, identity: str) -> bool:
        """Remove a session; return False if there is none on the disk.

        It waits for a thread that is using the file, so that the file is not closed or renamed meanwhile.
        """
        if (writing := self._writing.get(identity)) is not None:
            self._unwanted.add(identity)
            await asyncio.wait([writing[1]])
        return await self._threads.run(self.folder.remove, identity)

    async def close(self) -> None:
        """Wait, for a while, until everything that is over is written."""
        tasks = [task for _, task in self._writing.values()]
        if self._adopting is not None:
            tasks.append(self._adopting)
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSE_SECONDS)
        self._threads.close()

    async def _keep(self, session: Session, kept: asyncio.Future[str | None]) -> None:
        log = session.log
        part: Part | None = None
        written = count = 0
        try:
            while session.id not in self._unwanted and not (log.complete and written == len(log.lines)):
                if not log.complete:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(log.completed(), _EVERY_SECONDS)
                while log.pack():
                    await asyncio.sleep(0)  # A block takes about a millisecond.
                blocks = log.lines.packed_blocks(count)
                if not blocks:
                    continue
                if part is None:
                    part = await self._threads.run(Part, self.folder, session.id)
                await self._threads.run(part.add, blocks)
                written, count = blocks[-1].end, count + len(blocks)
            if part is not None:
                wanted = session.id not in self._unwanted
                await self._threads.run(part.finish if wanted else part.abandon)
                session.stored = wanted
            kept.set_result(None)
        except OSError as error:
            logger.warning("A run could not be kept: %s.", error)
            kept.set_result(
                f"This run could not be kept on disk ({error.strerror or error}). It stays open until the server "
                "stops; export its trace to keep it."
            )
        finally:
            # A part that the disk was too slow for when the server stopped is adopted by the next one.
            if not kept.done():
                kept.set_result(None)


def _read(folder: Folder, identity: str, most: int, nbytes: int) -> Session | None:
    try:
        path = folder.file(identity, FINISHED)
        file = os.fdopen(os.open(path, os.O_RDONLY | PRIVATE), "rb")
    except (KeyError, FileNotFoundError):
        return None
    except OSError as error:
        raise StorageError(f"The run cannot be read from the disk: {error.strerror or error}. Run it again.") from None
    with file:
        lines = Lines()
        batch: list[bytes] = []
        size = 0
        try:
            for line in trace.load(file):
                size += len(line)
                if size > nbytes or len(lines) + len(batch) == most:
                    raise StorageError(
                        "The run is larger than this server opens: raise BACKSCOPE_EVENTS and BACKSCOPE_LOG_BYTES."
                    )
                batch.append(line)
                if len(batch) == _AT_ONCE:
                    lines.append(batch)
                    batch = []
            lines.append(batch)
            # The checksum held, so these are the events that were admitted; the last one says how they ended.
            last = events.decode(lines[-1]) if lines else None
        except (trace.TraceError, ValueError, OSError) as error:
            raise StorageError(f"The run on the disk cannot be read. {error}") from None
    if not isinstance(last, events.ProgramFinished):
        raise StorageError("The run on the disk does not end with program_finished. Run it again.")
    session = Session.recorded(lines, last.status, identity=identity)
    session.stored = True
    return session


def adopt(folder: Folder) -> None:
    """Turn the unfinished files of killed servers into finished runs that end at the last event on the disk."""
    with folder.lock():
        folder.clear_drafts()
        for identity in folder.identities(PART):
            with folder.orphan(identity) as ours:
                if ours:
                    try:
                        _adopt(folder, identity)
                    except OSError as error:  # Perhaps there is room at the next start.
                        logger.warning("The run of a server that was killed could not be taken over: %s.", error)
                        ours = False
            if ours:  # Closed by now: Windows removes no open file.
                with contextlib.suppress(OSError):
                    folder.file(identity, PART).unlink()
    folder.make_room()


def _adopt(folder: Folder, identity: str) -> None:
    part = folder.file(identity, PART)
    with open(part, "rb") as file:
        lines = salvaged(trace.load(file))
        if (first := next(lines, None)) is not None:
            with folder.draft(identity) as target:
                trace.dump(target, itertools.chain([first], lines))

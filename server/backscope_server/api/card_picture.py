"""Has the pictures of shared runs drawn for previews of their links: each once, one at a time; it keeps them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import time
from collections import OrderedDict

import msgspec

from backscope_server.api.card_drawer import Drawn, Wanted
from backscope_server.storage.folder import StorageError
from backscope_server.storage.objects import Unreachable
from backscope_server.storage.share_storage import ShareStorage

logger = logging.getLogger(__name__)

WAITING = 50
"""The pictures that may wait to be drawn."""
_SECONDS = 20.0
"""The time that a picture may take."""
_PATIENCE_SECONDS = 10.0
"""The time for which a request waits for a picture."""
_IDLE_SECONDS = 120.0
"""The time for which the process that draws is kept."""
_WIDTH = 1200
_FAILED = 1000
"""The runs without a picture that are remembered."""
_AGAIN_SECONDS = 600.0
"""The time after which a picture that could not be drawn is tried again."""
_COMMAND = (sys.executable, "-m", "backscope_server.api.card_drawer")
_ENVIRONMENT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT")
"""What the process gets of the server's environment, which may hold secrets."""


class NotYet(RuntimeError):
    """The error for a picture that takes longer than a request waits."""


class CardPictures:
    """Draws the pictures of the runs in a store, and keeps them there; one that fails is tried again later."""

    def __init__(self, storage: ShareStorage) -> None:
        self._storage = storage
        self._waiting: OrderedDict[str, tuple[int, asyncio.Future[bytes | None]]] = OrderedDict()
        self._failed: OrderedDict[str, float] = OrderedDict()
        """When the drawing of each failed, by a clock that is never set."""
        self._drawer = Drawer()
        self._task: asyncio.Task[None] | None = None

    async def of(self, identity: str, step: int) -> bytes | None:
        """Return the picture of a shared run at a step, from 0; None where it has none.

        Raises: NotYet, Unreachable.
        """
        failed_at = self._failed.get(identity)
        if failed_at is not None and time.monotonic() - failed_at < _AGAIN_SECONDS:
            return None
        if (kept := await self._storage.picture(identity)) is not None:
            return kept
        if (drawing := self.begin(identity, step)) is None:
            raise NotYet
        try:
            return await asyncio.wait_for(asyncio.shield(drawing), _PATIENCE_SECONDS)
        except TimeoutError:
            raise NotYet from None

    def begin(self, identity: str, step: int) -> asyncio.Future[bytes | None] | None:
        """Have a picture drawn; return what it will be, None where too many wait."""
        if identity not in self._waiting:
            if len(self._waiting) >= WAITING:
                return None
            self._waiting[identity] = step, asyncio.get_running_loop().create_future()
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._draw_all(), name="pictures of shared runs")
        return self._waiting[identity][1]

    async def close(self) -> None:
        """Draw no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        for _, drawing in self._waiting.values():
            drawing.cancel()
        await self._drawer.close()

    async def _draw_all(self) -> None:
        while self._waiting:
            identity, (step, drawing) = next(iter(self._waiting.items()))
            picture = None
            try:
                picture = await self._draw(identity, step)
            finally:
                del self._waiting[identity]
                drawing.set_result(picture)

    async def _draw(self, identity: str, step: int) -> bytes | None:
        try:
            picture = await self._storage.picture(identity)
            if picture is None and (trace := await self._storage.content(identity)) is not None:
                picture = await self._drawer.draw(trace, step + 1)
                if picture is None:
                    self._failed[identity] = time.monotonic()
                    self._failed.move_to_end(identity)
                    while len(self._failed) > _FAILED:
                        self._failed.popitem(last=False)
                else:
                    self._failed.pop(identity, None)
                    await self._storage.keep_picture(identity, picture)
        except (StorageError, Unreachable) as error:
            logger.warning("The picture of a shared run cannot be kept: %s", error)
            return None
        return picture


class Drawer:
    """A process that draws, started when it is needed, and ended when it takes too long or has nothing to do."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def draw(self, trace: bytes, step: int) -> bytes | None:
        """Return the picture of a trace at a step, from 1; None where there is none.  One at a time."""
        if self._idle is not None:
            self._idle.cancel()
        try:
            drawn, picture = await asyncio.wait_for(self._ask(trace, step), _SECONDS)
        except (TimeoutError, OSError, asyncio.IncompleteReadError, msgspec.MsgspecError) as error:
            logger.warning("The picture of a shared run was given up: %s", type(error).__name__)
            await self.close()
            return None
        except BaseException:
            self._kill()
            raise
        self._idle = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._kill)
        if drawn.problem:
            logger.warning("The picture of a shared run cannot be drawn: %s", drawn.problem)
            return None
        return picture

    async def close(self) -> None:
        """End the process."""
        if self._idle is not None:
            self._idle.cancel()
        process = self._process
        self._kill()
        if process is not None:
            await process.wait()

    async def _ask(self, trace: bytes, step: int) -> tuple[Drawn, bytes]:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *_COMMAND,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
                start_new_session=True,  # What it starts itself is ended with it.
            )
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(msgspec.json.encode(Wanted(len(trace), step, _WIDTH)) + b"\n" + trace)
        await process.stdin.drain()
        drawn = msgspec.json.decode(await process.stdout.readuntil(b"\n"), type=Drawn)
        return drawn, await process.stdout.readexactly(drawn.nbytes)

    def _kill(self) -> None:
        # Its end is known later only: the next picture needs another process at once.
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

"""Draws the picture of a shared run's step for previews of its link, in a process that can be ended."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path

logger = logging.getLogger(__name__)

_KEPT = 64
_SECONDS = 20.0
_WIDTH = 1200
_DRAW = (
    "import sys; from backscope import pictures; "
    "sys.stdout.buffer.write(pictures.png(sys.argv[1], step=int(sys.argv[2]), width=int(sys.argv[3])))"
)


class CardPictures:
    """Keeps the pictures that were asked for last, None where one cannot be drawn, and draws one at a time."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, bytes | None] = OrderedDict()
        self._drawing = asyncio.Lock()

    async def of(self, identity: str, step: int, content: Callable[[], Awaitable[bytes | None]]) -> bytes | None:
        """Return the picture of a shared run at a step, from 1; `content` gives its trace."""
        async with self._drawing:
            if identity not in self._kept:
                trace = await content()
                self._kept[identity] = None if trace is None else await _drawn(trace, step)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(identity)
            return self._kept[identity]

    def forget(self, identity: str) -> None:
        """Drop the picture of a shared run."""
        self._kept.pop(identity, None)


async def _drawn(trace: bytes, step: int) -> bytes | None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "run.backscope")
        path.write_bytes(trace)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _DRAW, str(path), str(step), str(_WIDTH)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # What it starts itself is ended with it.
        )
        try:
            picture, said = await asyncio.wait_for(process.communicate(), _SECONDS)
        except TimeoutError:
            logger.warning("The picture of a shared run was given up after %g s.", _SECONDS)
            return None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode != 0:
        last = said.decode(errors="replace").strip().splitlines()[-1:]
        logger.warning("The picture of a shared run cannot be drawn: %s", "".join(last))
        return None
    return picture

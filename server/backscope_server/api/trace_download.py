"""Sends the log of a finished session as a `.backscope` file: its blocks are packed already."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from backscope_server.session import packed
from backscope_server.session.log import SessionLog

UNREAD_BYTES = 1 << 18
"""The memory for the pieces of a trace file that its reader does not have yet, bytes."""


async def blocks(log: SessionLog) -> AsyncIterator[bytes]:
    """Yield the bytes of the trace file of a log, piece by piece.

    Raises: NotKept where the run is removed before the last piece.
    """
    yield packed.BEGINNING
    while log.pack():
        await asyncio.sleep(0)  # A block takes about a millisecond.
    count = 0
    last = packed.NONE
    while found := log.lines.packed_blocks(count, count + 1):
        (last,) = found
        yield last.data
        count += 1
    yield packed.end(last)

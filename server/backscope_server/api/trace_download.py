"""Packs the log of a finished session as a `.backscope` file, piece by piece, while a client downloads it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from backscope.protocol import trace
from backscope_server.access.work import Work
from backscope_server.session.log import Lines

PACKING_BYTES = 1 << 19
"""The memory for making a trace file, bytes, until its reader has it."""
_AT_ONCE = 10_000
"""The most events that are packed at a time; a block of the log has fewer."""


async def pack(lines: Lines, work: Work, address: str) -> AsyncIterator[bytes]:
    """Yield the bytes of the trace file of a log, each piece made when the client has taken the one before.

    Raises: NotKept where the run is removed before the last piece; Problem where the server stops.
    """
    packer = trace.Packer()
    seq = 0
    while batch := lines.some(seq, _AT_ONCE):
        yield await work.do(address, packer.add, batch, begun=True)
        seq += len(batch)
    yield packer.finish()

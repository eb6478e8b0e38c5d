"""What Redis has of a run that a worker takes: its order, its log so far, and its commands."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from backscope.protocol import events
from backscope.protocol.commands import Pause
from backscope_server.fleet.connection import Connection
from backscope_server.fleet.order import Given, Order, Taken, batch, decode_order, following, given
from backscope_server.fleet.repetition import Took
from backscope_server.session.lines import Lines

_BATCHES = 16
"""The batches that are read at once; between them the leases of other runs, and of this one, are renewed."""


class StoredRun(NamedTuple):
    """A run as it is stored: `took` are the commands that its program had taken, `waiting` those that it had not.

    `next_command` is the position in the stream of commands after the last one; `status` is that of a program which has
    finished, None for another.
    """

    order: Order
    lines: Lines
    took: list[Took]
    waiting: deque[Given]
    next_command: str
    status: str | None


async def load(connection: Connection, identity: str) -> StoredRun | None:
    """Read a run; return None where its order is gone."""
    keys, redis = connection.keys, connection.redis
    log = keys.log(identity)
    pipe = redis.pipeline(transaction=False)
    pipe.hget(keys.run(identity), "order")
    pipe.xrange(log, count=_BATCHES)
    pipe.xrange(keys.commands(identity))
    encoded, found, given_commands = await pipe.execute()
    if encoded is None:
        return None
    lines, taken = Lines(), list[Taken]()
    while found:
        batches = [batch(fields) for _, fields in found]
        lines.append(following(batches, len(lines) - 1))
        taken += [one for each in batches for one in each.taken]
        found = await redis.xrange(log, min=b"(" + found[-1][0], count=_BATCHES)
    status: str | None = None
    if len(lines):
        last = events.decode(lines[-1])
        status = last.status if isinstance(last, events.ProgramFinished) else None
    took, waiting = _divided([given(entry, fields) for entry, fields in given_commands], lines, taken)
    next_command = f"({given_commands[-1][0].decode()}" if given_commands else "-"
    return StoredRun(decode_order(encoded), lines, took, waiting, next_command, status)


def _divided(queue: list[Given], lines: Lines, taken: list[Taken]) -> tuple[list[Took], deque[Given]]:
    """Return the commands that the program had taken, and the others."""
    if not len(lines):
        return [], deque(queue)
    known = {one.entry: one for one in taken}
    took: list[Took] = []
    waiting: deque[Given] = deque()
    for one in queue:
        where = known.get(one.entry)
        if one.kind != "command" or one.command is None or where is None:
            waiting.append(one)
            continue
        if isinstance(one.command, Pause) and where.after >= 0 and not _paused_after(lines, where.after):
            waiting.append(one)  # It was on its way to the next place where it can stop.
            continue
        took.append((one.command, where.after, where.paused))
    return took, waiting


def _paused_after(lines: Lines, seq: int) -> bool:
    """Return whether the log has a stop by hand after an event."""
    return any(
        line.startswith(events.opening(events.Paused)) and b'"reason":"pause"' in line for line in lines[seq + 1 :]
    )

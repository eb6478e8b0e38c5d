"""How many bytes of Redis the runs of a fleet take, by what they are."""

from __future__ import annotations

from backscope_server.fleet.connection import Connection

_SAMPLE = 100
"""The runs of each kind that are looked at; those of more are taken to be alike."""

KINDS = ("logs", "finished", "commands", "answers", "line")
"""Logs of runs that go on, and of finished ones; commands; answers that no gateway has taken; orders that wait."""


async def stored_bytes(connection: Connection) -> dict[str, int]:
    """Return the bytes of each kind; raises the errors of Redis."""
    keys = connection.keys
    where = [keys.waiting, keys.running, keys.finished, keys.turns, keys.bell]
    found = await connection.scripts.stored_bytes(where, [keys.prefix, _SAMPLE])
    return dict(zip(KINDS, map(int, found), strict=True))

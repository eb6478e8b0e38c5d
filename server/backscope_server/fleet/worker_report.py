"""What workers report of themselves: whether they take runs, and what isolates these."""

from __future__ import annotations

import msgspec

from backscope_server.fleet.connection import Connection

_STALE_SECONDS = 15.0


class WorkerReport(msgspec.Struct, frozen=True, kw_only=True):
    """A worker: how many runs it has, out of how many that it can have; `at` is the time by Redis's clock, seconds."""

    name: str
    at: float
    ready: bool
    sandboxed: bool
    layers: dict[str, bool]
    running: int
    places: int
    draining: bool = False


async def report(connection: Connection, found: WorkerReport) -> None:
    """Write the report of a worker; raises the errors of Redis."""
    found = msgspec.structs.replace(found, at=await connection.clock.now())
    await connection.redis.hset(connection.keys.workers, found.name, msgspec.json.encode(found))


async def withdraw(connection: Connection, name: str) -> None:
    """Remove the report of a worker; raises the errors of Redis."""
    await connection.redis.hdel(connection.keys.workers, name)


async def reports(connection: Connection) -> list[WorkerReport]:
    """Return the workers that have reported lately, and remove the others; raises the errors of Redis."""
    redis, keys = connection.redis, connection.keys
    found = [msgspec.json.decode(one, type=WorkerReport) for one in await redis.hvals(keys.workers)]
    stale, gone = [await connection.clock.ago(seconds) for seconds in (_STALE_SECONDS, 4 * _STALE_SECONDS)]
    for one in found:
        if one.at < gone:
            await redis.hdel(keys.workers, one.name)
    return [one for one in found if one.at >= stale]

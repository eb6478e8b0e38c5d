"""Writes the log of a session that is over, such as a trace file's, to Redis, for all gateways to read."""

from __future__ import annotations

from redis.exceptions import ResponseError

from backscope_server.fleet.connection import Connection
from backscope_server.session.session import Session

_BATCH_BYTES = 1 << 18
_IS_THERE = "equal or smaller"
"""What Redis says of an entry whose id the stream has."""


async def write(connection: Connection, session: Session) -> None:
    """Write a finished session; raises the errors of Redis."""
    keys, redis = connection.keys, connection.redis
    identity, kept = session.id, connection.settings.fleet_kept_milliseconds
    log, run = keys.log(identity), keys.run(identity)
    lines: list[bytes] = []
    nbytes = first = 0
    last = session.log.last
    for seq, line in enumerate(session.log.lines):
        lines.append(line)
        nbytes += len(line)
        if nbytes >= _BATCH_BYTES or seq == last:
            fields = {"first": first, "events": b"\n".join(lines), "taken": b"[]"}
            try:
                await redis.xadd(log, fields, id=f"{seq}-1")
            except ResponseError as error:  # Another gateway writes the same run: both were asked for a shared one.
                if _IS_THERE not in str(error):
                    raise
            lines, nbytes, first = [], 0, seq + 1
    pipe = redis.pipeline(transaction=True)
    pipe.hset(run, mapping={"status": session.status, "done": 1, "last": last})
    pipe.pexpire(run, kept)
    pipe.pexpire(log, kept)
    await pipe.execute()
    await redis.zadd(keys.finished, {identity: int(await connection.clock.now() * 1000)})

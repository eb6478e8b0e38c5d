"""Writes the log of a session that is over, such as a trace file's, to Redis, for all gateways to read."""

from __future__ import annotations

from backscope_server.fleet.connection import Connection
from backscope_server.session.session import Session

_BATCH_BYTES = 1 << 18


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
            await redis.xadd(log, fields, id=f"{seq}-1")
            lines, nbytes, first = [], 0, seq + 1
    pipe = redis.pipeline(transaction=True)
    pipe.hset(run, mapping={"status": session.status, "done": 1, "last": last})
    pipe.pexpire(run, kept)
    pipe.pexpire(log, kept)
    await pipe.execute()
    seconds, microseconds = await redis.time()
    await redis.zadd(keys.finished, {identity: seconds * 1000 + microseconds // 1000})

"""The places in line of runs that no worker has taken yet."""

from __future__ import annotations

from backscope_server.fleet.connection import Connection
from backscope_server.fleet.keys import GROUP
from backscope_server.fleet.mirror import Mirror
from backscope_server.session.notice import Waiting

_MOST = 1000
"""The runs of the queue that are read; those behind them get no place."""


class QueuePlaces:
    """Puts into the notices of runs that wait how many are before them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def look(self, waiting: list[Mirror]) -> None:
        """Put the notices of runs that wait; raises the errors of Redis."""
        if not waiting:
            return
        keys, redis = self._connection.keys, self._connection.redis
        groups = await redis.xinfo_groups(keys.queue)
        name = GROUP.encode()
        delivered = next((one["last-delivered-id"] for one in groups if one["name"] in (name, GROUP)), b"0-0")
        found = await redis.xrange(keys.queue, min=b"(" + delivered, count=_MOST)
        order = {fields[b"id"].decode(): place for place, (_, fields) in enumerate(found, start=1)}
        for mirror in waiting:
            if (place := order.get(mirror.id)) is not None:
                mirror.notices.put(Waiting(place, len(order)))

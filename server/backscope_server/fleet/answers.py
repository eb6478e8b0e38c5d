"""The answers of a program on their way to the gateways that wait for them."""

from __future__ import annotations

import asyncio

from backscope.protocol import commands
from backscope.protocol.commands import Answer, Watched
from backscope_server.fleet.connection import Connection
from backscope_server.fleet.order import Given

_MOST = 16
_MOST_BYTES = 1 << 20
"""The bytes of answers that wait in Redis; a single one may have more."""
_MILLISECONDS = 60_000
_PATIENCE_SECONDS = 2.0
"""How long the answers in Redis may be full and unread before they are deleted for the next one."""
_AGAIN_SECONDS = 0.05


class Answers:
    """Writes the answers of a run, in their order, as many as gateways take."""

    def __init__(self, connection: Connection, identity: str) -> None:
        self._connection = connection
        self._identity = identity
        self._waiting: asyncio.Queue[tuple[Given, Answer | Watched]] = asyncio.Queue()

    def put(self, one: Given, answer: Answer | Watched) -> None:
        """Have an answer to a command written."""
        self._waiting.put_nowait((one, answer))

    async def write(self) -> None:
        """Write answers as they come, for ever."""
        connection, keys = self._connection, self._connection.keys
        where, channel = [keys.answers(self._identity), keys.run(self._identity)], keys.readers(self._identity)
        while True:
            one, answer = await self._waiting.get()
            content = commands.encode(answer)
            given = [_MOST, _MILLISECONDS, channel, one.gateway, one.number, content, _MOST_BYTES]
            waited = 0.0
            while await connection.surely(connection.scripts.answer, where, given) == b"full":
                if waited >= _PATIENCE_SECONDS:  # The gateway that asked is gone.
                    await connection.surely(connection.redis.delete, where[0])
                await asyncio.sleep(_AGAIN_SECONDS)
                waited += _AGAIN_SECONDS

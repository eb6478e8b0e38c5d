"""Protects that nothing uses a connection to Redis any more once it is closed."""

from __future__ import annotations

import asyncio

from backscope_server.fleet.connection import Connection
from backscope_server.settings import Settings


def test_a_task_that_goes_on_after_a_cancellation_is_ended_before_the_connection_is_closed():
    async def closed():
        connection = Connection(Settings(fleet="redis://127.0.0.1:1/0"))
        swallowed = 0

        async def stubborn():
            nonlocal swallowed
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    swallowed += 1
                    if swallowed > 1:
                        raise

        task = connection.begin(stubborn(), "stubborn")
        await asyncio.sleep(0)
        task.cancel()
        await connection.close()
        assert task.cancelled()
        assert swallowed == 2

    asyncio.run(closed())

"""The connection of a gateway or a worker to Redis, from the settings."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias

import redis.asyncio as aioredis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    ConnectionError as RedisConnectionError,
    RedisError,
    TimeoutError as RedisTimeoutError,
)

from backscope_server.fleet.keys import Keys
from backscope_server.fleet.redis_clock import RedisClock
from backscope_server.fleet.scripts import Scripts
from backscope_server.fleet.tasks import end
from backscope_server.session.sessions import NotStarted
from backscope_server.settings import Settings

LOST = (RedisConnectionError, RedisTimeoutError, OSError)
"""The errors of a Redis that cannot be reached now."""
BLOCK_SECONDS = 2.0
"""The longest that a command waits in Redis."""
_ANSWER_SECONDS = 5.0
_CONNECT_SECONDS = 5.0
_TRIES = 3
_AGAIN_SECONDS = 0.2
_CONNECTIONS = 64

# redis-py types its answers as unions that say nothing.
Client: TypeAlias = Any

__all__ = ["LOST", "Connection", "FleetError", "RedisError"]

UNREACHABLE = "The server's store does not answer, so nothing can be started or read. Try again in a minute."


class FleetError(NotStarted):
    """The error for a fleet that cannot be joined; the text says why."""


class Connection:
    """A client of the fleet's Redis, the names in it, and the name of this process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.keys = Keys(settings.fleet_prefix, public=settings.public)
        self.name = settings.fleet_name or f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
        options: dict[str, Any] = {
            "socket_timeout": _ANSWER_SECONDS + BLOCK_SECONDS,
            "socket_connect_timeout": _CONNECT_SECONDS,
            "health_check_interval": 15,
            "client_name": "backscope",
            "retry": Retry(ExponentialWithJitterBackoff(base=0.05, cap=0.5), _TRIES),
            "retry_on_error": [RedisConnectionError, RedisTimeoutError],
            "max_connections": _CONNECTIONS,
            "timeout": _ANSWER_SECONDS,
        }
        if settings.fleet_username:
            options["username"] = settings.fleet_username
        if settings.fleet_password:
            options["password"] = settings.fleet_password
        if settings.fleet.startswith("rediss://"):
            given = {
                "ssl_ca_certs": settings.fleet_ca,
                "ssl_certfile": settings.fleet_certificate,
                "ssl_keyfile": settings.fleet_key,
            }
            options |= {name: path for name, path in given.items() if path}
        try:
            pool = aioredis.BlockingConnectionPool.from_url(settings.fleet, **options)
        except ValueError as error:
            raise FleetError(f"BACKSCOPE_FLEET: {error}.") from None
        self.redis: Client = aioredis.Redis.from_pool(pool)
        self.scripts = Scripts(self.redis)
        self.clock = RedisClock(self.redis)
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, coroutine: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Return a new task that uses this connection, which is ended before the connection is closed.

        One that were only cancelled may go on: the client can take that for a lost connection, and make another one.
        """
        task = asyncio.create_task(coroutine, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def surely(self, attempt: Callable[..., Awaitable[object]], *arguments: object) -> object:
        """Return what a call returns, as soon as Redis answers."""
        while True:
            try:
                return await attempt(*arguments)
            except (*LOST, RedisError):
                await asyncio.sleep(_AGAIN_SECONDS)

    async def start(self) -> None:
        """Connect.

        Raises: FleetError, of which the text does not contain the password.
        """
        try:
            await self.redis.ping()
        except (AuthenticationError, AuthorizationError) as error:
            raise FleetError(f"The fleet's Redis refuses this server: {error}.") from None
        except LOST as error:
            reason = str(error).partition(".")[0] or type(error).__name__
            raise FleetError(f"The fleet's Redis cannot be reached: {reason}.") from None
        except RedisError as error:
            raise FleetError(f"The fleet's Redis refuses this server: {error}.") from None

    async def close(self) -> None:
        """End the tasks that use it, and close all connections."""
        await end(self._tasks)
        await self.redis.aclose()
        await self.redis.connection_pool.disconnect()

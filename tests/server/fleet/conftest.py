"""Fixtures of the tests of fleets: a Redis of their own, and gateways and workers as processes."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

# Beside this file, and beside the tests of all suites.
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]

from fleet_processes import FleetProcesses  # noqa: E402 - beside this file, which is no package
from redis_server import RedisServer  # noqa: E402

from backscope_server.fleet.gateway import Gateway  # noqa: E402
from backscope_server.settings import Settings  # noqa: E402


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis that keeps nothing."""
    server = RedisServer(tmp_path)
    server.start()
    yield server
    server.stop()


class Standing(FleetProcesses):
    """A fleet that tests share: each starts the workers that it needs, and may kill them."""

    one: Any
    two: Any


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standing]:
    """A Redis with two gateways."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    made = Standing(server, fleet_drain_seconds=4)
    with contextlib.ExitStack() as closing:
        closing.callback(server.stop)
        closing.callback(made.close)
        made.one, made.two = made.gateway(), made.gateway()
        yield made


@pytest.fixture
def durable_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis with an append-only file."""
    server = RedisServer(tmp_path, durable=True)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def with_gateways(redis: RedisServer) -> Callable[..., None]:
    """Return a function that runs a coroutine function with two gateways of a fleet without workers."""

    def run(test: Callable[[Gateway, Gateway], Coroutine[Any, Any, None]], **settings: Any) -> None:
        async def whole() -> None:
            async with contextlib.AsyncExitStack() as closing:
                made = []
                for _ in range(2):
                    gateway = Gateway(Settings(fleet=redis.url, storage="off", **settings))
                    await gateway.begin()
                    closing.push_async_callback(gateway.close)
                    made.append(gateway)
                async with asyncio.timeout(60):
                    await test(*made)

        asyncio.run(whole())

    return run

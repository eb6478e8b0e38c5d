"""Protects that an address is limited here first, and then by what all gateways of a fleet count."""

from __future__ import annotations

import asyncio

import pytest

from backscope_server.access.address_limits import AddressLimits
from backscope_server.errors import Problem
from backscope_server.settings import Settings


class Elsewhere:
    """Counts as other gateways that have used up what there is, after `free` more."""

    def __init__(self, free: int) -> None:
        self.free = free
        self.open = 0

    async def request(self, address: str) -> float:
        self.free -= 1
        return 0.0 if self.free >= 0 else 7.0

    async def start(self, address: str, many: int) -> float:
        return await self.request(address)

    async def open_socket(self, address: str) -> tuple[float, bool]:
        self.free -= 1
        self.open += self.free >= 0
        return 0.0, self.free >= 0

    def close_socket(self, address: str) -> None:
        self.open -= 1


@pytest.mark.parametrize(("kind", "text"), [("request", "requests came"), ("start", "starts 600 programs a minute")])
def test_what_others_count_is_refused_here(kind, text):
    async def check():
        limits = AddressLimits(Settings(storage="off"))
        limits.shared = Elsewhere(1)
        await getattr(limits, kind)("a")
        with pytest.raises(Problem, match=text) as refused:
            await getattr(limits, kind)("a")
        assert (refused.value.status, refused.value.retry_after) == (429, 7)

    asyncio.run(check())


def test_sockets_are_counted_here_and_there_for_as_long_as_they_are_open():
    async def check():
        limits = AddressLimits(Settings(storage="off", address_sockets=5))
        limits.shared = shared = Elsewhere(1)
        async with limits.socket("a"):
            assert (limits.sockets.total, shared.open) == (1, 1)
            with pytest.raises(Problem, match="5 connections from your address"):
                await limits.socket("a").__aenter__()
            assert (limits.sockets.total, shared.open) == (1, 1)
        assert (limits.sockets.total, shared.open) == (0, 0)

    asyncio.run(check())


def test_nothing_is_asked_of_others_once_this_process_refuses():
    async def check():
        limits = AddressLimits(Settings(storage="off", address_requests=1))
        limits.shared = shared = Elsewhere(100)
        await limits.request("a")
        with pytest.raises(Problem):
            await limits.request("a")
        assert shared.free == 99

    asyncio.run(check())

"""Protects the memory that clients can fill: a bound in all, a quarter for one address, and turns for the others."""

from __future__ import annotations

import asyncio

from backscope_server.access.room import Room


def test_an_address_gets_a_quarter_and_all_get_the_whole():
    room = Room(400)
    assert room.take("a", 60)
    assert room.take("a", 40)
    assert not room.take("a", 1)
    for address in "bcd":
        assert room.take(address, 100)
    assert not room.take("e", 1)
    room.give("a", 100)
    assert room.take("e", 1)


def test_one_piece_may_be_larger_where_nothing_else_is_held():
    room = Room(100)
    assert room.take("a", 1000)
    assert not room.take("b", 1)
    room.give("a", 1000)
    assert room.take("b", 1)


def test_waiting_addresses_are_served_in_turn():
    served: list[str] = []

    async def wait(room: Room, address: str, nbytes: int) -> None:
        await room.wait(address, nbytes)
        served.append(address)

    async def check() -> None:
        room = Room(100)
        assert room.take("first", 100)
        tasks = [asyncio.create_task(wait(room, address, 25)) for address in ("a", "a", "b", "c", "d")]
        await asyncio.sleep(0)
        room.give("first", 100)
        while len(served) < 4:
            await asyncio.sleep(0)
        assert sorted(served) == ["a", "b", "c", "d"]
        room.give("a", 25)
        await asyncio.gather(*tasks)

    asyncio.run(check())
    assert served[-1] == "a"


def test_a_cancelled_wait_holds_nothing():
    async def check() -> None:
        room = Room(100)
        assert room.take("a", 100)
        leaving = asyncio.create_task(room.wait("b", 50))
        unlucky = asyncio.create_task(room.wait("c", 50))
        await asyncio.sleep(0)
        leaving.cancel()
        room.give("a", 100)
        unlucky.cancel()  # It was served at the same moment.
        await asyncio.gather(leaving, unlucky, return_exceptions=True)
        assert room.take("d", 1000)

    asyncio.run(check())

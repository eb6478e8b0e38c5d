"""Protects the turns of addresses: long work of one does not delay others, and waiting work is bounded."""

from __future__ import annotations

import asyncio
import threading

import pytest

from backscope_server.access.work import Work
from backscope_server.errors import Problem


@pytest.fixture
def work():
    made = Work()
    yield made
    made.close()


def test_a_flood_of_one_address_leaves_a_thread_for_others(work):
    going = threading.Event()

    async def check() -> None:
        flood = [asyncio.create_task(work.do("flood", going.wait, 120)) for _ in range(10)]
        async with asyncio.timeout(120):
            assert await work.do("other", int, 7) == 7
        going.set()
        assert await asyncio.gather(*flood) == [True] * 10

    asyncio.run(check())


def test_who_has_had_least_is_next(work):
    order: list[str] = []
    going = threading.Event()

    async def check() -> None:
        held = [asyncio.create_task(work.do(address, going.wait, 120)) for address in ("first", "second")]
        await asyncio.sleep(0)
        work._had = {"much": 50.0, "more": 60.0}
        waiting = [asyncio.create_task(work.do(address, order.append, address)) for address in ("more", "much", "new")]
        await asyncio.sleep(0)
        going.set()
        await asyncio.gather(*held, *waiting)

    asyncio.run(check())
    assert order.index("new") < order.index("more")
    assert order.index("much") < order.index("more")


def test_waiting_work_is_bounded(work):
    going = threading.Event()

    async def check() -> list[int]:
        mine = [asyncio.create_task(work.do("mine", going.wait, 120)) for _ in range(11)]
        others = [asyncio.create_task(work.do(f"other {number}", going.wait, 120)) for number in range(41)]
        await asyncio.sleep(0)
        going.set()
        ends = await asyncio.gather(*mine, *others, return_exceptions=True)
        return [end.status if isinstance(end, Problem) else 200 for end in ends]

    assert asyncio.run(check()) == [200] * 10 + [429] + [200] * 40 + [503]


def test_cancelled_work_is_not_waited_for(work):
    going = threading.Event()
    done: list[str] = []

    async def check() -> None:
        running = asyncio.create_task(work.do("a", going.wait, 120))
        leaving = asyncio.create_task(work.do("a", done.append, "left"))
        staying = asyncio.create_task(work.do("a", done.append, "stayed"))
        await asyncio.sleep(0.01)
        running.cancel()
        leaving.cancel()
        going.set()
        await asyncio.gather(running, leaving, staying, return_exceptions=True)

    asyncio.run(check())
    assert done == ["stayed"]
    assert not work._waiting
    assert not work._busy


def test_an_error_is_raised_for_its_caller(work):
    async def check() -> None:
        with pytest.raises(ValueError, match="invalid literal"):
            await work.do("a", int, "x")
        assert await work.do("a", int, "3") == 3

    asyncio.run(check())

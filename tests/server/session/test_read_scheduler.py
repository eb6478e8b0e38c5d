"""Protects ordinary runs from floods: runs that have sent little are read first, and all are read in the end."""

from __future__ import annotations

import asyncio

from backscope_server.session.read_scheduler import ReadScheduler, ReadTurn, read_scheduler


def spent(turn: ReadTurn, seconds: float) -> ReadTurn:
    turn.seconds = seconds
    return turn


async def rounds() -> None:
    """Run as many iterations of the event loop as all turns here need."""
    for _ in range(100):
        await asyncio.sleep(0)


def in_order(*seconds: float) -> list[float]:
    """Return the order in which runs that have cost so many seconds are read."""
    read: list[float] = []

    async def all_of_them() -> None:
        scheduler = ReadScheduler()
        for cost in seconds:
            spent(ReadTurn(scheduler, lambda cost=cost: read.append(cost)), cost).ready()
        await rounds()

    asyncio.run(all_of_them())
    return read


def test_who_has_had_least_is_next():
    assert in_order(3.0, 1.0, 2.0, 0.0) == [0.0, 1.0, 2.0, 3.0]


def test_a_new_run_waits_for_at_most_one_turn_of_a_flood():
    async def check() -> list[str]:
        scheduler = ReadScheduler()
        read: list[str] = []

        def flood() -> None:
            read.append("flood")
            if len(read) == 3:
                ReadTurn(scheduler, lambda: read.append("newcomer")).ready()
            if len(read) < 10:
                flooding.ready()

        flooding = ReadTurn(scheduler, flood)
        flooding.ready()
        await rounds()
        return read

    assert asyncio.run(check()).index("newcomer") == 3


def test_other_work_of_the_loop_comes_between_two_turns():
    async def check() -> list[str]:
        scheduler = ReadScheduler()
        seen: list[str] = []
        for _ in range(3):
            ReadTurn(
                scheduler, lambda: (seen.append("turn"), asyncio.get_running_loop().call_soon(seen.append, "other"))
            ).ready()
        await rounds()
        return seen

    assert asyncio.run(check()) == ["turn", "other"] * 3


def test_a_failure_of_one_does_not_keep_others_waiting():
    async def check() -> list[str]:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        scheduler = ReadScheduler()
        read: list[str] = []
        ReadTurn(scheduler, lambda: 1 // 0).ready()
        ReadTurn(scheduler, lambda: read.append("second")).ready()
        await rounds()
        return read

    assert asyncio.run(check()) == ["second"]


def test_a_run_that_left_is_not_read_and_a_second_request_changes_nothing():
    async def check() -> list[str]:
        scheduler = ReadScheduler()
        read: list[str] = []
        gone, eager = (
            ReadTurn(scheduler, lambda: read.append("gone")),
            ReadTurn(scheduler, lambda: read.append("eager")),
        )
        gone.ready()
        eager.ready()
        eager.ready()
        gone.leave()
        await rounds()
        return read

    assert asyncio.run(check()) == ["eager"]


def test_each_event_loop_has_a_scheduler_of_its_own():
    async def mine() -> ReadScheduler:
        assert read_scheduler() is read_scheduler()
        return read_scheduler()

    assert asyncio.run(mine()) is not asyncio.run(mine())

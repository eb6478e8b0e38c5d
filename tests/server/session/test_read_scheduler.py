"""Protects ordinary runs from floods: what has said little is read before what has said much, and all come to it."""

from __future__ import annotations

import asyncio

from backscope_server.session.read_scheduler import ReadScheduler, ReadTurn, read_scheduler


def spent(turn: ReadTurn, seconds: float) -> ReadTurn:
    turn.seconds = seconds
    return turn


async def rounds() -> None:
    """As many rounds of the event loop as all turns here need."""
    for _ in range(100):
        await asyncio.sleep(0)


def in_order(*seconds: float) -> list[float]:
    """The order in which runs that have cost so much are read."""
    read: list[float] = []

    async def all_of_them() -> None:
        line = ReadScheduler()
        for cost in seconds:
            spent(ReadTurn(line, lambda cost=cost: read.append(cost)), cost).ready()
        await rounds()

    asyncio.run(all_of_them())
    return read


def test_who_has_had_least_is_next():
    assert in_order(3.0, 1.0, 2.0, 0.0) == [0.0, 1.0, 2.0, 3.0]


def test_a_newcomer_waits_for_one_turn_of_a_flood():
    async def check() -> list[str]:
        line = ReadScheduler()
        read: list[str] = []

        def flood() -> None:
            read.append("flood")
            if len(read) == 3:
                ReadTurn(line, lambda: read.append("newcomer")).ready()
            if len(read) < 10:
                flooding.ready()

        flooding = ReadTurn(line, flood)
        flooding.ready()
        await rounds()
        return read

    assert asyncio.run(check()).index("newcomer") == 3


def test_other_work_of_the_loop_comes_between_two_turns():
    async def check() -> list[str]:
        line = ReadScheduler()
        seen: list[str] = []
        for _ in range(3):
            ReadTurn(
                line, lambda: (seen.append("turn"), asyncio.get_running_loop().call_soon(seen.append, "other"))
            ).ready()
        await rounds()
        return seen

    assert asyncio.run(check()) == ["turn", "other"] * 3


def test_a_failure_of_one_does_not_keep_others_waiting():
    async def check() -> list[str]:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        line = ReadScheduler()
        read: list[str] = []
        ReadTurn(line, lambda: 1 // 0).ready()
        ReadTurn(line, lambda: read.append("second")).ready()
        await rounds()
        return read

    assert asyncio.run(check()) == ["second"]


def test_who_has_left_is_not_read_and_asking_twice_is_asking_once():
    async def check() -> list[str]:
        line = ReadScheduler()
        read: list[str] = []
        gone, eager = ReadTurn(line, lambda: read.append("gone")), ReadTurn(line, lambda: read.append("eager"))
        gone.ready()
        eager.ready()
        eager.ready()
        gone.leave()
        await rounds()
        return read

    assert asyncio.run(check()) == ["eager"]


def test_each_event_loop_has_a_line_of_its_own():
    async def mine() -> ReadScheduler:
        assert read_scheduler() is read_scheduler()
        return read_scheduler()

    assert asyncio.run(mine()) is not asyncio.run(mine())

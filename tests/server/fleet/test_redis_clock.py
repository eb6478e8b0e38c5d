"""Protects the time since which Redis has answered: the times when it was away do not count, however many they are."""

from __future__ import annotations

import asyncio

import pytest

from backscope_server.fleet.redis_clock import RedisClock


class Redis:
    """Answers with the times of a list, in seconds."""

    def __init__(self, *times: int) -> None:
        self.times = iter(times)

    async def time(self) -> tuple[int, int]:
        return next(self.times), 0


@pytest.mark.parametrize(
    ("times", "since"),
    [
        pytest.param([100, 102, 104], 94, id="it was never away"),
        pytest.param([100, 102, 702, 704], 94, id="once"),
        pytest.param([100, 102, 702, 704, 724, 726], 96, id="twice"),
        pytest.param([100, 102, 702, 704, 706, 708, 710, 712], 702, id="before that"),
        pytest.param([100, 102, 50, 52], 42, id="its clock was put back"),
    ],
)
def test_the_times_when_redis_was_away_are_no_part_of_the_last_ten_seconds(times: list[int], since: int) -> None:
    async def asked() -> float:
        clock = RedisClock(Redis(*times))
        for _ in times[1:]:
            await clock.now()
        return await clock.ago(10)

    assert asyncio.run(asked()) == since

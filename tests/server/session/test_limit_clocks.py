"""Protects the time limits: told before they strike, standing still while held, never struck twice."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any

from backscope_server.session.limit_clocks import ClockGroup, LimitClock, ProcessorClock


class Leap(selectors.DefaultSelector):
    """Time passes at once wherever a loop would wait."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0.0
        return super().select(0)


def run_at_once(coroutine: Coroutine[Any, Any, list[str]]) -> list[str]:
    """Run a coroutine on a clock that leaps over every wait; return its result."""
    selector = Leap()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.now  # type: ignore[method-assign]
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(coroutine)


class Heard:
    def __init__(self, seconds: float, notice: float) -> None:
        self.said: list[str] = []
        self.clock = LimitClock(seconds, notice, approach=self._approach, strike=lambda: self.said.append("strike"))

    def _approach(self, left: float | None) -> None:
        self.said.append("withdrawn" if left is None else "near")


def test_it_tells_then_strikes_once():
    async def run() -> list[str]:
        heard = Heard(0.1, 0.05)
        heard.clock.start()
        heard.clock.start()
        await asyncio.sleep(0.07)
        assert heard.said == ["near"]
        await asyncio.sleep(0.2)
        return heard.said

    assert run_at_once(run()) == ["near", "strike"]


def test_held_it_stands_still_and_takes_back_what_it_said():
    async def run() -> list[str]:
        heard = Heard(0.1, 0.08)
        heard.clock.start()
        await asyncio.sleep(0.06)
        heard.clock.hold()
        heard.clock.hold()
        await asyncio.sleep(0.2)
        assert heard.said == ["near", "withdrawn"]
        heard.clock.start()
        await asyncio.sleep(0.2)
        return heard.said

    assert run_at_once(run()) == ["near", "withdrawn", "near", "strike"]


def test_wound_it_begins_anew():
    async def run() -> list[str]:
        heard = Heard(0.3, 0.1)
        heard.clock.start()
        for _ in range(4):
            await asyncio.sleep(0.1)
            heard.clock.wind()
        assert heard.said == []
        heard.clock.hold()
        heard.clock.wind()
        await asyncio.sleep(0.4)
        return heard.said

    assert run_at_once(run()) == []


def test_half_of_a_short_limit_passes_in_silence():
    async def run() -> list[str]:
        heard = Heard(0.2, 1000)
        heard.clock.start()
        await asyncio.sleep(0.03)
        return list(heard.said)

    assert run_at_once(run()) == []


def test_processor_time_is_looked_at_when_it_may_be_near_and_then_each_second():
    async def run() -> list[str]:
        said: list[str] = []
        asked: list[float] = []
        loop = asyncio.get_running_loop()

        def used() -> float:
            asked.append(round(loop.time(), 1))
            return loop.time() / 2

        clock = ProcessorClock(
            10, 4, used=used, approach=lambda left: said.append("withdrawn" if left is None else f"{left:.1f}")
        )
        together = ClockGroup(clock)
        together.start()
        together.start()
        await asyncio.sleep(14)
        together.hold()
        together.hold()
        assert asked[:3] == [0, 6, 9]
        assert asked[-2:] == [12.0, 13.0]
        await asyncio.sleep(100)
        return said

    assert run_at_once(run()) == ["4.0", "3.5", "withdrawn"]

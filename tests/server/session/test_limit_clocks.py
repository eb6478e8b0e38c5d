"""Protects the clocks of limits: a notice before the limit, no progress while stopped, and one call at the limit."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any

from backscope_server.session.limit_clocks import ClockGroup, LimitClock, ProcessorClock


class Leap(selectors.DefaultSelector):
    """A selector under which time passes at once instead of waiting."""

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


class Observed:
    """A clock, and the calls that it made."""

    def __init__(self, seconds: float, notice: float) -> None:
        self.calls: list[str] = []
        self.clock = LimitClock(seconds, notice, approach=self._approach, expired=lambda: self.calls.append("expired"))

    def _approach(self, left: float | None) -> None:
        self.calls.append("withdrawn" if left is None else "near")


def test_a_notice_comes_before_the_limit_which_is_reached_once():
    async def run() -> list[str]:
        observed = Observed(0.1, 0.05)
        observed.clock.start()
        observed.clock.start()
        await asyncio.sleep(0.07)
        assert observed.calls == ["near"]
        await asyncio.sleep(0.2)
        return observed.calls

    assert run_at_once(run()) == ["near", "expired"]


def test_a_stopped_clock_keeps_its_time_and_withdraws_its_notice():
    async def run() -> list[str]:
        observed = Observed(0.1, 0.08)
        observed.clock.start()
        await asyncio.sleep(0.06)
        observed.clock.stop()
        observed.clock.stop()
        await asyncio.sleep(0.2)
        assert observed.calls == ["near", "withdrawn"]
        observed.clock.start()
        await asyncio.sleep(0.2)
        return observed.calls

    assert run_at_once(run()) == ["near", "withdrawn", "near", "expired"]


def test_a_reset_clock_begins_anew():
    async def run() -> list[str]:
        observed = Observed(0.3, 0.1)
        observed.clock.start()
        for _ in range(4):
            await asyncio.sleep(0.1)
            observed.clock.reset()
        assert observed.calls == []
        observed.clock.stop()
        observed.clock.reset()
        await asyncio.sleep(0.4)
        return observed.calls

    assert run_at_once(run()) == []


def test_the_notice_of_a_short_limit_comes_after_half_of_it():
    async def run() -> list[str]:
        observed = Observed(0.2, 1000)
        observed.clock.start()
        await asyncio.sleep(0.03)
        return list(observed.calls)

    assert run_at_once(run()) == []


def test_processor_time_is_read_when_the_notice_may_be_due_and_then_each_second():
    async def run() -> list[str]:
        notices: list[str] = []
        read_at: list[float] = []
        loop = asyncio.get_running_loop()

        def used() -> float:
            read_at.append(round(loop.time(), 1))
            return loop.time() / 2

        clock = ProcessorClock(
            10, 4, used=used, approach=lambda left: notices.append("withdrawn" if left is None else f"{left:.1f}")
        )
        together = ClockGroup(clock)
        together.start()
        together.start()
        await asyncio.sleep(14)
        together.stop()
        together.stop()
        assert read_at[:3] == [0, 6, 9]
        assert read_at[-2:] == [12.0, 13.0]
        await asyncio.sleep(100)
        return notices

    assert run_at_once(run()) == ["4.0", "3.5", "withdrawn"]

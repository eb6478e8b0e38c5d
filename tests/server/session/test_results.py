"""Protects that many who start one program wait for one run, and for no longer than it may answer them."""

from __future__ import annotations

import asyncio

import pytest

from backscope_server.session import results
from backscope_server.session.results import Leads


class Run:
    """A stand-in for a session; `end` ends its run."""

    def __init__(self):
        self.id = "run"
        self.status = "running"
        self.commanded = False
        self.log = self
        self.complete = False
        self.looks = 0
        self._over = asyncio.Event()

    async def over(self):
        self.looks += 1
        await self._over.wait()

    def end(self, status="ok"):
        self.status, self.complete = status, True
        self._over.set()


class Starts:
    """Counts the runs that are begun."""

    def __init__(self):
        self.leads = Leads()
        self.begun = []

    async def begin(self):
        self.begun.append(Run())
        return self.begun[-1]

    def start(self):
        return asyncio.create_task(self.leads.start("name", self.begin))

    async def settle(self):
        for _ in range(20):
            await asyncio.sleep(0)


def test_all_wait_for_one_run_however_long_it_takes(monkeypatch):
    monkeypatch.setattr(results, "LOOK_SECONDS", 0.001)

    async def whole():
        starts = Starts()
        waiting = [starts.start() for _ in range(1000)]
        while len([one for one in waiting if one.done()]) < 1:
            await asyncio.sleep(0)
        while starts.begun[0].looks < 5:
            await asyncio.sleep(0.001)
        assert len([one for one in waiting if one.done()]) == 1
        starts.begun[0].end()
        found = await asyncio.gather(*waiting)
        assert found.count((starts.begun[0], True)) == 999
        assert len(starts.begun) == 1

    asyncio.run(whole())


@pytest.mark.parametrize(("status", "runs"), [("limit", 10), ("stopped", 2), ("unreachable", 2)])
def test_after_an_end_that_is_not_clean_another_leads_unless_all_would_wait_for_a_limit(status, runs):
    async def whole():
        starts = Starts()
        waiting = [starts.start() for _ in range(10)]
        await starts.settle()
        starts.begun[0].end(status)
        await starts.settle()
        assert len(starts.begun) == runs
        for one in starts.begun[1:]:
            one.end()
        await asyncio.gather(*waiting)

    asyncio.run(whole())


def test_nobody_waits_for_a_run_that_is_debugged(monkeypatch):
    monkeypatch.setattr(results, "LOOK_SECONDS", 0.001)

    async def whole():
        starts = Starts()
        first, second = starts.start(), starts.start()
        session, _ = await first
        session.commanded = True
        other, is_finished = await second
        assert other is not session
        assert not is_finished
        for one in starts.begun:
            one.end()

    asyncio.run(whole())


def test_a_start_that_fails_lets_the_next_one_try():
    async def whole():
        starts = Starts()

        full = asyncio.Event()

        async def refused():
            await full.wait()
            raise RuntimeError("full")

        first = asyncio.create_task(starts.leads.start("name", refused))
        await starts.settle()
        second = starts.start()
        await starts.settle()
        full.set()
        with pytest.raises(RuntimeError, match="full"):
            await first
        assert await second == (starts.begun[0], False)
        starts.begun[0].end()

    asyncio.run(whole())

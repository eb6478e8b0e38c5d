"""Protects the bounds of a server: programs at once, and the finished sessions that it keeps."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from backscope.protocol.commands import Evaluate, LineBreakpoint, Resume, SetBreakpoints
from backscope_server.sandbox.limits import Limits
from backscope_server.session import holdings
from backscope_server.session.lines import NotKept
from backscope_server.session.pool import Pool
from backscope_server.session.program import Program
from backscope_server.session.session import Session
from backscope_server.session.sessions import PoolFull, TooManyPrograms
from backscope_server.session.timing import Timing

SMALL = {
    "wall_seconds": 120,
    "cpu_seconds": 20,
    "memory_bytes": 256 << 20,
    "output_bytes": 1000,
    "events": 1000,
    "log_bytes": 1 << 20,
    "event_bytes": 1 << 20,
}


def recorded(size: int = 100) -> Session:
    return Session.recorded([b"x" * size], "ok")


def pool(**bounds: int) -> Pool:
    return Pool(None, None, **{"running": 2, "kept": 3, "kept_bytes": 10_000, **bounds})  # type: ignore[arg-type]


def test_the_oldest_finished_sessions_are_removed_by_number():
    kept = pool()
    sessions = [recorded() for _ in range(5)]
    for session in sessions:
        kept.add(session)
    assert [kept.find(session.id) is not None for session in sessions] == [False, False, True, True, True]


def test_the_oldest_finished_sessions_are_removed_by_size_but_never_the_newest():
    kept = pool(kept_bytes=1000)
    sessions = [recorded(300), recorded(300), recorded(5000)]
    for session in sessions:
        kept.add(session)
    assert [kept.find(session.id) is not None for session in sessions] == [False, False, True]


def test_a_running_session_is_never_removed():
    kept = pool(kept=1)
    running = Session()
    kept.add(running)
    kept.add(recorded())
    kept.add(recorded())
    assert kept.find(running.id) is running


def test_the_events_of_a_run_count_as_soon_as_it_is_over():
    kept = pool(kept_bytes=1000)
    running, newest = Session(), recorded()
    kept.add(running)
    kept.add(newest)
    running.log.append([b"x" * 5000])
    running.log.finish()
    kept._over(running)
    assert [kept.find(session.id) is not None for session in (running, newest)] == [False, True]


def test_of_what_is_on_disk_less_stays_in_memory(monkeypatch):
    monkeypatch.setattr(holdings, "STORED_BYTES", 1_100)
    kept = pool(kept=10)
    sessions = [recorded(300) for _ in range(6)]
    for session in sessions:
        session.stored = session not in sessions[1:3]
        kept.add(session)
    assert [kept.find(session.id) is not None for session in sessions] == [False, True, True, False, True, True]


def test_a_run_that_is_read_is_removed_last(monkeypatch):
    """A client reads on from the disk only after its connection has broken."""

    async def run() -> None:
        kept = pool(kept_bytes=2500)
        read, other = recorded(300), recorded(300)
        with read.watched():
            for session in (read, other, recorded(300), recorded(300)):
                kept.add(session)
            assert (kept.find(read.id), kept.find(other.id)) == (read, None)
            monkeypatch.setattr(holdings, "STORED_BYTES", 0)
            read.stored = True
            kept.add(recorded(10))
            assert kept.find(read.id) is read
            kept.add(recorded(5000))
            assert kept.find(read.id) is None

    asyncio.run(run())


class Line:
    """A pool on the real sandbox, in which programs run until they are stopped."""

    ENDLESS = Program(source="while True: pass")

    def __init__(self, sandbox, **bounds: int) -> None:
        limits = Limits(**SMALL)
        self.pool = Pool(
            sandbox.launcher, limits, **{"running": 1, "waiting": 5, "kept": 50, "kept_bytes": 1 << 30, **bounds}
        )

    def start(self, address: str = "") -> Session:
        return self.pool.start(self.ENDLESS, address)


def places(*sessions: Session) -> list[int | None]:
    return [session.notices.place for session in sessions]


def test_a_program_without_a_place_waits_and_moves_up(sandbox):
    async def run() -> None:
        line = Line(sandbox)
        first, second, third = line.start("a"), line.start("b"), line.start("c")
        assert [session.status for session in (first, second, third)] == ["running", "waiting", "waiting"]
        assert places(first, second, third) == [None, 1, 2]
        first.stop()
        await first.over()
        await asyncio.sleep(0)
        assert places(second, third) == [None, 1]
        assert second.status == "running"
        await second.log.beyond(-1)
        await line.pool.stop()

    sandbox.run(run())


def test_a_waiting_program_that_is_stopped_never_runs(sandbox, log_of):
    async def run() -> None:
        line = Line(sandbox)
        _, second, third = line.start("a"), line.start("b"), line.start("c")
        second.stop()
        await second.over()
        await asyncio.sleep(0)
        assert second.status == "stopped"
        assert [event["kind"] for event in log_of(second)] == ["program_started", "program_finished"]
        assert places(third) == [1]
        await line.pool.stop()
        assert third.status == "limit"

    sandbox.run(run())


def test_addresses_take_turns(sandbox):
    async def run() -> None:
        line = Line(sandbox)
        line.start("greedy")
        greedy = [line.start("greedy") for _ in range(3)]
        modest = line.start("modest")
        assert places(*greedy, modest) == [1, 3, 4, 2]
        await line.pool.stop()

    sandbox.run(run())


def test_the_queue_is_bounded_in_all_and_by_address(sandbox):
    async def run() -> None:
        line = Line(sandbox, waiting=3, address_waiting=2)
        line.start("a")
        line.start("a")
        line.start("a")
        with pytest.raises(TooManyPrograms, match="2 programs of one network address wait"):
            line.start("a")
        line.start("b")
        with pytest.raises(PoolFull, match="busy: a program is running and 3 wait"):
            line.start("c")
        await line.pool.stop()

    sandbox.run(run())


def test_an_address_that_runs_as_many_as_it_may_waits_while_others_are_served(sandbox):
    async def run() -> None:
        line = Line(sandbox, running=3, address_programs=1)
        first, second, third = (line.start("a") for _ in range(3))
        other = line.start("b")
        assert [session.status for session in (first, second, third, other)] == [
            "running", "waiting", "waiting", "running",
        ]  # fmt: skip
        assert places(second, third) == [1, 2]
        first.stop()
        await first.over()
        await asyncio.sleep(0)
        assert (second.status, third.status, places(third)) == ("running", "waiting", [1])
        await line.pool.stop()

    sandbox.run(run())


def test_a_waiting_program_without_a_watcher_is_stopped(sandbox):
    async def run() -> None:
        line = Line(sandbox)
        line.pool.timing = Timing(unwatched_seconds=0.2)
        first = line.start("a")
        with first.watched():
            second = line.start("b")
            await asyncio.wait_for(second.over(), 120)
            assert second.status == "limit"
            assert first.status == "running"
        await line.pool.stop()

    sandbox.run(run())


def test_ids_cannot_be_guessed():
    assert len({recorded().id for _ in range(100)}) == 100
    assert len(recorded().id) >= 16


def test_an_idle_replay_is_ended_only_if_its_place_helps(sandbox):
    async def run() -> None:
        line = Line(sandbox, running=3, address_programs=2)
        pool = line.pool
        past = Session()
        past.start(Program(source="x = 1"), pool.limits, pool.launcher)
        await past.over()

        async def look(address: str) -> None:
            async with pool.replays.at(past, past.log.last, address, lambda: pool.admit_replay(address)):
                pass

        await look("a")
        others = [line.start("b"), line.start("b")]
        assert len(pool.replays) == 1
        assert line.start("b").status == "waiting"  # An address that may have no more takes nothing away.
        assert len(pool.replays) == 1
        assert line.start("c").status == "running"  # The place is of use, so it is given.
        assert len(pool.replays) == 0
        for session in others:
            session.stop()
            await session.over()
        await pool.stop()

    sandbox.run(run())


def test_removed_sessions_are_reported():
    removed: list[Session] = []
    kept = Pool(None, None, running=2, kept=1, kept_bytes=10_000, removed=removed.append)  # type: ignore[arg-type]
    sessions = [recorded() for _ in range(3)]
    for session in sessions:
        kept.add(session)
    assert removed == sessions[:2]


@pytest.mark.parametrize("forgotten", [False, True])
def test_a_replay_that_gives_up_its_place_gives_it_to_the_first_in_line(sandbox, forgotten):
    async def run() -> None:
        line = Line(sandbox)
        pool = line.pool
        past = Session()
        past.start(Program(source="x = 1"), pool.limits, pool.launcher)
        await past.over()
        async with pool.replays.at(past, past.log.last, "a", lambda: pool.admit_replay("a")):
            first = line.start("b")
            assert places(first) == [1]
            if forgotten:  # Its process has not ended yet when another client comes.
                pool.replays.forget(past)
                newcomer = line.start("c")
                assert (first.status, newcomer.status) == ("running", "waiting")
        assert first.status == "running"
        await pool.stop()

    sandbox.run(run())


COUNTING = Program(source="x = 7\nprint(x)\nwhile True:\n    x += 1\n")


async def paused(pool: Pool, address: str) -> tuple[Session, int]:
    """Start a program that pauses before its fourth line; return it with the seq of the event `paused`."""
    session = pool.start(COUNTING, address)
    session.command(SetBreakpoints(id=0, breakpoints=[LineBreakpoint(id=1, line=4)]), lambda _answer: None)
    async with asyncio.timeout(120):
        while session.paused_since is None:
            await asyncio.sleep(0.01)
    return session, session.log.last


def limits_in_notices(session: Session) -> list[str]:
    """Return the limits in the session's notices."""
    return [notice["limit"] for notice in json.loads(session.notices.message())["notices"] if "limit" in notice]


def test_a_paused_program_gets_a_notice_and_gives_its_place_to_a_waiting_one(sandbox, log_of):
    async def run() -> None:
        pool = Pool(
            sandbox.launcher, Limits(**SMALL), running=1, waiting=5, kept=50, kept_bytes=1 << 30,
            timing=Timing(notice_seconds=0.3),
        )  # fmt: skip
        first, seq = await paused(pool, "a")
        assert limits_in_notices(first) == []
        second = pool.start(Line.ENDLESS, "b")
        assert limits_in_notices(first) == ["wanted"]
        async with asyncio.timeout(120):
            await first.over()
            while second.status != "running":
                await asyncio.sleep(0.01)
        assert first.status == "limit"
        assert "while other programs waited" in log_of(first)[-2]["message"]
        second.stop()
        await second.over()
        async with asyncio.timeout(120), pool.replays.at(first, seq, "a", lambda: None) as replay:
            answer = await replay.ask(Evaluate(id=1, expression="x"))
        assert answer.look.text == "7"
        await pool.stop()

    sandbox.run(run())


def test_a_program_that_goes_on_keeps_its_place(sandbox):
    async def run() -> None:
        pool = Pool(
            sandbox.launcher, Limits(**SMALL), running=2, waiting=5, kept=50, kept_bytes=1 << 30, address_programs=1,
            timing=Timing(notice_seconds=60),
        )  # fmt: skip
        first, _ = await paused(pool, "a")
        other, _ = await paused(pool, "b")
        waiting = pool.start(Line.ENDLESS, "b")  # Waits for a place of its own address.
        assert (limits_in_notices(first), limits_in_notices(other)) == ([], ["wanted"])
        other.command(SetBreakpoints(id=0, breakpoints=[]), lambda _answer: None)
        other.command(Resume(id=0), lambda _answer: None)
        async with asyncio.timeout(120):
            while limits_in_notices(other):
                await asyncio.sleep(0.01)
        assert other.status == "running"
        assert waiting.status == "waiting"
        await pool.stop()

    sandbox.run(run())


def test_runs_of_one_address_do_not_remove_sessions_of_another():
    kept = pool(kept=6, kept_bytes=3000)
    mine = [recorded(100) for _ in range(2)]
    for session in mine:
        kept.add(session, "mine")
    for _ in range(10):
        kept.add(recorded(1000), "other")
    for number in range(3):
        kept.add(recorded(10), f"other {number}")
    assert all(kept.find(session.id) is session for session in mine)
    assert kept._holdings.total < 3000
    assert len(kept._holdings) <= 6


def test_a_removed_log_is_freed_even_while_it_is_read():
    kept = pool(kept=1)
    gone = recorded(5000)
    kept.add(gone)
    kept.add(recorded())
    assert (gone.log.nbytes, gone.log.last) == (0, 0)
    with pytest.raises(NotKept):
        gone.log.lines[0]


def test_the_largest_program_of_the_largest_address_ends_if_nothing_else_makes_room(sandbox):
    async def run() -> None:
        line = Line(sandbox, running=3, kept_bytes=100_000)
        small, large, modest = line.start("greedy"), line.start("greedy"), line.start("modest")
        for session, size in ((small, 10_000), (large, 80_000), (modest, 30_000)):
            await session.log.beyond(-1)
            session.log.append([os.urandom(size).replace(b"\n", b" ")])
        await large.over()
        assert (small.running, large.status, modest.running) == (True, "limit", True)
        await line.pool.stop()

    sandbox.run(run())


def test_a_removed_session_counts_while_it_is_read():
    async def run() -> None:
        kept = pool(kept=10, kept_bytes=8000)
        session = recorded(5000)
        kept.add(session)
        with session.watched():
            assert await kept.remove(session.id)
            assert kept.find(session.id) is None
            assert session.log.nbytes > 5000
            kept.add(recorded(2000))
            assert session.log.nbytes > 5000
            kept.add(recorded(4000))
            assert session.log.nbytes == 0

    asyncio.run(run())

"""Protects the recordings: a program is run once, later starts get that session, and no client can end it."""

from __future__ import annotations

import asyncio

from backscope_server.sandbox.limits import Limits
from backscope_server.session.pool import Pool
from backscope_server.session.program import Program

LIMITS = Limits(
    wall_seconds=120, cpu_seconds=1, memory_bytes=256 << 20, output_bytes=1000, events=1000, log_bytes=1 << 20,
    event_bytes=1 << 20,
)  # fmt: skip
PROGRAMS = [Program(source="print(1)"), Program(source="1 / 0"), Program(source="for i in range(2000): print(i)")]


def test_only_programs_that_end_by_themselves_are_recorded(sandbox, log_of):
    async def run() -> None:
        pool = Pool(sandbox.launcher, LIMITS, running=1, kept=1, kept_bytes=1)
        assert pool.recordings.of(PROGRAMS[0]) is None
        pool.record(PROGRAMS)
        assert pool.recordings._making is not None
        await pool.recordings._making
        printed, failed, flooded = (pool.recordings.of(program) for program in PROGRAMS)
        assert printed is not None and failed is not None and flooded is None
        assert (printed.status, failed.status) == ("ok", "error")
        assert pool.recordings.of(Program(source="print(1)", seed=1)) is None
        assert pool.find(printed.id) is printed
        assert not await pool.remove(printed.id)
        assert [event["kind"] for event in log_of(printed)] == ["program_started", "output_printed", "program_finished"]
        await pool.stop()

    sandbox.run(run())


def test_a_pool_that_stops_meanwhile_ends_the_one_that_runs(sandbox):
    async def run() -> None:
        pool = Pool(sandbox.launcher, LIMITS, running=1, kept=1, kept_bytes=1)
        pool.record([Program(source="while True: pass")])
        while pool.recordings._running is None:
            await asyncio.sleep(0)
        session = pool.recordings._running
        await pool.stop()
        assert session.status == "stopped"

    sandbox.run(run())

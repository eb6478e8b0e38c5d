"""Protects the time limits of a session: the notice before each, and what keeps a run from being stopped."""

from __future__ import annotations

import asyncio
import json
from typing import ClassVar

from backscope_server.sandbox.limits import Limits
from backscope_server.session.program import Program
from backscope_server.session.session import Session
from backscope_server.session.timing import Timing

ENDLESS = Program(source="import time\nwhile True:\n    time.sleep(0.01)\n")


def limits(**given: float) -> Limits:
    usual = {"wall_seconds": 120, "cpu_seconds": 20, "memory_bytes": 256 << 20, "output_bytes": 1000, "events": 1000}
    return Limits(**{**usual, "log_bytes": 1 << 20, "event_bytes": 1 << 20, **given})  # type: ignore[arg-type]


def notices_of(session: Session) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(session.notices.message())["notices"]
    return found


async def begun(timing: Timing, launcher, **given: float) -> Session:  # type: ignore[no-untyped-def]
    session = Session(timing)
    session.start(ENDLESS, limits(**given), launcher)
    await session.log.beyond(-1)
    return session


async def notice(session: Session) -> dict[str, object]:
    """Wait for the next notice of a session that has none."""
    while not notices_of(session):
        await asyncio.wait_for(session.notices.beyond(session.notices.version), 120)
    return notices_of(session)[0]


def error_of(session: Session, log_of) -> str:  # type: ignore[no-untyped-def]
    text: str = next(event for event in log_of(session) if event["kind"] == "error_raised")["message"]
    return text


def test_a_notice_comes_before_the_time_limit(sandbox, log_of):
    async def run() -> None:
        session = await begun(Timing(notice_seconds=0.5), sandbox.launcher, wall_seconds=1)
        found = await notice(session)
        assert (found["kind"], found["limit"], found["limit_seconds"]) == ("limit_approaching", "wall", 1)
        assert 0 <= found["seconds_left"] <= 0.5
        await session.over()
        assert session.status == "limit"
        assert "still running after 1 s" in error_of(session, log_of)
        assert notices_of(session) == []

    sandbox.run(run())


def test_a_pause_stops_the_programs_clock_and_starts_its_own(sandbox, log_of):
    async def run() -> None:
        timing = Timing(notice_seconds=0.4, pause_seconds=1.2)
        session = await begun(timing, sandbox.launcher, wall_seconds=1)
        session.pause_began()
        found = await notice(session)
        assert (found["limit"], found["limit_seconds"]) == ("pause", 1.2)
        session.reset_pause_clock()
        assert notices_of(session) == []
        await notice(session)
        await session.over()
        assert session.status == "limit"
        assert "paused for 1.2 s without a command" in error_of(session, log_of)

    sandbox.run(run())


def test_a_program_that_forges_pauses_gains_no_time(sandbox, log_of):
    async def run() -> None:
        timing = Timing(notice_seconds=0.1, pause_seconds=1)
        session = await begun(timing, sandbox.launcher, wall_seconds=60)

        async def alternate() -> None:
            while session.running:
                session.pause_began()
                await asyncio.sleep(0.2)
                session.pause_ended()
                await asyncio.sleep(0.001)

        await asyncio.wait_for(alternate(), 120)
        assert "without a command" in error_of(session, log_of)

    sandbox.run(run())


class Loading:
    """A launcher whose zygote never finishes loading."""

    ready = False
    versions: ClassVar[dict[str, str]] = {}

    async def settled(self) -> None:
        await asyncio.Event().wait()


def test_a_run_that_waits_for_the_zygote_is_stopped_at_once(log_of):
    async def run() -> None:
        session = Session()
        session.start(ENDLESS, limits(), Loading())  # type: ignore[arg-type]
        assert (await notice(session))["kind"] == "starting"
        session.stop()
        await asyncio.wait_for(session.over(), 120)
        assert session.status == "stopped"
        assert [event["kind"] for event in log_of(session)] == ["program_started", "program_finished"]
        assert notices_of(session) == []

    asyncio.run(run())

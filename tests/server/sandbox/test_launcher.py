"""Protects what happens around the zygote: it dies, it cannot start, it is asked for more than it has."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from backscope_server.sandbox.launcher import Launcher, SandboxError
from backscope_server.sandbox.limits import Limits
from backscope_server.session.program import Program
from backscope_server.session.session import Session

LIMITS = Limits(
    wall_seconds=20, cpu_seconds=5, memory_bytes=1 << 28, output_bytes=1 << 20, events=1000, log_bytes=1 << 20,
    event_bytes=1 << 20,
)  # fmt: skip


def run(session: Session, source: str, launcher: Launcher) -> None:
    session.start(Program(source=source), LIMITS, launcher)


def test_a_killed_zygote_ends_its_programs_and_is_replaced():
    async def check() -> None:
        launcher = Launcher()
        await launcher.start()
        first = launcher.pid
        assert first is not None
        lost, waiting = Session(), Session()
        run(lost, "import select\nselect.select([], [], [], 60)\n", launcher)
        await lost.log.beyond(-1)
        os.kill(first, signal.SIGKILL)
        await lost.over()
        assert lost.status == "limit"
        error = json.loads(lost.log.lines[-2])
        assert error["type"] == "ProgramDied"
        assert "Run it again" in error["message"]
        # A program that comes while there is no zygote waits for the next one.
        run(waiting, "print('again')", launcher)
        await waiting.over()
        assert waiting.status == "ok"
        assert launcher.pid not in (None, first)
        await launcher.close()

    asyncio.run(check())


def test_a_zygote_that_cannot_start_says_why():
    async def check() -> None:
        with pytest.raises(SandboxError, match="No module named 'nowhere'"):
            await Launcher("nowhere").start()

    asyncio.run(check())


def test_programs_of_a_closed_launcher_end_with_a_reason():
    async def check() -> None:
        launcher = Launcher()
        await launcher.start()
        running, late = Session(), Session()
        run(running, "import select\nselect.select([], [], [], 60)\n", launcher)
        await running.log.beyond(-1)
        await launcher.close()
        run(late, "print(1)", launcher)
        await running.over()
        await late.over()
        assert [running.status, late.status] == ["limit", "limit"]
        kinds = [json.loads(line)["kind"] for line in late.log.lines]
        assert kinds == ["program_started", "error_raised", "program_finished"]

    asyncio.run(check())


def test_no_process_is_left_behind():
    async def check() -> list[int]:
        launcher = Launcher()
        await launcher.start()
        sessions = [Session() for _ in range(3)]
        for session in sessions:
            run(session, "while True: pass\n", launcher)
        for session in sessions:
            await session.log.beyond(-1)
        zygote = launcher.pid
        children = Path(f"/proc/{zygote}/task/{zygote}/children").read_text().split()
        assert zygote is not None
        assert len(children) == 3
        pids = [zygote, *map(int, children)]
        await launcher.close()
        for session in sessions:
            await session.over()
        return pids

    async def gone(pid: int) -> None:
        while os.path.exists(f"/proc/{pid}"):
            await asyncio.sleep(0.01)

    async def all_gone(pids: list[int]) -> None:
        await asyncio.wait_for(asyncio.gather(*map(gone, pids)), 10)

    asyncio.run(all_gone(asyncio.run(check())))

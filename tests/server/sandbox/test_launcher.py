"""Protects the launcher when its zygote dies, cannot start, is replaced, or gets more requests than it can serve."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from backscope_server.sandbox import launcher as launching
from backscope_server.sandbox.launcher import Launcher, SandboxError
from backscope_server.sandbox.limits import Limits
from backscope_server.sandbox.messages import Ready
from backscope_server.session.program import Program
from backscope_server.session.session import Session

LIMITS = Limits(
    wall_seconds=120, cpu_seconds=5, memory_bytes=1 << 28, output_bytes=1 << 20, events=1000, log_bytes=1 << 20,
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


def test_a_failed_replacement_of_a_zygote_is_tried_again(monkeypatch):
    monkeypatch.setattr(launching, "_FIRST_RETRY_SECONDS", 0.01)

    async def check() -> None:
        launcher = Launcher()
        await launcher.start()
        new, failures = launcher._new, [OSError(12, "Cannot allocate memory"), OSError(24, "Too many open files")]

        def sometimes():
            if failures:
                raise failures.pop()
            return new()

        monkeypatch.setattr(launcher, "_new", sometimes)
        os.kill(launcher.pid, signal.SIGKILL)
        while failures:
            await asyncio.sleep(0.01)
        while not launcher.ready:
            await asyncio.sleep(0.01)
        session = Session()
        run(session, "print('again')", launcher)
        await session.over()
        assert session.status == "ok"
        await launcher.close()

    asyncio.run(check())


def test_a_zygote_whose_layers_do_not_suffice_for_a_public_server_is_replaced(monkeypatch):
    monkeypatch.setattr(launching, "_FIRST_RETRY_SECONDS", 0.01)

    async def check() -> None:
        launcher = Launcher(public=True)
        await launcher.start()
        launcher.without = ("seccomp",)
        os.kill(launcher.pid, signal.SIGKILL)
        session = Session()
        while launcher._failure is None:
            await asyncio.sleep(0.01)
        run(session, "print('never')", launcher)
        await session.over()
        assert session.status == "limit"
        assert "public server" in json.loads(session.log.lines[-2])["message"]
        launcher.without = ()
        while not launcher.ready:
            await asyncio.sleep(0.01)
        await launcher.close()

    asyncio.run(check())


class Idle:
    """A source of processes that starts none."""

    pid = 1

    def close(self) -> None: ...


def test_a_zygote_is_replaced_later_if_its_replacement_fails(monkeypatch):
    monkeypatch.setattr(launching, "_LAST_RETRY_SECONDS", 0.01)

    async def check() -> None:
        launcher = Launcher(zygote_seconds=0.01)
        tried: list[str] = []
        renewed = asyncio.Event()
        first, last = Idle(), Idle()

        def new() -> Idle:
            tried.append("")
            if len(tried) == 1:
                raise OSError("no more processes")
            if len(tried) < 4:
                refused = Idle()
                report = launcher.refused if len(tried) == 2 else lambda source, _: launcher.died(source)
                asyncio.get_running_loop().call_soon(report, refused, "no memory")
                return refused
            renewed.set()
            return last

        monkeypatch.setattr(launcher, "_new", new)
        launcher._source = first
        launcher.loaded(first, Ready(versions={}, layers=[]))
        await asyncio.wait_for(renewed.wait(), 120)
        assert launcher._source is first
        launcher.loaded(last, Ready(versions={}, layers=[]))
        assert launcher._source is last
        await launcher.close()

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
        assert len(children) >= 3  # One more where the next one is forked already.
        pids = [zygote, *map(int, children)]
        await launcher.close()
        for session in sessions:
            await session.over()
        return pids

    async def gone(pid: int) -> None:
        while os.path.exists(f"/proc/{pid}"):
            await asyncio.sleep(0.01)

    async def all_gone(pids: list[int]) -> None:
        await asyncio.wait_for(asyncio.gather(*map(gone, pids)), 120)

    asyncio.run(all_gone(asyncio.run(check())))


async def gone(pid: int | None) -> None:
    while os.path.exists(f"/proc/{pid}"):
        await asyncio.sleep(0.01)


async def another(launcher: Launcher, before: int | None) -> int:
    while launcher.pid in (None, before):
        await asyncio.sleep(0.01)
    assert launcher.pid is not None
    return launcher.pid


def test_a_zygote_is_replaced_after_some_programs_and_keeps_its_own():
    async def check() -> None:
        launcher = Launcher(zygote_programs=2)
        await launcher.start()
        first = launcher.pid
        waiting, short, later = Session(), Session(), Session()
        run(waiting, "import select\nselect.select([], [], [], 60)\n", launcher)
        await waiting.log.beyond(-1)
        run(short, "print(1)", launcher)
        second = await asyncio.wait_for(another(launcher, first), 120)
        run(later, "print(2)", launcher)
        await later.over()
        assert later.status == "ok"
        # The one before stays for its program, and no longer.
        assert os.path.exists(f"/proc/{first}") and waiting.running
        waiting.stop()
        await asyncio.wait_for(gone(first), 120)
        assert launcher.pid == second
        await launcher.close()

    asyncio.run(check())


class Source:
    """A source of processes that is ready when the test says so."""

    pid = None
    closed = False

    def close(self) -> None:
        self.closed = True


def test_a_zygote_is_replaced_when_it_is_old(monkeypatch):
    made = [Source(), Source(), Source()]
    waiting = iter(made)
    monkeypatch.setattr(Launcher, "_new", lambda self: next(waiting))

    async def check() -> None:
        launcher = Launcher(zygote_seconds=0.001)
        starting = asyncio.create_task(launcher.start())
        await asyncio.sleep(0)
        launcher.loaded(made[0], Ready(versions={}, layers=[]))
        await starting
        while launcher._next_source is None:
            await asyncio.sleep(0.001)
        assert launcher._source is made[0] and not made[0].closed
        launcher.loaded(made[1], Ready(versions={}, layers=[]))
        assert launcher._source is made[1] and made[0].closed
        # One that cannot start changes nothing.
        while launcher._next_source is None:
            await asyncio.sleep(0.001)
        launcher.refused(made[2], "no room")
        assert launcher._source is made[1] and made[2].closed and not made[1].closed
        await launcher.close()
        assert made[1].closed

    asyncio.run(check())

"""Protects processes with limits only, for systems without zygotes: they run, end, and keep their limits."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from backscope_server.sandbox.launcher import Launcher, SandboxError
from backscope_server.sandbox.limits import Limits
from backscope_server.session.program import Program
from backscope_server.session.session import Session

LIMITS = {
    "wall_seconds": 60,
    "cpu_seconds": 30,
    "memory_bytes": 1 << 28,
    "output_bytes": 1 << 20,
    "events": 1000,
    "log_bytes": 1 << 20,
    "event_bytes": 1 << 20,
}


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as found:
        yield found


@pytest.fixture(scope="module")
def launcher(runner: asyncio.Runner) -> Iterator[Launcher]:
    made = Launcher(limited=True)
    runner.run(made.start())
    yield made
    runner.run(made.close())


def start(source: str, launcher: Launcher, **limits: Any) -> Session:
    session = Session()
    session.start(Program(source=source), Limits(**{**LIMITS, **limits}), launcher)
    return session


async def finished(source: str, launcher: Launcher, **limits: Any) -> tuple[str, list[dict[str, Any]]]:
    session = start(source, launcher, **limits)
    await session.over()
    return session.status, [json.loads(line) for line in session.log.lines]


def test_a_program_runs(runner, launcher):
    source = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * 3).sum().backward()\nprint(x.grad)\n"
    status, events = runner.run(finished(source, launcher))
    assert status == "ok"
    assert [event["text"] for event in events if event["kind"] == "output_printed"] == ["tensor([3., 3.])\n"]


def test_an_error_has_its_line(runner, launcher):
    status, events = runner.run(finished("x = 1\nx / 0\n", launcher))
    assert status == "error"
    assert (events[-2]["type"], events[-2]["line"]) == ("ZeroDivisionError", 2)


def test_a_program_is_stopped(runner, launcher):
    async def check() -> None:
        session = start("print('on')\nwhile True: pass\n", launcher)
        await session.log.beyond(0)
        (child,) = launcher._children.values()
        session.stop()
        await session.over()
        assert session.status == "stopped"
        assert not os.path.exists(f"/proc/{child.pid}")

    runner.run(check())


@pytest.mark.parametrize(
    ("source", "limits", "kind"),
    [
        ("while True: pass\n", {"cpu_seconds": 3}, "TimeLimitExceeded"),
        ("import time, select\nselect.select([], [], [], 60)\n", {"wall_seconds": 6}, "TimeLimitExceeded"),
        ("while True: print('A' * 4000)\n", {}, "EventLimitExceeded"),
        ("import os\nos._exit(3)\n", {}, "ProgramDied"),
    ],
)
def test_limits_end_a_program(runner, launcher, source, limits, kind):
    status, events = runner.run(finished(source, launcher, **limits))
    assert (status, events[-2]["type"]) == ("limit", kind)


def test_memory_is_watched_where_the_system_does_not_count_it(runner, launcher, monkeypatch):
    from backscope_server.sandbox import limited

    # As if the engine's own share were used up; the system's limit on address space stays above it.
    monkeypatch.setattr(limited, "_ENGINE_BYTES", -(1 << 28))
    status, events = runner.run(finished("while True: pass\n", launcher))
    assert (status, events[-2]["type"]) == ("limit", "MemoryLimitExceeded")


FORKS = """import os, signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
children = []
for leaves in (False, True):
    child = os.fork()
    if child == 0:
        if leaves:
            os.setsid()
        while True:
            time.sleep(0.01)
    children.append(child)
print(*children)
{then}
"""
TOLD = "signal.sigtimedwait([signal.SIGUSR1], 60)"
"""Waits until the test has seen what was started: sleeping takes no time in a program."""


@pytest.mark.skipif(os.geteuid() != 0, reason="the system keeps this user's programs from starting processes")
@pytest.mark.parametrize("then", ["while True: pass", TOLD, TOLD + "\nos._exit(0)"], ids=["stopped", "ended", "exited"])
def test_what_it_has_started_ends_with_it(runner, launcher, then):
    async def check() -> list[int]:
        session = start(FORKS.format(then=then), launcher)
        pids: list[int] = []
        while not pids:
            assert await session.log.beyond(session.log.last)
            events = [json.loads(line) for line in session.log.lines]
            pids = [int(pid) for e in events if e["kind"] == "output_printed" for pid in e["text"].split()]
        (process,) = launcher._source._processes.values()
        process.family.look()  # As the server does every 100 ms.
        if TOLD not in then:
            session.stop()
        while TOLD in then and session.running:  # A signal from before it waits is lost.
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.process.pid, signal.SIGUSR1)
            await asyncio.sleep(0.01)
        await session.over()
        return pids

    pids = runner.run(check())
    assert len(pids) == 2
    # Whom they are left to may not wait for them: a zombie is gone, too.
    for pid in pids:
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(pid)
            for _ in range(1000):
                if process.status() == psutil.STATUS_ZOMBIE:
                    break
                time.sleep(0.01)
            else:
                process.kill()
                pytest.fail(f"process {pid} went on")


def test_nothing_is_left_of_it_when_the_launcher_closes():
    async def check() -> None:
        launcher = Launcher(limited=True)
        await launcher.start()
        session = start("while True: pass\n", launcher)
        while not launcher._children:
            await asyncio.sleep(0.01)
        (child,) = launcher._children.values()
        await launcher.close()
        await session.over()
        assert session.status == "limit"
        assert not os.path.exists(f"/proc/{child.pid}")

    asyncio.run(check())


def test_limited_processes_are_not_sandboxed(launcher):
    assert not launcher.sandboxed


def test_a_public_launcher_is_refused():
    async def check() -> None:
        with pytest.raises(SandboxError, match="on Linux"):
            await Launcher(limited=True, public=True).start()

    asyncio.run(check())

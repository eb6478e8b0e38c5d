"""Protects the child that is forked ahead: it takes the next order, is replaced, and leaves no trace in a log."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

from backscope_server.sandbox.launcher import Launcher
from backscope_server.sandbox.limits import Limits
from backscope_server.session.program import Program
from backscope_server.session.session import Session

LIMITS = Limits(
    wall_seconds=60, cpu_seconds=30, memory_bytes=1 << 28, output_bytes=1 << 20, events=1000, log_bytes=1 << 20,
    event_bytes=1 << 20,
)  # fmt: skip

SOURCE = """import gc
print(gc.get_count()[0])
import torch
x = torch.randn(300, requires_grad=True)
layer = torch.nn.Linear(300, 2)
try:
    layer(x).sum().backward()
    x.grad.missing
except AttributeError as error:
    print(error, layer.weight.grad.norm(), x.grad_fn, hash("x"))
"""


def children(launcher: Launcher) -> list[int]:
    return [int(pid) for pid in Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()]


async def waiting(launcher: Launcher) -> int:
    """Wait until the spare child is the only child, and return its process id."""
    async with asyncio.timeout(120):
        while len(found := children(launcher)) != 1:
            await asyncio.sleep(0.01)
        return found[0]


async def start(launcher: Launcher, source: str) -> Session:
    session = Session()
    session.start(Program(source=source), LIMITS, launcher)
    await session.log.beyond(-1)
    return session


def test_the_spare_takes_the_next_order_and_is_replaced():
    async def check() -> None:
        launcher = Launcher()
        await launcher.start()
        first = await waiting(launcher)
        session = await start(launcher, "import select\nselect.select([], [], [], 60)\n")
        assert first in children(launcher)
        async with asyncio.timeout(120):
            while len(children(launcher)) != 2:
                await asyncio.sleep(0.01)
        session.stop()
        await session.over()
        assert first not in children(launcher)
        await launcher.close()

    asyncio.run(check())


def test_a_spare_that_died_is_replaced():
    async def check() -> None:
        launcher = Launcher()
        await launcher.start()
        first = await waiting(launcher)
        os.kill(first, signal.SIGKILL)
        async with asyncio.timeout(120):
            while first in children(launcher):
                await asyncio.sleep(0.001)
        session = await start(launcher, "print(1)")
        await session.over()
        assert session.status == "ok"
        assert await waiting(launcher) != first
        await launcher.close()

    asyncio.run(check())


def test_a_log_does_not_say_whether_its_process_was_forked_ahead():
    async def check() -> None:
        launcher = Launcher()
        await launcher.start()
        await waiting(launcher)
        ahead, at_once = await start(launcher, SOURCE), await start(launcher, SOURCE)
        await ahead.over()
        await at_once.over()
        assert ahead.log.lines == at_once.log.lines
        assert ahead.status == "ok"
        await launcher.close()

    asyncio.run(check())

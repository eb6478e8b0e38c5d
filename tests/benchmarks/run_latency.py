"""Measures from Run to the first event: `python tests/benchmarks/run_latency.py [RUNS]`, on a quiet machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

from pipeline_programs import PROGRAMS
from websockets.sync.client import connect

from backscope_server.sandbox.launcher import Launcher
from backscope_server.session.program import Program
from backscope_server.session.session import Session
from backscope_server.settings import Settings

PAUSE = 0.25
"""Seconds between two runs: no reader presses Run more often, and the next process is made meanwhile."""

SETTINGS = {
    "BACKSCOPE_TOKEN": "off",
    "BACKSCOPE_ADDRESS_STARTS": "1000000",
    "BACKSCOPE_ADDRESS_REQUESTS": "1000000",
}
SOURCE = """import torch

x = torch.tensor([2.0], requires_grad=True)
w = torch.tensor([3.0], requires_grad=True)
y = (w * x).relu()
y.backward()
"""


def percentile(values: list[float], share: float) -> float:
    """Return the value below which `share` of the values are."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def row(name: str, seconds: list[float]) -> None:
    """Print a line of the table, in milliseconds."""
    shown = "".join(f"{1000 * percentile(seconds, share):10.1f}" for share in (0.5, 0.95, 1.0))
    print(f"{name:58}{shown}")


async def inside(runs: int) -> None:
    """Measure from the start of a session to events in its log, without any network."""
    settings = Settings()
    launcher = Launcher()
    began = time.perf_counter()
    await launcher.start()
    print(f"zygote ready after {1000 * (time.perf_counter() - began):.0f} ms\n")
    print(f"{'milliseconds, ' + str(runs) + ' runs':58}{'p50':>10}{'p95':>10}{'max':>10}")
    first: list[float] = []
    whole: list[float] = []
    for _ in range(runs):
        await asyncio.sleep(PAUSE)
        session = Session()
        began = time.perf_counter()
        session.start(Program(source=SOURCE), settings.limits(), launcher)
        await session.log.beyond(-1)
        first.append(time.perf_counter() - began)
        await session.over()
        whole.append(time.perf_counter() - began)
    row("fork to first event in the log", first)
    row("fork to the program over and its process reaped", whole)
    await launcher.close()


@contextlib.contextmanager
def served() -> Iterator[tuple[str, int]]:
    """Yield host and port of a server that stores runs in a folder of its own, and the id of its process."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "backscope_server", "serve", "--no-browser", "--port", "0"],
            env={**os.environ, **SETTINGS, "BACKSCOPE_STORAGE": folder},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        found = re.search(r"http://([\d.]+:\d+)", process.stdout.readline())
        assert found is not None
        try:
            yield found[1], process.pid
        finally:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def streaming(address: str) -> Iterator[None]:
    """Have another client run a long program and read its events all the time, one run after the other."""
    over = threading.Event()
    command = json.dumps({"command": "run", "source": PROGRAMS["MLP loop"], "fresh": True})

    def read() -> None:
        while not over.is_set():
            with connect(f"ws://{address}/api/run", compression=None, max_size=None) as page:
                page.send(command)
                while not over.is_set() and not page.recv(decode=False).startswith(b'{"end"'):
                    pass

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def outside(runs: int, beside: str = "") -> None:
    """Measure from the client's side, over a WebSocket on loopback: with an open connection, and with connecting.

    With `beside`, what the table says then, another session streams a long run meanwhile.
    """
    command = json.dumps({"command": "run", "source": SOURCE})
    connecting: list[float] = []
    first: list[float] = []
    node: list[float] = []
    end: list[float] = []
    with served() as (address, _), streaming(address) if beside else contextlib.nullcontext():
        for _ in range(runs):
            time.sleep(PAUSE)
            reached = time.perf_counter()
            with connect(f"ws://{address}/api/run", compression=None) as page:
                began = time.perf_counter()
                page.send(command)
                seen: dict[str, float] = {}
                message: dict[str, Any] = {}
                while "end" not in message:
                    message = json.loads(page.recv())
                    for event in message.get("events", []):
                        seen.setdefault(event["kind"], time.perf_counter() - began)
                end.append(time.perf_counter() - began)
            first.append(seen["program_started"])
            connecting.append(seen["program_started"] + began - reached)
            node.append(seen["op_applied"])
    row(f"Run to first event on an open connection{beside}", first)
    row(f"Run to first op of the graph{beside}", node)
    row(f"Run to the end{beside}", end)
    row(f"connecting, then Run to first event{beside}", connecting)


def main(arguments: list[str]) -> None:
    """Print the table."""
    runs = int(arguments[0]) if arguments else 200
    asyncio.run(inside(runs))
    outside(runs)
    outside(runs, ", beside a long run")


if __name__ == "__main__":
    main(sys.argv[1:])

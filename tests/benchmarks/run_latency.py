"""How long it is from Run to the first event: `python tests/benchmarks/run_latency.py [RUNS]`, on a quiet machine."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time

import uvicorn
from websockets.sync.client import connect

from backscope_server.app import create_app
from backscope_server.sandbox.launcher import Launcher
from backscope_server.serve import configure, listen
from backscope_server.session.program import Program
from backscope_server.session.session import Session
from backscope_server.settings import Settings

PAUSE = 0.25
"""Seconds between two runs: nobody presses Run more often, and the next process is made meanwhile."""

SOURCE = """import torch

x = torch.tensor([2.0], requires_grad=True)
w = torch.tensor([3.0], requires_grad=True)
y = (w * x).relu()
y.backward()
"""


def percentile(values: list[float], share: float) -> float:
    """The value below which `share` of the values are."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def row(name: str, seconds: list[float]) -> None:
    """Print a line of the table, in milliseconds."""
    shown = "".join(f"{1000 * percentile(seconds, share):10.1f}" for share in (0.5, 0.95, 1.0))
    print(f"{name:58}{shown}")


async def inside(runs: int) -> None:
    """From the start of a session to events in its log, without any network."""
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


def outside(runs: int) -> None:
    """The same as the page sees it, over a WebSocket on loopback."""
    settings = Settings(token="off", address_starts=1_000_000, address_requests=1_000_000)
    listener = listen("127.0.0.1", 0)
    server = uvicorn.Server(configure(create_app(settings), settings))
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    url = f"ws://127.0.0.1:{listener.getsockname()[1]}/api/run"
    command = json.dumps({"command": "run", "source": SOURCE})

    first: list[float] = []
    node: list[float] = []
    end: list[float] = []
    for _ in range(runs):
        time.sleep(PAUSE)
        began = time.perf_counter()
        with connect(url, compression=None) as page:
            page.send(command)
            page.recv()
            seen: dict[str, float] = {}
            message = json.loads(page.recv())
            first.append(time.perf_counter() - began)
            while "end" not in message:
                for event in message["events"]:
                    seen.setdefault(event["kind"], time.perf_counter() - began)
                message = json.loads(page.recv())
            node.append(seen.get("op_applied", float("nan")))
            end.append(time.perf_counter() - began)
    row("connect, run, first batch of events", first)
    row("connect, run, first op of the graph", node)
    row("connect, run, everything", end)
    server.should_exit = True
    thread.join(10)
    listener.close()


def main(arguments: list[str]) -> None:
    """Print the table."""
    runs = int(arguments[0]) if arguments else 200
    asyncio.run(inside(runs))
    outside(runs)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Measures the cost of hostile programs for others: `python tests/benchmarks/hostile_sessions.py [RUNS] [local]`.

From Run to the first event of an ordinary program, alone and beside 25 hostile ones that start again when they end;
what a child has for itself alone; what the server has grown by at the end.  With `local`, the server has the limits and
the storage of one's own machine.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "server" / "attacks"))

import armoury
import processes
from arena import Arena

from backscope_server.settings import Settings

HOSTILE = 25
PLAIN: dict[str, Any] = {"max_size": None, "compression": None}
NAMES = [
    "d_catches_everything",
    "d_graph_without_end",
    "d_ignores_the_limit",
    "d_matrix_without_end",
    "d_timer_storm",
    "e_finalizer_stays",
    "m_cycles_uncollected",
    "m_reserved_then_touched",
    "o_diagnostics_filled",
    "o_floods_small",
    "o_gigabyte_printed",
    "o_newlines_printed",
    "o_trickle",
]
ORDINARY = "import torch\n\nx = torch.ones(3, requires_grad=True)\n(x * 2).sum().backward()\nprint(x.grad)\n"
PAUSED = """import torch

model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(5):
    optimizer.zero_grad()
    loss = model(torch.randn(16, 64)).pow(2).mean()
    loss.backward()
    optimizer.step()
"""
WAIT = "import os, select\nprint(os.getpid())\nselect.select([], [], [], 30)\n"


def percentile(values: list[float], share: float) -> float:
    """Return the value below which `share` of the values are."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def row(name: str, seconds: list[float]) -> None:
    """Print a line of the table, in milliseconds."""
    print(
        f"{name:58}" + "".join(f"{1000 * percentile(seconds, share):10.1f}" for share in (0.5, 0.95, 1.0)), flush=True
    )


def first_event(arena: Arena) -> float:
    """Return the seconds from Run to the first event, on an open connection."""
    with connect(f"ws://127.0.0.1:{arena.port}/api/run", **PLAIN) as page:
        began = time.perf_counter()
        page.send(json.dumps({"command": "run", "source": ORDINARY}))
        while not json.loads(page.recv(timeout=60)).get("events"):
            pass
        took = time.perf_counter() - began
        with contextlib.suppress(Exception):
            while "end" not in json.loads(page.recv(timeout=60)):
                pass
    return took


def private(arena: Arena, source: str) -> int:
    """Return the private memory of a child that has run to this point, bytes."""
    first, seen = threading.Event(), list[str]()

    def run() -> None:
        with contextlib.suppress(ConnectionClosed):  # The server is stopped meanwhile.
            arena.run(source, first=first, seen=seen)

    threading.Thread(target=run, daemon=True).start()
    first.wait(30)
    time.sleep(0.2)
    number = int(seen[0].split()[0])
    (child,) = (p.pid for p in processes.below(arena.server.pid) if processes.within(p.pid) == number)
    return processes.private(child)


def waiting(arena: Arena) -> int:
    """Return the private memory of a child that waits for its program, bytes."""
    first_event(arena)
    time.sleep(1)
    return processes.private(max(processes.below(arena.server.pid), key=lambda p: p.started).pid)


def fight(port: str) -> None:
    """Run hostile programs until the process is ended; their output is read and dropped."""

    def one_after_the_other(name: str) -> None:
        while True:
            with contextlib.suppress(ConnectionClosed), connect(f"ws://127.0.0.1:{port}/api/run", **PLAIN) as page:
                page.send(json.dumps({"command": "run", "source": armoury.programs()[name]}))
                while True:
                    page.recv(timeout=60)

    for number in range(HOSTILE):
        threading.Thread(target=one_after_the_other, args=(NAMES[number % len(NAMES)],)).start()


def beside(arena: Arena, runs: int) -> list[float]:
    """Measure the same beside hostile programs, whose pages are in another process."""
    with subprocess.Popen([sys.executable, __file__, "fight", str(arena.port)]) as fighters:
        time.sleep(3)
        found = []
        for _ in range(runs):
            found.append(first_event(arena))
            time.sleep(0.05)
        fighters.kill()
    return found


def settle(arena: Arena) -> None:
    """Wait until every program is over and the server has finished its work on their logs."""
    while len(processes.below(arena.server.pid)) > len(arena.quiet):
        time.sleep(0.5)
    least = arena.memory()
    while True:
        time.sleep(5)
        if (now := arena.memory()) > least - (1 << 18):
            return
        least = now


def main(arguments: list[str]) -> None:
    """Print the table."""
    if arguments[:1] == ["fight"]:
        fight(arguments[1])
        return
    runs = int(arguments[0]) if arguments else 100
    with contextlib.ExitStack() as opened:
        settings: dict[str, Any] = {"cpu_seconds": 4, "wall_seconds": 10}
        if "local" in arguments:
            own = ("memory_bytes", "output_bytes", "events", "log_bytes", "event_bytes", "kept", "kept_bytes")
            settings.update({name: Settings.default(name, public=False) for name in own})
            settings["storage"] = opened.enter_context(tempfile.TemporaryDirectory())
        arena = opened.enter_context(Arena(**settings))
        print(f"{'milliseconds, ' + str(runs) + ' runs':58}{'p50':>10}{'p95':>10}{'max':>10}")
        row("Run to first event, alone", [first_event(arena) for _ in range(runs)])
        row(f"Run to first event, beside {HOSTILE} hostile programs", beside(arena, runs))
        settle(arena)
        print(f"\n{'megabytes':58}")
        print(f"{'the server has grown by':58}{(arena.memory() - arena.memory_before) / 1e6:10.1f}")
        print(f"{'a child that waits for its program':58}{waiting(arena) / 1e6:10.1f}")
        print(f"{'a child that has printed':58}{private(arena, WAIT) / 1e6:10.1f}")
    with Arena() as arena:
        print(f"{'a child in the midst of training':58}{private(arena, PAUSED + WAIT) / 1e6:10.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])

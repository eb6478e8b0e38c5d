"""Measures steps back in time by `backscope dap`: `python tests/benchmarks/dap_steps.py`, on a quiet machine.

A program of some 100,000 events runs to its last line; then an editor goes back from there, and the table has the time
from each request to the stop that follows.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "server/dap"))

from dap_client import Client

ROUNDS = 4000
SOURCE = f"""import torch

w = torch.tensor([2.0, 3.0], requires_grad=True)
for k in range({ROUNDS}):
    loss = (w * 0.5).exp().sum()
    loss.backward()
    w.grad = None
print("end")
"""
TIMES = 200


def main() -> None:
    """Print the table."""
    print(f"{'':34}{'p50 ms':>9}{'p95 ms':>9}{'most ms':>9}")
    with tempfile.TemporaryDirectory() as folder:
        client = Client(Path(folder))
        try:
            path = client.launch(SOURCE)
            source = {"path": str(path)}
            client.ask("setBreakpoints", source=source, breakpoints=[{"line": 8}])
            client.ask("configurationDone")
            client.stop()
            measure(client, "stepBack, a line", "stepBack")
            measure(client, "stepBack, a node", "stepBack", granularity="instruction")
            client.ask("setBreakpoints", source=source, breakpoints=[{"line": 5}])
            measure(client, "reverseContinue, to a line", "reverseContinue")
            client.ask("setBreakpoints", source=source, breakpoints=[])
            begun = time.perf_counter()
            client.go("reverseContinue")
            print(f"reverseContinue, to the beginning: {(time.perf_counter() - begun) * 1000:.0f} ms")
        finally:
            client.end()


def measure(client: Client, what: str, command: str, **arguments: str) -> None:
    """Print the times of a command that is sent again and again."""
    times = []
    for _ in range(TIMES):
        begun = time.perf_counter()
        client.go(command, **arguments)
        times.append((time.perf_counter() - begun) * 1000)
    print(f"{what:34}{statistics.median(times):9.1f}{statistics.quantiles(times, n=20)[18]:9.1f}{max(times):9.1f}")


if __name__ == "__main__":
    main()

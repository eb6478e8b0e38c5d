"""Measures what an event costs from the engine to the page: child, server, page, for several programs.

    python tests/benchmarks/pipeline.py [--only child|server|page|file ...] [--programs NAME ...] [--rounds 5]

Processor time everywhere, the least of some rounds, because other work on the machine moves the clock more; what is
measured by the clock says so.  Needs PyTorch for the ratios to it, and Chromium for the page.  Prints a table for each
part; asserts nothing.

- `child`: the program on PyTorch, on the engine alone, and on the engine with every event recorded and written, in
  processes that are forked from this one and interleaved.
- `server`: the program run by the real server, its events read as a page reads them, but not parsed.
- `page`: the same in the real page.
- `file`: a trace file of the program dropped on the page.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import io
import json
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import psutil  # noqa: E402
from pipeline_programs import PROGRAMS  # noqa: E402
from run_latency import served  # noqa: E402

PARTS = ["child", "server", "page", "file"]


# Child


class Child(NamedTuple):
    """What a program takes in its own process: seconds of processor time, events, and their bytes."""

    torch: float
    alone: float
    recorded: float
    events: int
    nbytes: int


def forked(work: Callable[[], Any]) -> Any:
    """Return what a function returns in a forked process."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(read)
            gc.freeze()  # As in the processes of the sandbox.
            gc.collect()
            with os.fdopen(write, "wb") as pipe:
                pickle.dump(work(), pipe)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        found = pipe.read()
    os.waitpid(pid, 0)
    return pickle.loads(found)


def bare(source: str) -> float:
    """Return the processor time of a program without anything that watches it."""
    code = compile(source, "program.py", "exec")
    with redirect_stdout(io.StringIO()):
        begin = time.process_time()
        exec(code, {"__name__": "__main__"})
        return time.process_time() - begin


def on_engine(source: str) -> float:
    """Return the processor time of a program on the engine, not recorded."""
    from backscope.torch._backend.import_hook import Alias

    with Alias():
        return bare(source)


def recorded(source: str) -> tuple[float, int, int]:
    """Return the processor time of a program in the sandbox's way, and the number of its events and their bytes."""
    from backscope.program.runner import run
    from backscope.protocol.transport import Script

    count = nbytes = 0

    def write(events: bytes) -> None:
        nonlocal count, nbytes
        count += events.count(b"\n")
        nbytes += len(events)

    begin = time.process_time()
    run(source, write, transport=Script([]), alone=True)
    return time.process_time() - begin, count, nbytes


def children(names: list[str], rounds: int) -> Iterator[tuple[str, Child]]:
    """Yield what programs take in their own processes; PyTorch's time is NaN where it is not installed."""
    from backscope.program.runner import run
    from backscope_server.sandbox import preload

    try:
        import torch

        torch.set_num_threads(1)
        bare(PROGRAMS["GPT, 2 layers"])
    except ImportError:
        torch = None
    preload.load("backscope.program.runner")
    preload.warm(run)
    for name in names:
        source = PROGRAMS[name]
        times: list[tuple[float, float, float]] = []
        events = nbytes = 0
        for _ in range(rounds):
            theirs = forked(lambda source=source: bare(source)) if torch else float("nan")
            alone = forked(lambda source=source: on_engine(source))
            ours, events, nbytes = forked(lambda source=source: recorded(source))
            times.append((theirs, alone, ours))
        yield name, Child(*map(min, zip(*times, strict=True)), events, nbytes)


def print_children(rows: Iterable[tuple[str, Child]]) -> dict[str, Child]:
    """Print the table of the children, and return its rows."""
    found = {}
    print(
        f"{'child':<16}{'events':>9}{'B/event':>9}{'us/event':>10}{'s':>8}{'/ engine':>10}{'/ torch':>9}"
        f"{'engine/torch':>14}"
    )
    for name, one in rows:
        found[name] = one
        print(
            f"{name:<16}{one.events:>9,}{one.nbytes / one.events:>9.0f}{1e6 * one.recorded / one.events:>10.2f}"
            f"{one.recorded:>8.2f}{one.recorded / one.alone:>10.2f}{one.recorded / one.torch:>9.2f}"
            f"{one.alone / one.torch:>14.2f}",
            flush=True,
        )
    print()
    return found


# Server


def used(pid: int) -> float:
    """Return the seconds of processor time of a process, those of its children not counted."""
    return time.clock_gettime((~pid << 3) | 2)  # clock_getcpuclockid(3)


def at_rest(pid: int) -> float:
    """Wait until a process works no more, and return the processor time that it has used."""
    before = used(pid)
    while True:
        time.sleep(0.3)
        now = used(pid)
        if now - before < 0.003:
            return now
        before = now


class Served(NamedTuple):
    """What a run takes in the server: processor time, memory and bytes sent; and the seconds that its client waits."""

    events: int
    seconds: float
    memory: int
    nbytes: int
    first: float
    last: float


def serve(source: str) -> Served:
    """Run a program on a new server."""
    from websockets.sync.client import connect

    with served() as (address, pid):
        process = psutil.Process(pid)
        small = json.dumps({"command": "run", "source": PROGRAMS["chain 1k"]})
        for _ in range(2):
            _read(connect(f"ws://{address}/api/run", compression=None, max_size=None), small)
        began, memory = at_rest(pid), process.memory_full_info().uss
        command = json.dumps({"command": "run", "source": source})
        events, nbytes, first, last = _read(
            connect(f"ws://{address}/api/run", compression=None, max_size=None), command
        )
        seconds = at_rest(pid) - began
        return Served(events, seconds, process.memory_full_info().uss - memory, nbytes, first, last)


def _read(connection: Any, command: str) -> tuple[int, int, float, float]:
    """Run a program; return the number of its events, their bytes, and when the first and the last of them came."""
    with connection as page:
        began = time.perf_counter()
        page.send(command)
        nbytes, first, last = 0, 0.0, 0.0
        while True:
            message = page.recv(decode=False)
            if message.startswith(b'{"events"'):
                last = time.perf_counter() - began
                first = first or last
                nbytes += len(message)
            elif message.startswith(b'{"end"'):
                return json.loads(message)["last"] + 1, nbytes, first, last
            elif b"error" in message[:20]:
                raise RuntimeError(message[:300])


def servers(names: list[str], rounds: int) -> Iterator[tuple[str, Served]]:
    """Yield what programs take in the server."""
    for name in names:
        runs = [serve(PROGRAMS[name]) for _ in range(rounds)]
        best = min(runs, key=lambda run: run.seconds)
        yield name, best._replace(first=min(r.first for r in runs), last=min(r.last for r in runs))


def print_servers(rows: Iterable[tuple[str, Served]], torch: dict[str, Child]) -> dict[str, int]:
    """Print the table of the server, with ratios where the children were measured too; return the numbers of events."""
    counts = {}
    print(
        f"{'server':<16}{'events':>9}{'B/event':>9}{'us/event':>10}{'memory B':>10}{'first ms':>10}{'last s':>8}"
        f"{'/ engine':>10}{'/ torch':>9}"
    )
    for name, one in rows:
        counts[name] = one.events
        row = (
            f"{name:<16}{one.events:>9,}{one.nbytes / one.events:>9.0f}{1e6 * one.seconds / one.events:>10.2f}"
            f"{one.memory / one.events:>10.0f}{1e3 * one.first:>10.1f}{one.last:>8.2f}"
        )
        print(row + _ratios(one.seconds, torch.get(name)), flush=True)
    print("first, last: from Run to the first and the last event, by the clock\n")
    return counts


def _ratios(seconds: float, child: Child | None) -> str:
    """Return the columns with the ratios to the engine alone and to PyTorch."""
    if child is None:
        return f"{'-':>10}{'-':>9}"
    return f"{seconds / child.alone:>10.2f}{seconds / child.torch:>9.2f}"


# Page


def traced(source: str) -> bytes:
    """Return the trace file of a program."""
    from backscope.program.runner import run
    from backscope.protocol import trace
    from backscope.protocol.transport import Script

    lines = io.BytesIO()
    with gzip.open(lines, "wb") as file:
        file.write(trace.header() + b"\n")
        run(source, file.write, transport=Script([]), alone=True)
    return lines.getvalue()


def pages(names: list[str], rounds: int, part: str) -> Iterator[tuple[str, Any]]:
    """Yield what programs take in the page, run from it or, where the part is `file`, read from a trace file."""
    from pipeline_page import browser

    sys.path.insert(0, str(Path(__file__).parents[1]))
    from chromium import find

    chromium = os.environ.get("BACKSCOPE_CHROMIUM") or find(Path(sys.executable), os.environ)
    for name in names:
        runs = []
        trace = forked(lambda name=name: traced(PROGRAMS[name])) if part == "file" else b""
        for _ in range(rounds):
            with served() as (address, _), browser(str(chromium)) as page:
                url = f"http://{address}"
                runs.append(page.open(url, trace) if trace else page.show(url, PROGRAMS[name]))
        yield name, min(runs, key=lambda run: run.seconds)


def print_pages(rows: Iterable[tuple[str, Any]], part: str, counts: dict[str, int], torch: dict[str, Child]) -> None:
    """Print the table of the page."""
    print(
        f"{part:<16}{'events':>9}{'us/event':>10}{'memory B':>10}{'node ms':>9}{'arrived s':>11}{'last s':>8}"
        f"{'longest ms':>12}{'long':>6}{'/ engine':>10}{'/ torch':>9}"
    )
    for name, one in rows:
        events = counts[name]
        row = (
            f"{name:<16}{events:>9,}{1e6 * one.seconds / events:>10.2f}{one.memory / events:>10.0f}"
            f"{1e3 * one.node:>9.0f}{one.arrived:>11.2f}{one.last:>8.2f}"
            f"{one.longest:>12.0f}{one.long:>6}"
        )
        print(row + _ratios(one.seconds, torch.get(name)), flush=True)
    print(
        "node, arrived, last: from Run, or the drop of the file, to the first node, the last message, the last step\n"
        "longest, long: processor time of the longest task of the page's thread, and how many took longer than 50 ms"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="parts; all of them without it")
    parser.add_argument("--programs", nargs="+", default=[""], help="programs whose names contain one of these")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each in the child; elsewhere a third")
    options = parser.parse_args()
    names = [name for name in PROGRAMS if any(part in name for part in options.programs)]
    few = max(1, options.rounds // 3)
    torch: dict[str, Child] = {}
    counts: dict[str, int] = {}
    if "child" in options.only:
        torch = print_children(children(names, options.rounds))
        counts = {name: one.events for name, one in torch.items()}
    if "server" in options.only:
        counts = print_servers(servers(names, few), torch)
    for part in ("page", "file"):
        if part in options.only:
            counts = counts or {name: recorded_count(name) for name in names}
            print_pages(pages(names, few, part), part, counts, torch)


def recorded_count(name: str) -> int:
    """Return the number of events of a program."""
    count: int = forked(lambda: recorded(PROGRAMS[name]))[1]
    return count


if __name__ == "__main__":
    main()

"""Measures the engine against one-thread PyTorch and other engines, forward + backward, as ratios of interleaved runs.

    python tests/benchmarks/engine_speed.py [--rounds 15] [--only NAME] [--cpu]

Needs PyTorch 2.13.0 in the environment; the peers (pip install autograd mygrad micrograd) appear where they are
installed.  Prints tables; asserts nothing.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import sys
import time
import timeit
from collections.abc import Callable

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import deep_chain  # noqa: E402
import peers  # noqa: E402

try:
    import torch as real
except ImportError:
    sys.exit("PyTorch 2.13.0 is what this compares with, and it is not here: pip install torch==2.13.0")

import workloads  # noqa: E402
from workloads import WORKLOADS, Step, scalar_chain  # noqa: E402

from backscope import keep_memory, torch as ours  # noqa: E402
from backscope.recorder.journal import Journal  # noqa: E402
from backscope.recorder.recorder import Recorder  # noqa: E402
from backscope.runtime.listening import hub  # noqa: E402

real.set_num_threads(1)
keep_memory()  # As in the processes that run programs; PyTorch's memory comes from the same malloc.
clock: Callable[[], float] = time.perf_counter
BATCH = Journal.BATCH


def recorded(step: Step) -> Step:
    """Run a step with the recorder; its moments are kept as they are, not written as JSON."""
    recorder = Recorder(lambda batch: None, vars(workloads))

    def inside() -> None:
        hub.listener = recorder
        Journal.BATCH = 10**9
        try:
            step()
        finally:
            hub.listener = None
            Journal.BATCH = BATCH
        recorder.forget()

    return inside


def written(step: Step) -> Step:
    """Run a step with the recorder and encode every event."""
    recorder = Recorder(lambda batch: None, vars(workloads))

    def inside() -> None:
        hub.listener = recorder
        try:
            step()
        finally:
            hub.listener = None
        recorder.drain()

    return inside


def timed(step: Step, repeat: int) -> float:
    """Return the seconds of one step."""
    begin = clock()
    for _ in range(repeat):
        step()
    return (clock() - begin) / repeat


def ratios(base: Step, others: list[Step], rounds: int, repeat: int) -> tuple[float, list[float]]:
    """Return the median seconds of `base` and the median in-round ratio of each other to it."""
    for f in (base, *others):
        timed(f, repeat)
    base_times: list[float] = []
    found: list[list[float]] = [[] for _ in others]
    for _ in range(rounds):
        gc.collect()
        first = timed(base, repeat)
        times = [timed(f, repeat) for f in others]
        second = timed(base, repeat)
        mean = (first + second) / 2
        base_times.append(mean)
        for kept, t in zip(found, times, strict=True):
            kept.append(t / mean)
    return statistics.median(base_times), [statistics.median(f) for f in found]


def listener_check() -> str:
    """Return the cost of the check for a listener, compared with the scalar op that makes it once."""
    step = scalar_chain(ours)
    step()
    op = min(timed(step, 3) for _ in range(5)) / 1000
    loop = min(timeit.repeat("pass", number=1_000_000, repeat=5)) / 1e6
    check = min(timeit.repeat("hub.listener is None", globals={"hub": hub}, number=1_000_000, repeat=5)) / 1e6 - loop
    return f"checking for a listener: {check * 1e9:.0f} ns of {op * 1e9:.0f} ns a scalar op = {check / op:.1%}"


def main() -> None:
    """Print the tables."""
    global clock
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    parser.add_argument("--cpu", action="store_true", help="count the process's CPU time, on a machine that is busy")
    options = parser.parse_args()
    if options.cpu:
        clock = time.process_time
    sys.setrecursionlimit(20_000)  # micrograd's backward() recurses.
    others = peers.installed()
    print(f"python {sys.version.split()[0]}, torch {real.__version__}, one thread, medians of {options.rounds} rounds")
    print("ratio, aim and peers against PyTorch; recorded and written against the engine alone")
    head = f"{'workload':<28}{'torch us':>9}{'ratio':>7}{'aim':>6}{'recorded':>10}{'written':>9}{'us/step':>9}"
    print(head + "".join(f"{name:>11}" for name in others))
    for name, (make, repeat, aim) in WORKLOADS.items():
        if options.only not in name:
            continue
        known = [(peer, steps[name]) for peer, steps in others.items() if name in steps]
        torch_time, found = ratios(make(real), [make(ours), *(step for _, step in known)], options.rounds, repeat)
        peer_ratios = {peer: ratio for (peer, _), ratio in zip(known, found[1:], strict=True)}
        alone, (kept, json) = ratios(make(ours), [recorded(make(ours)), written(make(ours))], options.rounds, repeat)
        print(
            f"{name:<28}{torch_time * 1e6:>9.0f}{found[0]:>7.2f}{aim or '':>6}{kept:>10.2f}{json:>9.2f}"
            f"{(kept - 1) * alone * 1e6:>9.0f}"
            + "".join(f"{peer_ratios[peer]:>11.2f}" if peer in peer_ratios else f"{'-':>11}" for peer in others),
            flush=True,
        )
    print("us/step: what recording adds to one step, in microseconds\n")
    if not options.only:
        print(listener_check() + "\n")
        print(deep_chain.times() + "\n")
        print(deep_chain.memory())


if __name__ == "__main__":
    main()

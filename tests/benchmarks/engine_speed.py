"""Engine speed against one-thread PyTorch, forward + backward, as ratios of interleaved runs.

    python tests/benchmarks/engine_speed.py [--rounds 15]

Needs PyTorch 2.13.0 in the environment.  Prints a table; asserts nothing.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import torch as real  # noqa: E402

from backscope import torch as ours  # noqa: E402
from backscope.listening import hub  # noqa: E402
from backscope.recorder import Recorder  # noqa: E402

real.set_num_threads(1)


def scalar_chain(torch: Any) -> Callable[[], None]:
    """1,000 ops on scalars: products, sums and tanh of two leaves."""
    x = torch.tensor(0.5, requires_grad=True)
    w = torch.tensor(1.01, requires_grad=True)

    def step() -> None:
        y = x
        for _ in range(200):
            y = y * w
            y = y + x
            y = y.tanh()
            y = y * 0.9
            y = y - 0.1
        y.backward()
        x.grad = w.grad = None

    return step


def vector_chain(torch: Any) -> Callable[[], None]:
    """The same 1,000 ops on vectors of 8."""
    x = torch.full((8,), 0.5, requires_grad=True)
    w = torch.full((8,), 1.01, requires_grad=True)

    def step() -> None:
        y = x
        for _ in range(200):
            y = y * w
            y = y + x
            y = y.tanh()
            y = y * 0.9
            y = y - 0.1
        y.sum().backward()
        x.grad = w.grad = None

    return step


def mlp(torch: Any) -> Callable[[], None]:
    """MLP 784-256-128-10 of plain tensors, batch 64, cross entropy, SGD."""
    torch.manual_seed(0)
    x, target = torch.randn(64, 784), torch.randint(0, 10, (64,))
    sizes = [784, 256, 128, 10]
    weights = [(torch.randn(a, b) * 0.05).requires_grad_() for a, b in pairwise(sizes)]
    biases = [torch.zeros(b, requires_grad=True) for b in sizes[1:]]
    optimizer = torch.optim.SGD([*weights, *biases], lr=0.01)

    def step() -> None:
        h = x
        for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
            h = h @ w + b
            if i < 2:
                h = torch.relu(h)
        loss = torch.nn.functional.cross_entropy(h, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def recorded(step: Callable[[], None]) -> Callable[[], None]:
    """A step with the recorder listening; its moments are kept as they are, not written as JSON."""
    recorder = Recorder(lambda batch: None, globals())
    recorder.BATCH = 10**9

    def inside() -> None:
        hub.listener = recorder
        try:
            step()
        finally:
            hub.listener = None
        recorder.moments.clear()

    return inside


def written(step: Callable[[], None]) -> Callable[[], None]:
    """A step with the recorder listening and every event encoded."""
    recorder = Recorder(lambda batch: None, globals())

    def inside() -> None:
        hub.listener = recorder
        try:
            step()
        finally:
            hub.listener = None
        recorder.drain()

    return inside


def timed(step: Callable[[], None], repeat: int) -> float:
    """Seconds for one step."""
    begin = time.perf_counter()
    for _ in range(repeat):
        step()
    return (time.perf_counter() - begin) / repeat


def ratios(
    base: Callable[[], None], others: list[Callable[[], None]], rounds: int, repeat: int
) -> tuple[float, list[float]]:
    """Median seconds of `base` and the median in-round ratio of each other to it."""
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


def deep_chain() -> str:
    """Forward and backward of chains of up to 1,000,000 ops: linear in time, without recursion."""
    rows = []
    for n in (10_000, 100_000, 1_000_000):
        x = ours.tensor(1.0, requires_grad=True)
        begin = time.perf_counter()
        y = x
        for _ in range(n):
            y = y * 1.0000001
        middle = time.perf_counter()
        y.backward()
        end = time.perf_counter()
        del y
        rows.append(
            f"{n:>10,}  {(middle - begin) / n * 1e6:>8.2f}  {(end - middle) / n * 1e6:>8.2f}  "
            f"{(time.perf_counter() - end) / n * 1e6:>8.2f}"
        )
    return "       ops   forward  backward   release   (us an op)\n" + "\n".join(rows)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    print(f"python {sys.version.split()[0]}, torch {real.__version__}, one thread, medians of {options.rounds} rounds")
    print(
        f"{'workload':<28}{'torch us':>10}{'ratio':>8}{'recorded':>10}{'written':>9}   (recorded and written against "
        "the engine alone)"
    )
    for make, repeat in ((scalar_chain, 3), (vector_chain, 3), (mlp, 10)):
        ours_step = make(ours)
        torch_time, (ratio,) = ratios(make(real), [ours_step], options.rounds, repeat)
        _, (kept, json) = ratios(make(ours), [recorded(make(ours)), written(make(ours))], options.rounds, repeat)
        print(f"{make.__name__:<28}{torch_time * 1e6:>10.0f}{ratio:>8.2f}{kept:>10.2f}{json:>9.2f}")
    print(deep_chain())


if __name__ == "__main__":
    main()

"""Measures deep chains: time of up to 1,000,000 ops; memory of 200 ops on arrays of 4 MB, in and after backward()."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
import time
from typing import Any

import backscope

MEGABYTE = 1 << 20


def times() -> str:
    """Measure forward, backward and release of chains that grow tenfold: linear, without recursion."""
    backscope.keep_memory()
    torch = backscope.torch
    rows = ["       ops   forward  backward   release   (us an op)"]
    for n in (10_000, 100_000, 1_000_000):
        x = torch.tensor(1.0, requires_grad=True)
        begin = time.perf_counter()
        y = x
        for _ in range(n):
            y = y * 1.0000001
        middle = time.perf_counter()
        y.backward()
        end = time.perf_counter()
        del y
        released = time.perf_counter()
        spans = ((middle - begin) / n, (end - middle) / n, (released - end) / n)
        rows.append(f"{n:>10,}" + "".join(f"{span * 1e6:>10.2f}" for span in spans))
    return "\n".join(rows)


def _resident() -> int:
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def _measure(name: str) -> None:
    """Print the resident megabytes that a chain takes: peak, quarters of backward, after it."""
    torch: Any = importlib.import_module(name)
    if name == "torch":
        torch.set_num_threads(1)
    x = torch.ones(1_000_000, requires_grad=True)
    (x * 2.0).tanh().sum().backward()
    x.grad = None
    start = _resident()
    y = x
    for _ in range(100):
        y = (y * 1.01).tanh()
    loss = y.sum()
    del y
    samples: list[int] = [_resident()]
    done = threading.Event()

    def sample() -> None:
        while not done.wait(0.002):
            samples.append(_resident())

    watch = threading.Thread(target=sample)
    watch.start()
    loss.backward()
    done.set()
    watch.join()
    after = _resident()
    quarters = [samples[len(samples) * i // 4] for i in (1, 2, 3)]
    print(*(round((m - start) / MEGABYTE) for m in (max(*samples, after), *quarters, after)))


def memory() -> str:
    """Measure the memory of a chain of 200 ops on 4 MB arrays, in PyTorch and here, each in a process of its own."""
    rows = [
        "              peak      1/4      1/2      3/4    after   (MB; quarters of backward's time, loss still held)"
    ]
    for name in ("torch", "backscope.torch"):
        command = [sys.executable, __file__, name]
        # Large blocks by mmap, so that what is resident is what is allocated and not what malloc keeps back.
        environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"}
        out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
        label = "PyTorch" if name == "torch" else "Backscope"
        rows.append(f"{label:<10}" + "".join(f"{n:>9}" for n in out.split()))
    return "\n".join(rows)


if __name__ == "__main__":
    _measure(sys.argv[1])

"""Measures the gain of writing one-line formulas into the code of a node, compared with calling them.

    python tests/benchmarks/inlined_formulas.py [ROUNDS]

Two processes, with and without, take turns; times are CPU time of a forward and a backward pass, least of each round.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from typing import Any

import workloads
from workloads import Step

import backscope
from backscope.ops.core import inline

REPEATS = 9


def hand_written_lstm(torch: Any) -> Step:
    """Run an LSTM cell of plain ops, 32 wide, over 20 positions, batch 8."""
    torch.manual_seed(0)
    w = (torch.randn(64, 128) * 0.1).requires_grad_()
    b = torch.zeros(128, requires_grad=True)
    xs = torch.randn(20, 8, 32)

    def step() -> Any:
        w.grad = b.grad = None
        h, c = torch.zeros(8, 32), torch.zeros(8, 32)
        for x in xs:
            i, f, g, o = (torch.cat([x, h], 1) @ w + b).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        loss = (h * h).sum()
        loss.backward()
        return loss

    return step


STEPS = {
    "1,000 ops on scalars": workloads.scalar_chain,
    "network of scalars": workloads.scalar_mlp,
    "network 784-256-128-10": workloads.mlp,
    "transformer block": workloads.transformer_block,
    "LSTM by hand": hand_written_lstm,
}


def serve() -> None:
    """Measure the workload of the number on each line of input, and print its seconds."""
    backscope.keep_memory()
    steps = [make(backscope.torch) for make in STEPS.values()]
    for step in steps:
        for _ in range(5):
            step()
    for line in sys.stdin:
        step, spans = steps[int(line)], []
        for _ in range(REPEATS):
            begin = time.process_time()
            for _ in range(5):
                step()
            spans.append(time.process_time() - begin)
        print(min(spans) / 5, flush=True)


def main() -> None:
    """Print a row for each workload."""
    if sys.argv[1:] == ["with"]:
        return serve()
    if sys.argv[1:] == ["without"]:
        inline.expression = lambda *_, **__: None  # type: ignore[assignment]
        return serve()
    rounds = int(sys.argv[1]) if sys.argv[1:] else 7
    command = [sys.executable, __file__]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    ran = [
        subprocess.Popen([*command, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        for how in ("with", "without")
    ]
    print(f"{'':26}{'with, ms':>10}{'without':>10}{'ratio':>8}   of each round")
    for number, name in enumerate(STEPS):
        pairs = []
        for turn in range(rounds):
            found = {}
            for process in ran if turn % 2 else ran[::-1]:
                assert process.stdin is not None and process.stdout is not None
                process.stdin.write(f"{number}\n")
                process.stdin.flush()
                found[process] = float(process.stdout.readline())
            pairs.append((found[ran[0]], found[ran[1]]))
        ratios = sorted(b / a for a, b in pairs)
        inlined, called = (min(times) * 1e3 for times in zip(*pairs, strict=True))
        middle = statistics.median(ratios)
        print(f"{name:26}{inlined:>10.3f}{called:>10.3f}{middle:>8.3f}   {' '.join(f'{r:.3f}' for r in ratios)}")
    for process in ran:
        process.kill()
    return None


if __name__ == "__main__":
    main()

"""Runs random programs on Backscope and on PyTorch, and shows each kind of difference by a small program.

python tests/conformance/fuzz.py --seed 7 --programs 2000 [--seconds N] [--show SEED]
"""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

os.environ["TORCHDYNAMO_DISABLE"] = "1"
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "engine")]


MEMORY = 12 << 30
"""The address space of the process in bytes: PyTorch's vmap can lose the sizes of what a program expands."""


def part(name: str) -> Any:
    """Import a module of the package beside this file."""
    return importlib.import_module(f"fuzzing.{name}")


def comparison() -> Any:
    """Return a function that runs a program on both and returns the first unknown difference."""
    run, difference, known = part("observation").run, part("comparison").difference, part("known_differences").known
    ours, theirs = importlib.import_module("backscope.torch"), importlib.import_module("torch")

    def compare(made: Any) -> Any:
        found = difference(run(made, ours), run(made, theirs))
        return None if found is None or known(found, made) else found

    return compare


def main() -> int:
    """Run the programs; return the exit status, 1 if there are differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the others follow it")
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further program after so many")
    parser.add_argument("--show", type=int, metavar="SEED", help="print the program of a seed and run nothing")
    options = parser.parse_args()
    program, shrunk = part("generator").program, part("shrinking").shrunk
    if options.show is not None:
        print(program(options.show).text())
        return 0
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    compare = comparison()
    began, kinds, tried = time.monotonic(), {}, 0
    for seed in range(options.seed, options.seed + options.programs):
        if time.monotonic() - began > options.seconds:
            break
        tried += 1
        made = program(seed)
        found = compare(made)
        if found is None:
            continue
        if found.kind in kinds:
            kinds[found.kind] += 1
            continue
        kinds[found.kind] = 1
        small, found = shrunk(made, found, compare)
        print(f"# seed {seed}\n{small.text()}\n{found}\n", flush=True)
    print(f"{tried} programs, {sum(kinds.values())} differ in {len(kinds)} ways, {time.monotonic() - began:.0f} s")
    for kind, count in sorted(kinds.items(), key=lambda k: -k[1]):
        print(f"{count:5} {kind}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())

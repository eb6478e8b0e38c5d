"""Compares the events of programs on the engine and on PyTorch, by hand.

python tests/conformance/events/compare.py [NAME...] [--most N]

Each NAME is a part of a program's name, such as "lstm", or a file; without one all programs are compared.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from pathlib import Path

os.environ["TORCHDYNAMO_DISABLE"] = "1"
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), *(str(HERE.parents[2] / room) for room in ("engine", "server"))]

from oracle.canonical import canonical  # noqa: E402
from oracle.comparing import differences  # noqa: E402
from oracle.programs import programs  # noqa: E402
from oracle.recordings import on_engine, on_pytorch  # noqa: E402


def main() -> None:
    """Print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--without", nargs="*", default=[], help="parts of names that are left out")
    parser.add_argument("--most", type=int, default=3, help="the most examples of a fact that are shown")
    options = parser.parse_args()
    files = {name: Path(name).read_text("utf-8") for name in options.names if Path(name).is_file()}
    parts = [name for name in options.names if name not in files]
    chosen = {n: s for n, s in programs().items() if not options.names or any(part in n for part in parts)}
    chosen = {n: s for n, s in chosen.items() if not any(part in n for part in options.without)}
    total: Counter[str] = Counter()
    alike = 0
    for name, source in {**chosen, **files}.items():
        began = time.process_time()
        ours = canonical(on_engine(source))
        middle = time.process_time()
        theirs = canonical(on_pytorch(source))
        recorded = time.process_time()
        found = differences(ours, theirs)
        ended = time.process_time()
        alike += not found
        counts = Counter(d.fact for d in found)
        seconds = f"{middle - began:.1f} + {recorded - middle:.1f} + {ended - recorded:.1f} s"
        print(f"== {name}: {len(ours)} and {len(theirs)} events, {seconds}", flush=True)
        for fact, count in counts.items():
            total[fact] += 1
            print(f"  {fact}: {count}")
            for d in [d for d in found if d.fact == fact][: options.most]:
                print(f"      {d.text}")
    print(f"{alike} of {len(chosen) + len(files)} programs are alike")
    for fact, count in total.most_common():
        print(f"  {count:4} {fact}")


if __name__ == "__main__":
    main()

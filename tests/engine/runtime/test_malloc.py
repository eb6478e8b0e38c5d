"""Protects that memory which a program frees stays mapped: what comes back from the kernel is cold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import backscope

_FAULTS = """
import resource, sys
import numpy as np
from backscope.runtime.malloc import keep_memory

if sys.argv[1] == "keep":
    keep_memory()

def step():
    blocks = [np.ones(1 << 18, np.float32) for _ in range(8)]

for _ in range(3):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def _faults(how: str) -> int:
    environment = {"PYTHONPATH": str(Path(backscope.__path__[0]).parent)}
    command = [sys.executable, "-c", _FAULTS, how]
    return int(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)


def test_freed_memory_is_used_again():
    assert _faults("keep") < 200 < _faults("leave")

"""Fixtures of the sandbox's tests: a process for one layer, an interpreter of filters, zygotes without some layers."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from backscope_server.sandbox.layers import bpf
from backscope_server.sandbox.layers.bpf import Instruction
from backscope_server.sandbox.layers.layer import Layer


@pytest.fixture(scope="session")
def alone() -> Callable[[str], str]:
    """Run code in a process of its own, which may lock itself down, and return what it printed."""

    def run(code: str) -> str:
        finished = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert finished.stderr == "", finished.stderr
        return f"{finished.stdout}[{finished.returncode}]" if finished.returncode else finished.stdout

    return run


def verdict(code: Sequence[Instruction], audit: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """Return the verdict of a filter on a system call: classic BPF, interpreted as the kernel does."""
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number, audit, 0, *(value & (1 << 64) - 1 for value in padded))
    accumulator = at = 0
    while True:
        step = code[at]
        at += 1
        if step.code == bpf.RETURN:
            return step.value
        if step.code == bpf.LOAD:
            assert step.value % 4 == 0 and step.value + 4 <= len(data)
            (accumulator,) = struct.unpack_from("<I", data, step.value)
        elif step.code == bpf.AND:
            accumulator &= step.value
        else:
            holds = {
                bpf.EQUAL: accumulator == step.value,
                bpf.AT_LEAST: accumulator >= step.value,
                bpf.ANY_BIT: bool(accumulator & step.value),
            }[step.code]
            at += step.when if holds else step.otherwise


@pytest.fixture(scope="session", name="verdict")
def verdict_of_filter() -> Callable[..., int]:
    return verdict


SELF_TEST = """
import os, socket, sys
import msgspec
from backscope_server.sandbox.layers import descriptors, namespaces, rlimits
from backscope_server.sandbox.selftest import SelfTest
from backscope_server.sandbox.layers.walls import Walls

without, thorough = {without!r}, {thorough!r}
server, ours = socket.socketpair()
refusal = "left out" if "namespaces" in without else namespaces.why_not()
if refusal is None:
    namespaces.begin(server.fileno())
walls = Walls.of_this_system(refusal, without)
descriptors.open_null()
walls.mapped = rlimits.mapped_bytes()
test = SelfTest(walls, thorough=thorough)
test.test_each()
test.test_together()
print(msgspec.json.encode(test.layers).decode())
"""


@pytest.fixture(scope="session")
def layers_without(alone: Callable[[str], str]) -> Callable[..., dict[str, Layer]]:
    """Return the results of the self-test by name, with some layers left out, in a process with nothing loaded."""
    known: dict[Any, dict[str, Layer]] = {}

    def table(*without: str, thorough: bool = False) -> dict[str, Layer]:
        key = (without, thorough)
        if key not in known:
            said = alone(SELF_TEST.format(without=without, thorough=thorough))
            known[key] = {layer.name: layer for layer in msgspec.json.decode(said, type=list[Layer])}
        return known[key]

    return table

"""Protects the tables of system calls: a wrong number would allow or refuse another call."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from backscope_server.sandbox.layers import syscalls
from backscope_server.sandbox.layers.syscalls import AARCH64, X86_64

ASKED = [
    (X86_64, "x86_64-linux-gnu/asm/unistd_64.h", ()),
    (AARCH64, "asm-generic/unistd.h", ("-D__BITS_PER_LONG=64", "-D__ARCH_WANT_MEMFD_SECRET", "-D__ARCH_WANT_RENAMEAT")),
]


@pytest.mark.parametrize("table", [X86_64, AARCH64], ids=["x86-64", "aarch64"])
def test_no_number_is_there_twice(table):
    assert len(set(table.calls.values())) == len(table.calls)


@pytest.mark.parametrize(("table", "header", "options"), ASKED, ids=["x86-64", "aarch64"])
def test_the_numbers_are_the_kernels(table, header, options):
    path = Path("/usr/include") / header
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not path.exists():
        pytest.skip("the kernel's headers or a C preprocessor are missing")
    defined = subprocess.run([compiler, "-E", "-dM", *options, path], capture_output=True, text=True, check=True).stdout
    names = dict(re.findall(r"#define __NR_(\w+) (\S+)", defined))
    wide = dict(re.findall(r"#define __NR3264_(\w+) (\d+)", defined))
    found = {name: int(wide.get(name, value) if value.startswith("__") else value) for name, value in names.items()}
    # Headers older than a call do not have it.
    assert {name: found[name] for name in table.calls if name in found} == {
        name: number for name, number in table.calls.items() if name in found
    }
    assert len(set(table.calls) & set(found)) > 100


def test_a_32_bit_process_has_no_table(monkeypatch):
    monkeypatch.setattr(syscalls.sys, "maxsize", 2**31 - 1)
    assert syscalls.here() is None


def test_an_unknown_processor_has_no_table(monkeypatch):
    monkeypatch.setattr(syscalls.platform, "machine", lambda: "riscv64")
    assert syscalls.here() is None

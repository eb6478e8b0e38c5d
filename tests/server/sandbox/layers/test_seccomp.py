"""Protects the allow-list of system calls: by interpreting the filter of both architectures, and by this kernel."""

from __future__ import annotations

import errno
import struct

import pytest

from backscope_server.sandbox.layers import bpf, seccomp
from backscope_server.sandbox.layers.bpf import ALLOW, KILL
from backscope_server.sandbox.layers.syscalls import AARCH64, X86_64

REFUSED = bpf.errno(errno.EPERM)
OWN = 4711

architectures = pytest.mark.parametrize("architecture", [X86_64, AARCH64], ids=["x86-64", "aarch64"])


@pytest.fixture(scope="module")
def said(verdict):
    """Return the verdict of the filter of the process OWN on a call by its name."""
    filters = {}
    for table in (X86_64, AARCH64):
        filters[table.name] = [
            bpf.Instruction(*step) for step in struct.iter_unpack("=HBBI", bpf.encode(seccomp.program(table), OWN))
        ]

    def ask(architecture, name, *arguments):
        return verdict(filters[architecture.name], architecture.audit, architecture.calls[name], arguments)

    return ask


CASES = [
    # Call, arguments that are allowed, arguments that are not.
    ("read", [(3,)], [(0,), (1,), (2,), (4,), (5,), (-1,)]),
    ("write", [(4,), (2,)], [(0,), (1,), (3,), (5,)]),
    ("mmap", [(0, 4096, 3, 0x22), (0, 4096, 0, 0x22), (0, 4096, 1, 0x4022)], [
        (0, 4096, 7, 0x22), (0, 4096, 4, 0x22), (0, 4096, 5, 0x22),  # Executable.
        (0, 4096, 3, 0x21), (0, 4096, 3, 0x23),  # Shared.
        (0, 4096, 3, 0x02), (0, 4096, 1, 0x02),  # Of a file.
        (0, 4096, 3, 0x32), (0, 4096, 3, 0x40022), (0, 4096, 3, 0x2022), (0, 4096, 3, 0x122),
        (0, 4096, 3 | 1 << 40, 0x22), (0, 4096, 3, 0x22 | 1 << 40),
    ]),
    ("mprotect", [(0, 4096, 3), (0, 4096, 0)], [(0, 4096, 7), (0, 4096, 4), (0, 4096, 5), (0, 4096, 1 << 24)]),
    ("mremap", [(0, 1, 2, 0), (0, 1, 2, 1)], [(0, 1, 2, 3), (0, 1, 2, 5)]),
    ("futex", [(0, 0), (0, 1), (0, 128), (0, 129), (0, 137), (0, 265), (0, 393)], [
        (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7), (0, 8), (0, 11), (0, 12), (0, 13), (0, 134), (0, 512),
    ]),
    ("madvise", [(0, 0, 4), (0, 0, 8), (0, 0, 14)], [(0, 0, 9), (0, 0, 12), (0, 0, 100), (0, 0, 22)]),
    *((name, [(0,), (1,), (3,), (11,), (-6,), (-2,), (~OWN << 3 | 6,)], [
        (~(OWN + 1) << 3 | 2,), (~OWN + 1 << 3 | 6,), (~1 << 3 | 2,), (-5,), (-3,), (8,), (12,), (0x7FFFFFFE,),
    ]) for name in ("clock_gettime", "clock_getres", "clock_nanosleep")),
    ("sched_getaffinity", [(0, 8), (OWN, 8)], [(1, 8), (OWN + 1, 8), (-1, 8)]),
    ("kill", [(OWN, 9)], [(1, 9), (0, 9), (-1, 9), (OWN + 1, 9), (-OWN, 9)]),
    ("tkill", [(OWN, 6)], [(1, 6)]),
    ("tgkill", [(OWN, OWN, 6)], [(1, 1, 6), (1, OWN, 6)]),
]  # fmt: skip


@architectures
@pytest.mark.parametrize(("name", "allowed", "refused"), CASES, ids=[case[0] for case in CASES])
def test_arguments_decide(said, architecture, name, allowed, refused):
    assert [given for given in allowed if said(architecture, name, *given) != ALLOW] == []
    assert [given for given in refused if said(architecture, name, *given) != REFUSED] == []


@architectures
def test_hostile_calls_end_the_process(said, architecture):
    there = [name for name in seccomp.HOSTILE.split() if name in architecture.calls]
    assert len(there) > 60
    assert [name for name in there if said(architecture, name) != KILL] == []


@architectures
def test_every_other_number_is_refused(verdict, architecture):
    code = seccomp.program(architecture)
    known = {architecture.calls[name] for name in architecture.calls}
    verdicts = {verdict(code, architecture.audit, number) for number in range(600) if number not in known}
    assert verdicts == {REFUSED}


@architectures
def test_what_programs_should_not_have_is_refused(said, architecture):
    assert [said(architecture, name) for name in ("openat", "socket", "connect", "clone")] == [REFUSED] * 4


@architectures
def test_clone3_is_not_there(said, architecture):
    assert said(architecture, "clone3") == bpf.errno(errno.ENOSYS)


@architectures
def test_no_list_names_a_call_twice(architecture):
    named = [*seccomp.CHECKED, *seccomp.ALLOWED.split(), *seccomp.HOSTILE.split(), "clone3"]
    assert len(named) == len(set(named))
    assert [name for name in named if name not in {**X86_64.calls, **AARCH64.calls}] == []


def test_the_tables_of_the_two_architectures_do_not_mix(verdict):
    for table, other in ((X86_64, AARCH64), (AARCH64, X86_64)):
        code = seccomp.program(table)
        assert verdict(code, other.audit, table.calls["getpid"]) == KILL


def test_x32_calls_end_the_process(verdict):
    code = seccomp.program(X86_64)
    assert verdict(code, X86_64.audit, 0x40000000 + X86_64.calls["getpid"]) == KILL


KERNEL = """
import mmap, os
from backscope_server.sandbox.layers import kernel, prctl, seccomp, syscalls

reading, writing = os.pipe()
os.dup2(writing, 2)
prctl.no_new_privileges()
seccomp.install(seccomp.program(syscalls.here()), os.getpid())

def errno_of(call, *arguments):
    try:
        call(*arguments)
    except OSError as error:
        return error.errno
    return 0

found = [
    errno_of(os.open, "/", os.O_RDONLY), errno_of(os.fork), errno_of(os.read, 0, 0), errno_of(os.write, 1, b""),
    errno_of(os.kill, os.getppid(), 0), errno_of(os.kill, os.getpid(), 0), errno_of(mmap.mmap, -1, 4096, 0x22, 7),
    errno_of(mmap.mmap, -1, 4096, 0x22, 3),
]
os.write(2, b"")
{last}
os._exit(sum(1 << at for at, number in enumerate(found) if number))
"""


def test_the_kernel_decides_as_the_interpreted_filter(alone):
    # All refused but a signal to itself and memory that is not executable.
    assert alone(KERNEL.format(last="")) == f"[{0b01011111}]"


@pytest.mark.parametrize("call", ["ptrace", "bpf", "unshare", "memfd_create", "setuid"])
def test_the_kernel_ends_what_is_hostile(alone, call):
    assert alone(KERNEL.format(last=f"kernel.call({call!r}, 0, 0, 0)")) == "[-31]"

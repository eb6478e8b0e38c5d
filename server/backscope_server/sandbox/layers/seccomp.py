"""Layer: a seccomp filter, the list of the system calls that a child may make.

What a program needs is allowed, with the arguments that it needs; what only an attack makes ends the process; all else
fails with EPERM.
"""

from __future__ import annotations

import ctypes
import errno

from backscope_server.sandbox.layers import bpf, kernel
from backscope_server.sandbox.layers.bpf import KILL, OWN_PROCESS, OWN_THREAD_CLOCK, Instruction, OneOf, Only, Rule
from backscope_server.sandbox.layers.descriptors import CONTROL, DIAGNOSTICS, EVENTS
from backscope_server.sandbox.layers.syscalls import Architecture

_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2

_READ_WRITE = 1 | 2
_PRIVATE = 0x02 | 0x20  # private, anonymous
_NORESERVE, _STACK = 0x4000, 0x20000
_MAYMOVE = 1
_FUTEX = (0, 1, 9, 10)  # wait, wake, wait_bitset, wake_bitset
_FUTEX_FLAGS = 128 | 256  # private, clock_realtime
_ADVICE = (0, 1, 2, 3, 4, 8, 14, 15)  # normal to dontneed, free, hugepage, nohugepage

_CLOCKS = (1, 0, 2, 3, 4, 5, 6, 7, 11)
"""The system's clocks and those of this process; a negative number names the processor time of another one."""
_OWN_CLOCKS = (0xFFFFFFFA, 0xFFFFFFFE, OWN_THREAD_CLOCK)
"""Negative numbers for this process and this thread."""
_CLOCK = (OneOf(0, (*_CLOCKS, *_OWN_CLOCKS)),)

CHECKED: dict[str, tuple[bpf.Condition, ...]] = {
    "read": (OneOf(0, (CONTROL,)),),
    "write": (OneOf(0, (EVENTS, DIAGNOSTICS)),),
    "futex": (OneOf(1, _FUTEX, ignoring=_FUTEX_FLAGS),),
    "mmap": (Only(2, _READ_WRITE), Only(3, _PRIVATE | _NORESERVE | _STACK, needed=_PRIVATE)),
    "mprotect": (Only(2, _READ_WRITE),),
    "mremap": (Only(3, _MAYMOVE),),
    "madvise": (OneOf(2, _ADVICE),),
    # A program cannot read the state or the limits of other processes.
    "clock_gettime": _CLOCK,
    "clock_getres": _CLOCK,
    "clock_nanosleep": _CLOCK,
    "sched_getaffinity": (OneOf(0, (0, OWN_PROCESS)),),
    # A handler of the interpreter's raises its signal again for the action that was there before.
    "kill": (OneOf(0, (OWN_PROCESS,)),),
    "tkill": (OneOf(0, (OWN_PROCESS,)),),
    "tgkill": (OneOf(0, (OWN_PROCESS,)),),
}
"""Calls that are allowed with these arguments; the most frequent first, since the kernel tests them in order."""

ALLOWED = """
    munmap brk close rt_sigreturn rt_sigaction rt_sigprocmask rt_sigpending sigaltstack restart_syscall
    nanosleep gettimeofday time times getrusage
    setitimer getitimer alarm poll ppoll select pselect6 sched_yield getcpu getrandom
    getpid gettid getppid getuid geteuid getgid getegid getcwd uname exit exit_group
"""
"""Calls that are allowed with any argument: memory, signals, clocks and ids of this process, and waiting."""

HOSTILE = """
    ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd
    execve execveat unshare setns chroot pivot_root mount umount2 mount_setattr
    fsopen fsconfig fsmount fspick move_mount open_tree open_by_handle_at quotactl quotactl_fd acct fanotify_init
    bpf perf_event_open userfaultfd memfd_create memfd_secret remap_file_pages migrate_pages move_pages
    io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key seccomp personality
    init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff
    iopl ioperm modify_ldt lookup_dcookie syslog vhangup
    setuid setgid setreuid setregid setgroups setresuid setresgid setfsuid setfsgid capset
    sethostname setdomainname settimeofday clock_settime adjtimex clock_adjtime
"""
"""Calls that end the process: no program that only computes makes them."""


def program(architecture: Architecture) -> list[Instruction]:
    """Return the filter for the children of a zygote on this architecture; `bpf.encode` makes it that of one process.

    A call that the architecture does not have is left out.
    """
    rules: list[Rule] = []
    calls = architecture.calls
    for name, conditions in CHECKED.items():
        rules.append(Rule(calls[name], conditions=conditions))
    rules += [Rule(calls[name]) for name in ALLOWED.split() if name in calls]
    # "Not there" has the C library fall back to clone, which is refused like everything else.
    rules.append(Rule(calls["clone3"], bpf.errno(errno.ENOSYS)))
    rules += [Rule(calls[name], KILL) for name in HOSTILE.split() if name in calls]
    return bpf.assemble(architecture.audit, architecture.foreign_from, rules, bpf.errno(errno.EPERM))


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def install(code: list[Instruction], process: int) -> None:
    """Install the filter in this process, for good; requires no_new_privs.

    Raises: OSError where the kernel has no seccomp filters.
    """
    encoded = bpf.encode(code, process)
    held = ctypes.create_string_buffer(encoded, len(encoded))
    wanted = _Filter(len(code), ctypes.addressof(held))
    kernel.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(wanted))


def available() -> bool:
    """Return whether this kernel has seccomp filters."""
    try:
        kernel.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, 0)
    except OSError as error:
        # The filter was looked for at address 0, so there are filters.
        return error.errno == errno.EFAULT
    return True

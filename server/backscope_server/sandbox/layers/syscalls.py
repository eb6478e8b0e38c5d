"""The numbers of the system calls that the sandbox names, for each processor architecture."""

from __future__ import annotations

import platform
import sys

import msgspec


class Architecture(msgspec.Struct, frozen=True):
    """The system call table of an architecture: its name, seccomp's name for it (AUDIT_ARCH_*), numbers by name."""

    name: str
    audit: int
    calls: dict[str, int]
    foreign_from: int | None = None
    """Numbers from here on belong to another table under the same audit value: x32."""


# fmt: off
_X86_64 = {
    "read": 0, "write": 1, "mmap": 9, "mprotect": 10, "mremap": 25, "munmap": 11, "madvise": 28, "brk": 12,
    "futex": 202, "kill": 62, "tkill": 200, "tgkill": 234, "close": 3, "poll": 7, "ppoll": 271, "select": 23,
    "pselect6": 270, "sched_yield": 24, "nanosleep": 35, "clock_nanosleep": 230, "clock_gettime": 228,
    "clock_getres": 229, "gettimeofday": 96, "time": 201, "times": 100, "getpid": 39, "gettid": 186, "getppid": 110,
    "getuid": 102, "geteuid": 107, "getgid": 104, "getegid": 108, "getrusage": 98, "getcwd": 79, "uname": 63,
    "sched_getaffinity": 204, "getcpu": 309, "getrandom": 318, "rt_sigaction": 13, "rt_sigprocmask": 14,
    "rt_sigreturn": 15, "rt_sigpending": 127, "sigaltstack": 131, "restart_syscall": 219, "setitimer": 38,
    "getitimer": 36, "alarm": 37, "exit": 60, "exit_group": 231, "clone3": 435, "ptrace": 101,
    "process_vm_readv": 310, "process_vm_writev": 311, "execve": 59, "execveat": 322, "unshare": 272, "setns": 308,
    "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "bpf": 321, "perf_event_open": 298,
    "userfaultfd": 323, "keyctl": 250, "add_key": 248, "request_key": 249, "io_uring_setup": 425,
    "io_uring_enter": 426, "io_uring_register": 427, "init_module": 175, "finit_module": 313, "delete_module": 176,
    "kexec_load": 246, "kexec_file_load": 320, "reboot": 169, "swapon": 167, "swapoff": 168, "iopl": 172,
    "ioperm": 173, "modify_ldt": 154, "open_by_handle_at": 304, "setuid": 105, "setgid": 106, "setreuid": 113,
    "setregid": 114, "setgroups": 116, "setresuid": 117, "setresgid": 119, "setfsuid": 122, "setfsgid": 123,
    "capset": 126, "capget": 125, "pidfd_getfd": 438, "process_madvise": 440, "kcmp": 312, "personality": 135,
    "memfd_create": 319,
    "memfd_secret": 447, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "move_mount": 429,
    "open_tree": 428, "mount_setattr": 442, "quotactl": 179, "quotactl_fd": 443, "acct": 163, "lookup_dcookie": 212,
    "syslog": 103, "sethostname": 170, "setdomainname": 171, "settimeofday": 164, "clock_settime": 227,
    "adjtimex": 159, "clock_adjtime": 305, "vhangup": 153, "remap_file_pages": 216, "fanotify_init": 300,
    "seccomp": 317, "migrate_pages": 256, "move_pages": 279, "landlock_create_ruleset": 444,
    "landlock_restrict_self": 446, "landlock_add_rule": 445, "clone": 56, "openat": 257, "socket": 41, "connect": 42,
}

_AARCH64 = {
    "read": 63, "write": 64, "mmap": 222, "mprotect": 226, "mremap": 216, "munmap": 215, "madvise": 233, "brk": 214,
    "futex": 98, "kill": 129, "tkill": 130, "tgkill": 131, "close": 57, "ppoll": 73, "pselect6": 72,
    "sched_yield": 124, "nanosleep": 101, "clock_nanosleep": 115, "clock_gettime": 113, "clock_getres": 114,
    "gettimeofday": 169, "times": 153, "getpid": 172, "gettid": 178, "getppid": 173, "getuid": 174, "geteuid": 175,
    "getgid": 176, "getegid": 177, "getrusage": 165, "getcwd": 17, "uname": 160, "sched_getaffinity": 123,
    "getcpu": 168, "getrandom": 278, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139,
    "rt_sigpending": 136, "sigaltstack": 132, "restart_syscall": 128, "setitimer": 103, "getitimer": 102, "exit": 93,
    "exit_group": 94, "clone3": 435, "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "execve": 221,
    "execveat": 281, "unshare": 97, "setns": 268, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51,
    "bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "keyctl": 219, "add_key": 217, "request_key": 218,
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "init_module": 105, "finit_module": 273,
    "delete_module": 106, "kexec_load": 104, "kexec_file_load": 294, "reboot": 142, "swapon": 224, "swapoff": 225,
    "open_by_handle_at": 265, "setuid": 146, "setgid": 144, "setreuid": 145, "setregid": 143, "setgroups": 159,
    "setresuid": 147, "setresgid": 149, "setfsuid": 151, "setfsgid": 152, "capset": 91, "capget": 90,
    "pidfd_getfd": 438,
    "process_madvise": 440, "kcmp": 272, "personality": 92, "memfd_create": 279, "memfd_secret": 447, "fsopen": 430,
    "fsconfig": 431, "fsmount": 432, "fspick": 433, "move_mount": 429, "open_tree": 428, "mount_setattr": 442,
    "quotactl": 60, "quotactl_fd": 443, "acct": 89, "lookup_dcookie": 18, "syslog": 116, "sethostname": 161,
    "setdomainname": 162, "settimeofday": 170, "clock_settime": 112, "adjtimex": 171, "clock_adjtime": 266,
    "vhangup": 58, "remap_file_pages": 234, "fanotify_init": 262, "seccomp": 277, "migrate_pages": 238,
    "move_pages": 239, "landlock_create_ruleset": 444, "landlock_restrict_self": 446, "landlock_add_rule": 445,
    "clone": 220, "openat": 56, "socket": 198, "connect": 203,
}
# fmt: on

X86_64 = Architecture("x86-64", 0xC000003E, _X86_64, foreign_from=0x40000000)
AARCH64 = Architecture("aarch64", 0xC00000B7, _AARCH64)

_MACHINES = {"x86_64": X86_64, "amd64": X86_64, "aarch64": AARCH64, "arm64": AARCH64}


def here() -> Architecture | None:
    """Return the table of this process, None if the sandbox does not know its architecture."""
    if sys.byteorder != "little" or sys.maxsize < 1 << 32:  # A 32-bit process of a 64-bit system has its own table.
        return None
    return _MACHINES.get(platform.machine().lower())

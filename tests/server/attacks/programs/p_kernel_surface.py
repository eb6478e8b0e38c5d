# Ends: ok, ProgramDied
import ctypes

l = ctypes.CDLL(None, use_errno=True)
b = ctypes.create_string_buffer(4096)
for name, number, arguments in (
    ("userfaultfd", 323, (1,)),
    ("bpf", 321, (0, b, 72)),
    ("perf", 298, (b, 0, -1, -1, 0)),
    ("add_key", 248, (b"user", b"x", b"y", 1, -3)),
    ("request_key", 249, (b"user", b"x", None, -3)),
    ("memfd", 319, (b"x", 0)),
    ("memfd_secret", 447, (0,)),
    ("io_uring", 425, (4, b)),
    ("modify_ldt", 154, (0, b, 16)),
    ("landlock", 444, (None, 0, 1)),
    ("timerfd", 283, (0, 0)),
    ("signalfd", 289, (-1, b, 8, 0)),
    ("epoll", 291, (0,)),
    ("eventfd", 290, (0, 0)),
    ("pidfd", 434, (1, 0)),
    ("kexec", 246, (0, 0, None, 0)),
    ("reboot", 169, (0, 0, 0)),
    ("swapon", 167, (b"/x", 0)),
    ("iopl", 172, (3,)),
    ("syslog", 103, (10, b, 0)),
    ("lsm", 461, (b, b, 0)),
    ("cachestat", 451, (0, b, b, 0)),
    ("setdomainname", 171, (b"x", 1)),
    ("process_madvise", 440, (-1, b, 1, 4, 0)),
    ("membarrier", 324, (0, 0, 0)),
    ("rseq", 334, (b, 32, 0, 1)),
):
    r = l.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    allowed = name in ("membarrier", "rseq")
    print("PWNED" if r >= 0 and not allowed else "blocked", name, r, ctypes.get_errno(), flush=True)

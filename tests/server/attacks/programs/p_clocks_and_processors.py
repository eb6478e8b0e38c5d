# Ends: ok
import ctypes
import os
import time

libc = ctypes.CDLL(None, use_errno=True)
others = [1, os.getppid(), @SIB@]
others = [pid for pid in others if pid not in (0, os.getpid())]


def got(what, call):
    try:
        result = call()
    except OSError:
        return
    print("PWNED", what, result)


for pid in others:
    for kind in (0, 1, 2, 4, 5, 6):
        got("clock", lambda: time.clock_gettime(~pid << 3 | kind))
        got("resolution", lambda: time.clock_getres(~pid << 3 | kind))
    got("affinity", lambda: os.sched_getaffinity(pid))
    got("policy", lambda: os.sched_getscheduler(pid))
    got("parameters", lambda: os.sched_getparam(pid))
    got("priority", lambda: os.getpriority(os.PRIO_PROCESS, pid))
    got("group", lambda: os.getpgid(pid))
    got("session", lambda: os.getsid(pid))
    for call in (302, 261, 315, 252):  # prlimit64, x86-64 and aarch64, sched_getattr, ioprio_get
        buffer = ctypes.create_string_buffer(256)
        if libc.syscall(call, pid, 0, buffer, 256) >= 0:
            print("PWNED", call, pid)
print(time.process_time() >= 0, time.thread_time() >= 0, len(os.sched_getaffinity(0)) > 0)

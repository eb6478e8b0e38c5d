# Ends: ok, ProgramDied, error, MemoryLimitExceeded
import ctypes, os
l = ctypes.CDLL(None, use_errno=True)
info = ctypes.create_string_buffer(128)
for pid in (os.getppid(), @SIB@, 1):
    for name, call in {"tkill": lambda: l.syscall(200, pid, 9), "tgkill": lambda: l.syscall(234, pid, pid, 9), "sigqueue": lambda: l.sigqueue(pid, 9, 0),
                       "rt_tgsigqueueinfo": lambda: l.syscall(297, pid, pid, 9, info), "pidfd": lambda: l.syscall(424, l.syscall(434, pid, 0), 9, None, 0)}.items():
        r = call()
        print("PWNED" if r == 0 else "blocked", name, pid, ctypes.get_errno(), flush=True)

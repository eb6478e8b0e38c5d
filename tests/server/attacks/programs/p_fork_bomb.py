# Ends: ok, ProgramDied, error, TimeLimitExceeded
import os, ctypes

l = ctypes.CDLL(None, use_errno=True)
for make in (
    os.fork,
    os.forkpty,
    l.fork,
    l.vfork,
    lambda: l.syscall(56, 17, 0, 0, 0, 0),
    lambda: l.syscall(58),
    lambda: l.syscall(435, ctypes.create_string_buffer(88), ctypes.c_long(88)),
):
    for _ in range(3):
        try:
            pid = make()
            if pid == 0:
                while True:
                    pass
            print("PWNED a process" if isinstance(pid, tuple) or pid > 0 else "blocked", pid, flush=True)
        except OSError as e:
            print("blocked", e)

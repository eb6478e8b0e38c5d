# Ends: ok, ProgramDied
import ctypes, os
l = ctypes.CDLL(None, use_errno=True)
for pid in (os.getppid(), @SIB@, 1):
    fd = l.syscall(434, pid, 0)
    print("PWNED pidfd" if fd >= 0 else "blocked", pid, ctypes.get_errno(), flush=True)
    for number in range(8):
        r = l.syscall(438, fd, number, 0)
        print("PWNED descriptor" if r >= 0 else "blocked", r, ctypes.get_errno(), flush=True)
    print("PWNED compared" if l.syscall(312, os.getpid(), pid, 0, 1, 1) >= 0 else "blocked", ctypes.get_errno(), flush=True)

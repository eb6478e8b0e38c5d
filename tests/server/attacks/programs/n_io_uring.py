# Ends: ok, ProgramDied
import ctypes

l = ctypes.CDLL(None, use_errno=True)
b = ctypes.create_string_buffer(120)
r = l.syscall(ctypes.c_long(425), ctypes.c_long(4), b)
print("PWNED io_uring" if r >= 0 else "blocked", r, ctypes.get_errno())

# Ends: ok, ProgramDied
import ctypes

l = ctypes.CDLL(None, use_errno=True)
for number in (39, 57, 41, 2, 59, 520, 512, 545):
    r = l.syscall(ctypes.c_long(0x40000000 | number), ctypes.c_long(0), ctypes.c_long(0), ctypes.c_long(0))
    print("PWNED x32 call" if r >= 0 else "blocked", number, r, ctypes.get_errno())

# Ends: ok, ProgramDied
import ctypes

l = ctypes.CDLL(None, use_errno=True)
r = l.personality(ctypes.c_ulong(0x0400000 | 0x0040000))
print("PWNED read implies execute" if r >= 0 else "blocked", ctypes.get_errno())

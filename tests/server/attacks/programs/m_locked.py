# Ends: ok, ProgramDied
import ctypes

l = ctypes.CDLL(None, use_errno=True)
print("PWNED locked all memory" if l.mlockall(3) == 0 else "blocked", ctypes.get_errno())
b = ctypes.create_string_buffer(1 << 20)
print("PWNED locked a page" if l.mlock(b, 1 << 20) == 0 else "blocked", ctypes.get_errno())

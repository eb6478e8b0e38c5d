# Ends: ok, error, MemoryLimitExceeded, ProgramDied
import ctypes

l = ctypes.CDLL(None, use_errno=True)
l.sbrk.restype = ctypes.c_void_p
l.sbrk.argtypes = [ctypes.c_long]
n = 0
while n < 64 and l.sbrk(32 << 20) not in (None, 2**64 - 1):
    n += 1
print("PWNED 2 GiB by brk" if n == 64 else "blocked at MiB", n * 32)

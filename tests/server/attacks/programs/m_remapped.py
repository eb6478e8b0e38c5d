# Ends: ok, error, ProgramDied, MemoryLimitExceeded
import ctypes

l = ctypes.CDLL(None, use_errno=True)
l.mmap.restype = l.mremap.restype = ctypes.c_void_p
a = l.mmap(None, 1 << 20, 3, 0x22, -1, 0)
for size in (2**31, 2**33, 2**40):
    b = l.mremap(ctypes.c_void_p(a), ctypes.c_size_t(1 << 20), ctypes.c_size_t(size), 1)
    print("PWNED grown to" if b not in (None, 2**64 - 1) else "blocked", size, ctypes.get_errno())

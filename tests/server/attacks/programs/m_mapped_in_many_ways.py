# Ends: ok, error, ProgramDied, MemoryLimitExceeded
import ctypes

l = ctypes.CDLL(None, use_errno=True)
l.mmap.restype = ctypes.c_void_p
l.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
for flags in (0x22, 0x21, 0x22 | 0x4000, 0x22 | 0x8000, 0x22 | 0x40000, 0x22 | 0x2000, 0x122, 0x22 | 0x100000):
    got = 0
    while got < 40:
        a = l.mmap(None, 64 << 20, 3, flags, -1, 0)
        if a in (None, 2**64 - 1):
            break
        got += 1
    print(
        "PWNED 2.5 GB by flags" if got == 40 else "blocked at MiB", hex(flags), got * 64, ctypes.get_errno(), flush=True
    )

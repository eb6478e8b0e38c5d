# Ends: ok, ProgramDied
import ctypes

l = ctypes.CDLL(None, use_errno=True)
l.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
page = ctypes.cast(l.getpid, ctypes.c_void_p).value & ~4095
for protection in (7, 6 | 1, 3):
    r = l.mprotect(page, 4096, protection)
    if r == 0 and protection & 2:
        ctypes.memmove(page, ctypes.string_at(page, 64), 64)
        print("PWNED code page is writable" if protection & 4 else "note code page is data now")
    else:
        print("blocked", protection, ctypes.get_errno())

# Ends: ProgramDied, ok
import ctypes

l = ctypes.CDLL(None)
for name in ("write", "free", "malloc", "memcpy"):
    ctypes.memset(ctypes.cast(getattr(l, name), ctypes.c_void_p).value, 0xC3, 8)

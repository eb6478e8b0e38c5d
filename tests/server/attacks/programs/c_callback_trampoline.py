# Ends: ok, ProgramDied, error, MemoryLimitExceeded
import ctypes

try:
    keep = [ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 1) for _ in range(20000)]
    print(keep[-1](1))
except BaseException as e:
    print("blocked", repr(e)[:80])

# Ends: ProgramDied, error, ok, EventStreamBroken, TimeLimitExceeded
import ctypes

for t in (str, dict, list, int, bytes, type):
    ctypes.memset(id(t) + 24, 0xFF, 300)
print({}, [], "x" + "y", 1 + 1, b"")

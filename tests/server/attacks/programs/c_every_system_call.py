# Ends: ok, ProgramDied, error, TimeLimitExceeded, EventStreamBroken, MemoryLimitExceeded
import ctypes

l = ctypes.CDLL(None, use_errno=True)
# Without calls that wait, exit or read, which would end or block the loop.
for number in range(600):
    if number in (
        0,
        1,
        7,
        13,
        14,
        15,
        20,
        22,
        23,
        34,
        35,
        60,
        61,
        128,
        130,
        202,
        219,
        230,
        231,
        232,
        240,
        247,
        270,
        271,
        281,
    ):
        continue
    l.syscall(ctypes.c_long(number), *[ctypes.c_long(0)] * 6)
print("came to the end")

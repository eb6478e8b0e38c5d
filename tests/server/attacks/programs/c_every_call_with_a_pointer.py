# Ends: ok, ProgramDied, error, TimeLimitExceeded, EventStreamBroken, MemoryLimitExceeded
import ctypes

l = ctypes.CDLL(None, use_errno=True)
b = ctypes.create_string_buffer(b"@WDIR@/made\0" + bytes(4096))
a = ctypes.c_void_p(ctypes.addressof(b))
for number in (
    2,
    21,
    76,
    82,
    83,
    84,
    85,
    86,
    87,
    88,
    89,
    90,
    92,
    133,
    137,
    155,
    161,
    163,
    165,
    166,
    188,
    257,
    258,
    259,
    262,
    263,
    264,
    265,
    266,
    267,
    268,
    269,
    280,
    303,
    304,
    319,
    321,
    332,
    424,
    425,
    428,
    429,
    430,
    437,
    439,
    452,
):
    r = l.syscall(ctypes.c_long(number), a, a, a, a, a, a)
    if r >= 0:
        print("PWNED a file's call answered", number, r)
    r = l.syscall(
        ctypes.c_long(number),
        ctypes.c_long(-100),
        a,
        ctypes.c_long(0o102),
        ctypes.c_long(0o777),
        ctypes.c_long(0),
        ctypes.c_long(0),
    )
    if r >= 0:
        print("PWNED a file's call answered", number, r)

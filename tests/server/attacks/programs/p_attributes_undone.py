# Ends: ok, ProgramDied, TimeLimitExceeded
import ctypes

l = ctypes.CDLL(None, use_errno=True)
u = ctypes.c_ulong
for name, option, value in (
    ("death signal", 1, 0),
    ("dumpable", 4, 1),
    ("keep caps", 8, 1),
    ("subreaper", 36, 1),
    ("speculation", 53, 0),
    ("ptracer", 0x59616D61, 2**64 - 1),
    ("timer slack", 29, 1),
    ("strict seccomp", 22, 1),
):
    r = l.prctl(option, u(value), u(0), u(0), u(0))
    print("note" if r == 0 else "blocked", name, r, ctypes.get_errno(), flush=True)

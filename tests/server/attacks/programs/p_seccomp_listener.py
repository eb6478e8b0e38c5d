# Ends: ok, ProgramDied
import ctypes

l = ctypes.CDLL(None, use_errno=True)
program = ctypes.create_string_buffer(b"\x06\0\0\0\0\0\xff\x7f")


class F(ctypes.Structure):
    _fields_ = [("n", ctypes.c_ushort), ("f", ctypes.c_void_p)]


f = F(1, ctypes.addressof(program))
for flags in (8, 0, 2, 4):
    r = l.syscall(317, 1, flags, ctypes.byref(f))
    print(
        "PWNED listener" if r > 0 else "blocked" if r < 0 else "note one more filter",
        flags,
        ctypes.get_errno(),
        flush=True,
    )

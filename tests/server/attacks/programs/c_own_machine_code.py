# Ends: ok, ProgramDied, error
import ctypes, platform

l = ctypes.CDLL(None, use_errno=True)
l.mmap.restype = ctypes.c_void_p
l.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
l.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
code = b"\xb8\x2a\x00\x00\x00\xc3" if platform.machine() == "x86_64" else b"\x40\x05\x80\x52\xc0\x03\x5f\xd6"
for first, then in ((7, None), (3, 5), (3, 7), (6, None), (3, 4), (0, 7)):
    a = l.mmap(None, 4096, first, 0x22, -1, 0)
    if a in (None, 2**64 - 1):
        print("blocked mmap", first, ctypes.get_errno())
        continue
    if first & 2:
        ctypes.memmove(a, code, len(code))
    if then is not None and l.mprotect(a, 4096, then) != 0:
        print("blocked mprotect", then, ctypes.get_errno())
        continue
    if first & 2 and (first if then is None else then) & 4:
        print("PWNED own machine code gave", ctypes.CFUNCTYPE(ctypes.c_int)(a)())

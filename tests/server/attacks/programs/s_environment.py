# Ends: ok, ProgramDied, error
import ctypes, os

l = ctypes.CDLL(None)
l.getenv.restype = ctypes.c_char_p
at = ctypes.cast(ctypes.c_void_p.in_dll(l, "environ"), ctypes.POINTER(ctypes.c_char_p))
found = []
while at and at[len(found)]:
    found.append(at[len(found)])
print(found, dict(os.environ), l.getenv(b"ARENA_SECRET"), os.environb)
print("PWNED" if any(b"CANARY" in f or b"SECRET" in f for f in found) else "nothing")

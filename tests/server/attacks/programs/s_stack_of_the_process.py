# Ends: ok, ProgramDied, error
import ctypes

l = ctypes.CDLL(None)
at = ctypes.c_void_p.in_dll(l, "environ").value
# The strings that the kernel puts at the end of the stack: arguments, environment, auxiliary vector.
found = b""
try:
    for i in range(8):
        found += ctypes.string_at(at + 512 * i, 512)
finally:
    print("PWNED" if b"CANARY-" + b"ENV" in found else "nothing", len(found))

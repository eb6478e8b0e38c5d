# Ends: ok, ProgramDied
import ctypes

l = ctypes.CDLL(None, use_errno=True)
# Numbers beyond every table: calls of newer kernels, which no list of today has.
for number in (*range(450, 600), 1000, 4095, -1, 2**31, 2**32):
    r = l.syscall(ctypes.c_long(number), *[ctypes.c_long(0)] * 6)
    if r >= 0:
        print("PWNED a call from the future", number, r)
print("asked them all")

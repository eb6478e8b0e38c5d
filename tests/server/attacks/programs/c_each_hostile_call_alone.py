# Ends: ok, ProgramDied
import ctypes, os

l = ctypes.CDLL(None, use_errno=True)
b = ctypes.create_string_buffer(4096)
a = ctypes.c_void_p(ctypes.addressof(b))
# A call that kills the process hides the others, so each run begins with another: the order depends on its process id.
numbers = [101, 310, 59, 272, 308, 165, 155, 161, 321, 298, 323, 250, 248, 425, 304, 105, 117, 126, 438, 312, 135, 319, 447, 430, 428, 300, 317, 446, 56, 58, 435, 41, 42, 53, 29, 68, 64, 240, 302, 160, 157, 141, 144, 203, 251, 62, 200, 234, 297, 434]
start = os.getpid() % len(numbers)
for number in numbers[start:] + numbers[:start]:
    r = l.syscall(ctypes.c_long(number), a, a, a, a, a, a)
    if r > 0:
        print("PWNED answered", number, r, flush=True)

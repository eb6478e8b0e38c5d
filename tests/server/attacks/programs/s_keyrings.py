# Ends: ok, ProgramDied
import ctypes

l = ctypes.CDLL(None, use_errno=True)
b = ctypes.create_string_buffer(4096)
for operation in (0, 1, 6, 11, 10, 17, 12, 22, 31):
    for ring in (-1, -2, -3, -4, -5, -6, -7):
        r = l.syscall(ctypes.c_long(250), ctypes.c_long(operation), ctypes.c_long(ring), b, ctypes.c_long(4096))
        print("PWNED keys" if r >= 0 else "blocked", operation, ring, ctypes.get_errno(), flush=True)
for path in ("/proc/keys", "/proc/key-users"):
    try:
        print("PWNED", open(path).read()[:80])
    except OSError as e:
        print("blocked", path, e.errno)

# Ends: ok, ProgramDied
import ctypes, os

l = ctypes.CDLL(None, use_errno=True)
nothing = (ctypes.c_char_p * 1)(None)
long_arguments = (ctypes.c_char_p * 3000)(*[b"a" * 100_000] * 2999, None)
for descriptor in range(12):
    # AT_EMPTY_PATH: the file is the descriptor itself.
    for arguments in (nothing, long_arguments):
        l.syscall(ctypes.c_long(322), ctypes.c_long(descriptor), b"", arguments, nothing, ctypes.c_long(0x1000))
        print("blocked", descriptor, ctypes.get_errno(), flush=True)
    try:
        os.execve(descriptor, ["x"], {})
    except OSError as e:
        print("blocked", e.errno)
piece = (ctypes.c_size_t * 2)(id(object), 4096)
for descriptor in range(12):
    if l.vmsplice(descriptor, piece, 1, 8) > 0 and descriptor > 5:
        print("PWNED lent its pages", descriptor, flush=True)
for flags in (0, 1, 2, 8, 16):
    r = l.syscall(ctypes.c_long(319), b"x", ctypes.c_long(flags))
    print("PWNED a file in memory" if r >= 0 else "blocked", r, ctypes.get_errno(), flush=True)

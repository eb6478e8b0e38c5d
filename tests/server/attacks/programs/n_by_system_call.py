# Ends: ok, ProgramDied
import ctypes
l = ctypes.CDLL(None, use_errno=True)
address = (2).to_bytes(2, "little") + (@PORT@).to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
for fd in (0, 1, 2, 3, 4):
    print("PWNED connected" if l.connect(fd, address, 16) == 0 else "blocked", fd, ctypes.get_errno(), flush=True)
    print("PWNED sent" if l.sendto(fd, b"x", 1, 0, address, 16) > 0 else "blocked", fd, ctypes.get_errno(), flush=True)
for family, kind in ((2, 1), (2, 2), (10, 1), (1, 1), (16, 3), (17, 3), (38, 5), (40, 1), (44, 3)):
    s = l.socket(family, kind, 0)
    print("PWNED socket" if s >= 0 else "blocked", family, s, ctypes.get_errno(), flush=True)
    if s >= 0:
        l.connect(s, address, 16)

# Ends: ok, error, ProgramDied
import socket, array, ctypes

l = ctypes.CDLL(None, use_errno=True)
b = ctypes.create_string_buffer(512)
for fd in (0, 1, 2, 3, 4):
    print("PWNED message sent" if l.sendmsg(fd, b, 0) >= 0 else "blocked", fd, ctypes.get_errno(), flush=True)
    print("PWNED message got" if l.recvmsg(fd, b, 0x40) >= 0 else "blocked", fd, ctypes.get_errno(), flush=True)
pair = (ctypes.c_int * 2)()
print("PWNED socket pair" if l.socketpair(1, 1, 0, pair) == 0 else "blocked", ctypes.get_errno())

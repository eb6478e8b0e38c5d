# Ends: ok, ProgramDied
import ctypes

l = ctypes.CDLL(None, use_errno=True)
for call in (
    lambda: l.shmget(0x4242, ctypes.c_size_t(64 << 20), 0o1666),
    lambda: l.msgget(0x4242, 0o1666),
    lambda: l.semget(0x4242, 10, 0o1666),
    lambda: l.mq_open(b"/attack", 0o102, 0o666, None),
):
    r = call()
    print("PWNED lives on after the program" if r >= 0 else "blocked", r, ctypes.get_errno(), flush=True)

# Ends: ok, error, ProgramDied, EventStreamBroken, TimeLimitExceeded
import os

os.close(0)
os.close(1)
for make in (
    lambda: os.open("@CANARY@", 0),
    lambda: os.dup(3),
    lambda: os.pipe(),
    lambda: os.openpty(),
    lambda: os.eventfd(0),
    lambda: os.memfd_create("x"),
    lambda: os.dup2(3, 0),
    lambda: __import__("socket").socketpair(),
    lambda: __import__("select").epoll(),
    lambda: __import__("fcntl").fcntl(3, 0, 0),
):
    try:
        r = make()
        print("note has", r)
        os.close(r if isinstance(r, int) else r[0])
    except BaseException as e:
        print("blocked", repr(e)[:60])

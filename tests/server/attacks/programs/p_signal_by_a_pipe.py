# Ends: ok, ProgramDied, error, EventStreamBroken, TimeLimitExceeded, MemoryLimitExceeded
import fcntl, os

for owner in (os.getppid(), @SIB@, 1, -os.getppid()):
    try:
        fcntl.fcntl(4, 8, owner)
        fcntl.fcntl(4, 10, 9)
        fcntl.fcntl(4, 4, fcntl.fcntl(4, 3) | os.O_ASYNC)
        print("PWNED a pipe will signal", owner, flush=True)
        for _ in range(200):
            print("x" * 100, flush=True)
    except BaseException as e:
        print("blocked", repr(e)[:60])

# Ends: ok, ProgramDied, error, EventStreamBroken
import fcntl, os

for fd in (2, 3, 4):
    for command, value in (
        (1031, 1 << 30),
        (1031, 1 << 20),
        (1031, 4096),
        (4, os.O_NONBLOCK | os.O_APPEND | os.O_ASYNC),
        (8, os.getppid()),
        (10, 9),
        (1024, 1),
        (0, 100),
        (6, b"\0" * 32),
    ):
        try:
            print("note", fd, command, fcntl.fcntl(fd, command, value))
        except BaseException as e:
            print("blocked", fd, command, repr(e)[:50])

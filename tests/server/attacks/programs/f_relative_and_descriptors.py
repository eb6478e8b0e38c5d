# Ends: ok, ProgramDied, error
import os

for name in ("..", ".", "", "/dev/fd/3", "/dev/stdin", "/dev/tty", "/dev/null", "/dev/zero", "/dev/shm", "/proc/thread-self/fd/4", "/sys/kernel"):
    for how in (os.O_RDONLY, os.O_PATH, os.O_RDWR | os.O_CREAT, os.O_DIRECTORY):
        try:
            print("PWNED", name, os.open(name, how))
        except OSError as e:
            print("blocked", name, e.errno)
for fd in range(3, 70):
    try:
        if fd > 4:
            os.fstat(fd)
            print("PWNED descriptor", fd)
    except OSError:
        pass

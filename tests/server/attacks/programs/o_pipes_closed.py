# Ends: TimeLimitExceeded, ProgramDied
import os

for fd in (0, 1, 2, 3, 4):
    try:
        os.close(fd)
    except OSError:
        pass
while True:
    pass

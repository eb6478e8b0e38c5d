# Ends: TimeLimitExceeded, error, ProgramDied, ok
import os, signal


def again(number, frame):
    """Each signal brings two more, and none of their handlers ends."""
    for _ in range(2):
        try:
            os.kill(os.getpid(), number)
        except BaseException:
            signal.raise_signal(number)
    while True:
        try:
            signal.raise_signal(number)
        except BaseException:
            continue


for number in range(1, 65):
    try:
        signal.signal(number, again)
    except (OSError, ValueError):
        pass
while True:
    try:
        signal.raise_signal(signal.SIGTERM)
        again(signal.SIGUSR1, None)
    except BaseException:
        continue

# Ends: TimeLimitExceeded, error, ProgramDied
import signal

signal.signal(signal.SIGALRM, lambda *a: None)
signal.setitimer(signal.ITIMER_REAL, 1e-6, 1e-6)
while True:
    try:
        while True:
            pass
    except BaseException:
        continue

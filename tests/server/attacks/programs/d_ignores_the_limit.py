# Ends: TimeLimitExceeded
import signal, itertools

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    except (OSError, ValueError):
        pass
sum(itertools.repeat(1))

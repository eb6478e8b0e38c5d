# Ends: ok, error, ProgramDied, MemoryLimitExceeded
import os, signal
targets = [os.getppid(), @SIB@, 1, -1, -os.getppid(), -@SIB@]
for target in targets:
    for number in (signal.SIGCONT, signal.SIGUSR1, signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
        try:
            os.kill(target, number)
            print("PWNED signal" if target not in (0, -1) else "note signal", target, number, flush=True)
        except OSError as e:
            print("blocked", target, e)

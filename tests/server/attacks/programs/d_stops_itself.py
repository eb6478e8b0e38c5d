# Ends: TimeLimitExceeded, error, ProgramDied
import os, signal

os.kill(os.getpid(), signal.SIGSTOP)
while True:
    pass

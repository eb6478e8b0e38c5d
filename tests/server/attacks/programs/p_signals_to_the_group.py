# Ends: ProgramDied, ok, error, MemoryLimitExceeded
import os, signal

signal.signal(signal.SIGTERM, signal.SIG_IGN)
for call in (
    lambda: os.killpg(0, signal.SIGTERM),
    lambda: os.kill(0, signal.SIGTERM),
    lambda: os.killpg(os.getpgid(os.getppid()), signal.SIGKILL),
    lambda: os.kill(0, signal.SIGKILL),
):
    try:
        call()
        print("note sent", flush=True)
    except OSError as e:
        print("blocked", e)

# Ends: TimeLimitExceeded, ok, error, ProgramDied
import os

os.set_blocking(3, False) if False else None
while True:
    try:
        got = os.read(3, 1 << 16)
    except OSError as e:
        print("blocked", e)
        break
    print("note got", got[:60])
    if not got:
        break

# Ends: ok, TimeLimitExceeded, ProgramDied, EventStreamBroken, error
import os

for a, b in ((2, 4), (3, 4), (4, 3), (4, 0)):
    try:
        os.dup2(a, b)
    except OSError as e:
        print("blocked", e)
print("mixed")

# Ends: EventLimitExceeded, TimeLimitExceeded
import os

while True:
    try:
        os.write(2, b"\xffPWNED" * 20_000)
    except OSError:
        pass

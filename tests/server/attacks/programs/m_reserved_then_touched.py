# Ends: error, ok, MemoryLimitExceeded, TimeLimitExceeded
import numpy as np

held = []
try:
    for i in range(64):
        held.append(np.zeros(32 << 20, dtype="u1"))
    for a in held:
        a[::4096] = 1
    print("PWNED has 2 GiB")
except MemoryError:
    print("blocked at MiB", 32 * len(held))

# Ends: ProgramDied, ok, error, EventStreamBroken, TimeLimitExceeded
import numpy as np

a = np.zeros(8)
b = np.lib.stride_tricks.as_strided(a, shape=(1 << 20,), strides=(8,), writeable=True)
b[:] = 1.0
print([object() for _ in range(1000)] and "still here")

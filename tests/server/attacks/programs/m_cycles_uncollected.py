# Ends: error, MemoryLimitExceeded, TimeLimitExceeded
import gc

gc.disable()
while True:
    a = [bytearray(10_000)]
    a.append(a)

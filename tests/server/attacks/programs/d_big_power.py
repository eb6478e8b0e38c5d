# Ends: TimeLimitExceeded, error, MemoryLimitExceeded
print(3 ** (10**9) % 7)

# Ends: error, TimeLimitExceeded, EventLimitExceeded, MemoryLimitExceeded, ProgramDied
e = None
for i in range(200_000):
    n = ValueError(i)
    n.__cause__ = e
    n.__context__ = e
    e = n
raise e

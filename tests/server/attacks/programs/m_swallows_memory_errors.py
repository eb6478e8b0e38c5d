# Ends: TimeLimitExceeded, MemoryLimitExceeded, error, OutputLimitExceeded, EventLimitExceeded, ProgramDied
held = [[0]]
while True:
    try:
        held.append(held[-1] * 2)
    except MemoryError:
        try:
            held.append([0] * 1000)
        except MemoryError:
            pass

# Ends: error, EventLimitExceeded, OutputLimitExceeded, MemoryLimitExceeded
raise type("N" * 3_000_000, (Exception,), {})("x" * 30_000_000)

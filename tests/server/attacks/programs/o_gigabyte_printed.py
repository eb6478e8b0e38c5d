# Ends: OutputLimitExceeded, error, EventLimitExceeded, MemoryLimitExceeded
import sys

text = "x" * 50_000_000
for _ in range(20):
    sys.stdout.write(text)

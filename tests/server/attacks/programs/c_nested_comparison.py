# Ends: TimeLimitExceeded, ProgramDied, error
import sys

sys.setrecursionlimit(2**31 - 1)
a, b = [], []
for _ in range(3_000_000):
    a, b = [a], [b]
print(a == b)

# Ends: error, MemoryLimitExceeded, TimeLimitExceeded
import pickle

data = b"(lp0\n" + b"".join(b"(lp%d\n" % (i + 1) + b"g%d\na" % i * 30 for i in range(30)) + b"."
x = pickle.loads(data)
print(len(repr(x)))

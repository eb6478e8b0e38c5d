# Ends: error, MemoryLimitExceeded, TimeLimitExceeded
import zlib

c = zlib.compressobj(9)
small = b"".join(c.compress(bytes(1 << 20)) for _ in range(300)) + c.flush()
print(len(zlib.decompress(small)))

# Ends: error, ok
import numpy as np

for make in (
    lambda: np.empty(10 * 2**40, dtype="u1"),
    lambda: np.zeros((2**20, 2**20)),
    lambda: bytearray(2**43),
    lambda: [0] * 2**40,
    lambda: np.full(2**36, 1.0),
    lambda: "x".ljust(2**42),
    lambda: "%1099511627776d" % 1,
):
    try:
        make()
        print("PWNED memory without end")
    except (MemoryError, ValueError, OverflowError) as e:
        print("blocked", repr(e)[:60])

# Ends: EventLimitExceeded, TimeLimitExceeded
import os

seq = 1
while True:
    b = b"".join(b'{"kind":"node_released","seq":%d,"line":null,"node":1}\n' % i for i in range(seq, seq + 500))
    while b:
        b = b[os.write(4, b) :]
    seq += 500

# Ends: EventLimitExceeded, EventStreamBroken
import os

b = b'{"kind":"output_printed","seq":1,"line":1,"stream":"stdout","text":"' + b"x" * 100_000_000 + b'"}\n'
while b:
    b = b[os.write(4, b) :]

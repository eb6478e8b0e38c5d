# Ends: EventStreamBroken, EventLimitExceeded
import os
b = b'{"kind":"node_started","seq":1,"line":1,"call":1,"node":1,"gradients":[' + b",".join([b"null"] * 40_000) + b'],"x":[' + b"0," * 40_000 + b"0]}\n"
b = b.replace(b'"call":1', b'"call":0')
while b:
    b = b[os.write(4, b):]
while True:
    pass

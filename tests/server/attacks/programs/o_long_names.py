# Ends: EventStreamBroken
import os

os.write(4, b'{"kind":"tensor_named","seq":1,"line":1,"tensor":1,"name":"' + b"n" * 200_000 + b'"}\n')
while True:
    pass

# Ends: EventStreamBroken
import os

while True:
    os.write(4, b"\n" * 65536)

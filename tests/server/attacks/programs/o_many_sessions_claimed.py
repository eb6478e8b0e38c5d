# Ends: EventStreamBroken
import os

for slot in range(2000):
    os.write(4, b'{"kind":"spawned","child":%d,"pid":1}\n' % slot)
while True:
    pass

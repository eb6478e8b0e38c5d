# Ends: EventStreamBroken
import os

for seq in (2, 1, 1, 0, -1, 10**18):
    os.write(4, b'{"kind":"node_released","seq":%d,"line":null,"node":1}\n' % seq)
while True:
    pass

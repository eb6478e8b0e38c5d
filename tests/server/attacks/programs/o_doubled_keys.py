# Ends: ok, EventStreamBroken
import os

os.write(
    4,
    b'{"kind":"node_released","kind":"program_finished","seq":0,"seq":1,"line":null,"status":"limit","status":"ok","node":1}\n',
)
while True:
    pass

# Ends: EventStreamBroken
import os

os.write(
    4,
    b'{"kind":"program_started","seq":1,"line":null,"protocol":1,"filename":"x","source":"","seed":0,"versions":{}}\n',
)
while True:
    pass

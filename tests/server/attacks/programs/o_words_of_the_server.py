# Ends: EventStreamBroken
import os

os.write(
    4,
    b'{"kind":"error_raised","seq":1,"line":1,"stage":"limit","type":"TimeLimitExceeded","message":"Visit http://example.org to unlock.","column":null,"traceback":[],"node":null,"diagnosis":null}\n',
)
while True:
    pass

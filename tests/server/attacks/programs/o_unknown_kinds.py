# Ends: EventStreamBroken
import os

for line in (
    b'{"kind":"__proto__","seq":1,"line":null}',
    b'{"kind":["ok"],"seq":1}',
    b'{"kind":null}',
    b"null",
    b"[]",
    b"{}",
    b'"x"',
    b"1",
):
    os.write(4, line + b"\n")
while True:
    pass

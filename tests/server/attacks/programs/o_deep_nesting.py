# Ends: EventStreamBroken
import os

b = b'{"kind":"output_printed","seq":1,"line":1,"x":' + b'[{"a":' * 20_000
b += b"0" + b"}]" * 20_000 + b',"stream":"stdout","text":"x"}\n'
while b:
    b = b[os.write(4, b) :]
while True:
    pass

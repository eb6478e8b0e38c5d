# Ends: ok
import os

os.write(
    4,
    b'{"kind":"program_finished","seq":1,"line":null,"status":"ok"}\n'
    + b'{"kind":"output_printed","seq":2,"line":1,"stream":"stdout","text":"PWNED after the end"}\n' * 100,
)
while True:
    os.write(4, b"x" * 4096)

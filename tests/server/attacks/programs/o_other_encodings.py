# Ends: EventStreamBroken
import os

line = '{"kind":"program_finished","seq":1,"line":null,"status":"ok"}\n'
os.write(4, line.encode("utf-16"))
os.write(4, line.encode("utf-32-be"))
os.write(4, b"\xef\xbb\xbf" + line.encode())
while True:
    pass

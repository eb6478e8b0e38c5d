# Ends: EventStreamBroken
import os

os.write(4, b'{"kind":"output_printed","seq":1,"line":1,"stream":"stdout","text":"\xed\xa0\x80\xff"}\n')
while True:
    pass

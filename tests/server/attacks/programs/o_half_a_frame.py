# Ends: TimeLimitExceeded
import os, select

os.write(4, b'{"kind":"output_printed","seq":1,"li')
while True:
    select.select([], [], [], 100)

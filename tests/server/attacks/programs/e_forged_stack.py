# Ends: ProgramDied
import os

os.write(2, b'Fatal Python error\n  File "program.py", line 987654321 in <img src=x onerror=alert(1)>\n')
os.write(2, b"\xff\xfe<script>alert(1)</script>\x00\x1b]0;x\x07\n")
os._exit(115)

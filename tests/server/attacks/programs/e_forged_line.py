# Ends: TimeLimitExceeded
import signal, os

signal.signal(signal.SIGUSR1, lambda *a: os.write(2, b'  File "program.py", line 999999999 in <module>\n' * 5000))
while True:
    pass

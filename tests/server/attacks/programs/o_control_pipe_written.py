# Ends: ok, error, ProgramDied
import os

for text in (b'{"command":"stop"}\n', b"x" * 70_000):
    try:
        print("note wrote", os.write(3, text))
    except OSError as e:
        print("blocked", e)

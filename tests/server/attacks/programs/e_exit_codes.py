# Ends: ProgramDied, MemoryLimitExceeded
import os

os.write(2, b"Sandbox: nothing was run <b>\n")
os._exit(114)

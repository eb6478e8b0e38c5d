# Ends: ProgramDied, MemoryLimitExceeded, error
import os

os.kill(os.getpid(), 9)

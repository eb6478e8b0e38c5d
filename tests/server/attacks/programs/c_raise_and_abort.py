# Ends: ProgramDied, MemoryLimitExceeded
import ctypes

ctypes.CDLL(None).abort()

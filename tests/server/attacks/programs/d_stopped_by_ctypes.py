# Ends: TimeLimitExceeded, ok, ProgramDied
import ctypes

ctypes.CDLL(None).raise_ if False else getattr(ctypes.CDLL(None), "raise")(19)
print("went on")

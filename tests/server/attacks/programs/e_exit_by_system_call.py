# Ends: ProgramDied
import ctypes

ctypes.CDLL(None).syscall(ctypes.c_long(231), ctypes.c_long(0))

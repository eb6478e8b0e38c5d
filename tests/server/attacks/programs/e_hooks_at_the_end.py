# Ends: ok, error, TimeLimitExceeded, EventStreamBroken, ProgramDied
import sys


def forever(*a):
    while True:
        pass


sys.excepthook = sys.unraisablehook = forever
sys.setprofile(lambda *a: None)
sys.settrace(lambda frame, event, argument: forever if frame.f_code.co_name == "drain" else None)
raise ValueError("end")

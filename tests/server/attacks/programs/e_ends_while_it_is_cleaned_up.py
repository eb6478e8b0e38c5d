# Ends: ok, error, ProgramDied, TimeLimitExceeded, OutputLimitExceeded
import gc, os, sys, weakref


class Trouble:
    def __del__(self):
        raise SystemExit(Trouble())


def louder(*a):
    print("unraisable", file=sys.__stderr__)
    raise ValueError(Trouble())


sys.unraisablehook = louder
sys.excepthook = louder
sys.addaudithook(lambda event, arguments: louder() if event.startswith("cpython") else None)
gc.callbacks.append(lambda phase, info: [Trouble() for _ in range(3)] and louder())
kept = [Trouble() for _ in range(100)]
for one in kept:
    weakref.finalize(one, os._exit, 9).atexit = True
gc.collect()
raise Trouble

# Ends: ok, error, ProgramDied, EventStreamBroken, TimeLimitExceeded
import sys, builtins

for module in list(sys.modules.values()):
    if module is not sys.modules["__main__"]:
        try:
            vars(module).clear()
        except BaseException:
            pass
sys.modules.clear()
vars(builtins).clear()

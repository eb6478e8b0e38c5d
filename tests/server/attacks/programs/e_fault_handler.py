# Ends: EventStreamBroken, ProgramDied, ok, error, TimeLimitExceeded
import faulthandler

for fd in (3, 4):
    try:
        faulthandler.enable(fd)
        faulthandler.dump_traceback(fd)
        faulthandler.dump_traceback_later(0.1, repeat=True, file=fd)
    except BaseException as e:
        print("blocked", repr(e)[:60])
faulthandler._sigsegv() if hasattr(faulthandler, "_sigsegv") else None

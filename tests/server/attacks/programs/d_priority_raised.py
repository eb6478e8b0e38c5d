# Ends: TimeLimitExceeded, error, ProgramDied
import os

for change in (
    lambda: os.nice(-20),
    lambda: os.setpriority(os.PRIO_PROCESS, 0, -20),
    lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)),
    lambda: os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)),
):
    try:
        r = change()
        if os.getpriority(os.PRIO_PROCESS, 0) < 0 or os.sched_getscheduler(0) == os.SCHED_FIFO:
            print("PWNED priority", r)
    except OSError as e:
        print("blocked", e)
while True:
    pass

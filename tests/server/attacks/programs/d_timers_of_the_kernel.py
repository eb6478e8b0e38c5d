# Ends: ok, ProgramDied, TimeLimitExceeded, error
# Timers that send signals a million times a second each, to this process or to others.
import ctypes, os, signal

l = ctypes.CDLL(None, use_errno=True)
for number in range(1, 65):
    try:
        signal.signal(number, lambda *a: None)
    except (OSError, ValueError):
        pass
made = 0
for clock in range(12):
    for target in (os.getpid(), os.getppid(), 1, @SIB@):
        for notify in (0, 4):  # SIGEV_SIGNAL, SIGEV_THREAD_ID
            event = (ctypes.c_int * 16)(0, 0, signal.SIGUSR1, notify, target)
            timer = ctypes.c_int()
            if l.syscall(ctypes.c_long(222), ctypes.c_long(clock), event, ctypes.byref(timer)) == 0:
                made += 1
                often = (ctypes.c_long * 4)(0, 1, 0, 1)
                l.syscall(ctypes.c_long(223), timer, ctypes.c_long(0), often, None)
                if target != os.getpid() and notify == 4:
                    print("PWNED a timer for another", target, flush=True)
print("made", made, flush=True)
for which in (signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
    signal.setitimer(which, 1e-6, 1e-6)
sum(range(3_000_000))

# Ends: ok, ProgramDied
import ctypes, os

l = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    return l.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))


for pid in (os.getpid(), os.getppid(), 1, @SIB@):
    handle = call(434, pid, 0)
    print("PWNED a handle" if handle >= 0 else "blocked", pid, ctypes.get_errno(), flush=True)
# Tries every number as the descriptor of a process.
for handle in range(12):
    for wanted in range(12):
        taken = call(438, handle, wanted, 0)
        if taken >= 0:
            print("PWNED a descriptor", handle, wanted, taken, flush=True)
    if call(424, handle, 0, 0, 0) >= 0:
        print("PWNED signalled", handle, flush=True)
for one in range(2):
    print("PWNED compared" if call(312, os.getpid(), os.getppid(), one, 0, 0) >= 0 else "blocked", flush=True)

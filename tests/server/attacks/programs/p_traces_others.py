# Ends: ok, ProgramDied
import ctypes, os
l = ctypes.CDLL(None, use_errno=True)
for pid in (os.getppid(), @SIB@, 1):
    for request in (16, 0x4206):
        print("PWNED traced" if l.ptrace(request, pid, None, None) == 0 else "blocked", pid, ctypes.get_errno(), flush=True)
print("note traceme", l.ptrace(0, 0, None, None), flush=True)

# Ends: ok, error, ProgramDied
import ctypes, os, resource
l = ctypes.CDLL(None, use_errno=True)
for what in (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
    for pid in (0, os.getppid(), @SIB@):
        try:
            resource.prlimit(pid, what, (resource.RLIM_INFINITY,) * 2) if pid else resource.setrlimit(what, (resource.RLIM_INFINITY,) * 2)
            print("PWNED limit", what, pid)
        except BaseException as e:
            print("blocked", repr(e)[:60])
    try:
        resource.prlimit(@SIB@, what, (0, 0))
        print("PWNED limit of a neighbour", what)
    except BaseException as e:
        print("blocked", repr(e)[:60])

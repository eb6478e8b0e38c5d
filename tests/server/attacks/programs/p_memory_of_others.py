# Ends: ok, ProgramDied, error
import ctypes, os
l = ctypes.CDLL(None, use_errno=True)
for pid in (os.getppid(), @SIB@):
    for name in ("mem", "environ", "maps", "cmdline", "fd/4", "root", "cwd"):
        try:
            print("PWNED", name, open(f"/proc/{pid}/{name}", "rb").read(20))
        except OSError as e:
            print("blocked", name, e.errno)
    b = ctypes.create_string_buffer(64)
    vec = (ctypes.c_size_t * 2)(ctypes.addressof(b), 64)
    far = (ctypes.c_size_t * 2)(id(object), 64)
    print("PWNED read" if l.process_vm_readv(pid, vec, 1, far, 1, 0) > 0 else "blocked", ctypes.get_errno(), flush=True)
    print("PWNED wrote" if l.process_vm_writev(pid, vec, 1, far, 1, 0) > 0 else "blocked", ctypes.get_errno(), flush=True)

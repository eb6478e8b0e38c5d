# Ends: ok, ProgramDied
# Calls of the kernel that write to pages in spite of their protection.
import ctypes, os

l = ctypes.CDLL(None, use_errno=True)
code = ctypes.cast(l.getpid, ctypes.c_void_p).value
b = ctypes.create_string_buffer(b"\x90" * 16)
near, far = (ctypes.c_size_t * 2)(ctypes.addressof(b), 16), (ctypes.c_size_t * 2)(code, 16)
for path in ("/proc/self/mem", f"/proc/{os.getpid()}/mem", "/proc/thread-self/mem", "/dev/mem", "/proc/self/clear_refs"):
    for flags in (os.O_RDWR, os.O_WRONLY):
        try:
            print("PWNED opened", path, os.open(path, flags))
        except OSError as e:
            print("blocked", path, e.errno)
for option, argument in ((0x59616D61, -1), (35, 1), (4, 1), (39, 2), (22, 2), (65, 0)):
    r = l.prctl(ctypes.c_long(option), ctypes.c_long(argument), ctypes.c_long(0), ctypes.c_long(0), ctypes.c_long(0))
    print("blocked" if r else "answered", option, ctypes.get_errno(), flush=True)
page = code & ~0xFFF
print("PWNED writable" if l.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(4096), 7) == 0 else "blocked", flush=True)
print("PWNED key" if l.syscall(ctypes.c_long(330), ctypes.c_long(0), ctypes.c_long(0)) > 0 else "blocked", flush=True)
how = (ctypes.c_uint64 * 3)(os.O_RDWR, 0, 0)
r = l.syscall(ctypes.c_long(437), ctypes.c_long(-100), b"/proc/self/mem", how, ctypes.c_long(24))
print("PWNED openat2" if r >= 0 else "blocked", ctypes.get_errno(), flush=True)
print("PWNED wrote code" if l.process_vm_writev(os.getpid(), near, 1, far, 1, 0) > 0 else "blocked", flush=True)

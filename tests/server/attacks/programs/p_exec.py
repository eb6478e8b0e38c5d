# Ends: ok, ProgramDied, error
import ctypes, os

l = ctypes.CDLL(None, use_errno=True)
arguments = (ctypes.c_char_p * 3)(b"sh", b"-c", None)
for name in ("execve", "execv", "execvp", "execl"):
    print("blocked", name, getattr(l, name)(b"/bin/echo", arguments, None), ctypes.get_errno(), flush=True)
print("blocked", l.syscall(322, -100, b"/bin/echo", arguments, None, 0), ctypes.get_errno())
os.execvpe("echo", ["echo", "PWNED"], {})

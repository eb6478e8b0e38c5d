# Ends: ok, error, ProgramDied
import os

for pid in range(1, 400):
    for name in ("cmdline", "environ", "status"):
        try:
            print("PWNED", pid, name, open(f"/proc/{pid}/{name}", "rb").read(40))
        except OSError:
            pass
try:
    print("PWNED", os.listdir("/proc")[:5])
except OSError as e:
    print("blocked", e)

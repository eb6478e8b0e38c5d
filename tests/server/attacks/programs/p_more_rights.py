# Ends: ok, ProgramDied, error
import os

for become in (
    lambda: os.setuid(0),
    lambda: os.setgid(0),
    lambda: os.setresuid(0, 0, 0),
    lambda: os.seteuid(0),
    lambda: os.setgroups([0]),
    lambda: os.setreuid(0, 0),
):
    try:
        become()
        print("PWNED" if os.geteuid() == 0 or os.getegid() == 0 else "nothing")
    except OSError as e:
        print("blocked", e)

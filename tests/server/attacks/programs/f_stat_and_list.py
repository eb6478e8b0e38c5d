# Ends: ok, error, ProgramDied
import os, pathlib

for look in (
    lambda: os.stat("@CANARY@"),
    lambda: os.listdir("/"),
    lambda: os.lstat("/etc/shadow"),
    lambda: __import__("glob").glob("/*") or 1 / 0,
    lambda: next(os.scandir("/tmp")),
    lambda: os.readlink("/proc/self/exe"),
    lambda: list(os.walk("/home")) or 1 / 0,
    lambda: os.statvfs("/"),
    lambda: pathlib.Path("@CANARY@").exists() or 1 / 0,
    lambda: os.access("@CANARY@", os.R_OK) or 1 / 0,
    lambda: os.getxattr("@CANARY@", "user.x"),
):
    try:
        print("PWNED", str(look())[:90])
    except Exception as e:
        print("blocked", repr(e)[:60])

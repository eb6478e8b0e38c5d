# Ends: ok, error, ProgramDied
import os

w = "@WDIR@/"
for make in (
    lambda: open(w + "a", "w"),
    lambda: os.mkdir(w + "b"),
    lambda: os.symlink("/etc/passwd", w + "c"),
    lambda: os.link("@CANARY@", w + "d"),
    lambda: os.rename("@CANARY@", w + "e"),
    lambda: os.truncate("@CANARY@", 0),
    lambda: os.mkfifo(w + "f"),
    lambda: os.mknod(w + "g"),
    lambda: os.unlink("@CANARY@"),
    lambda: os.chmod("@CANARY@", 0),
    lambda: os.utime("@CANARY@"),
    lambda: os.open(w, os.O_TMPFILE | os.O_RDWR),
    lambda: os.removedirs("@WDIR@"),
    lambda: os.setxattr("@CANARY@", "user.x", b"1"),
    lambda: os.chown("@CANARY@", -1, -1),
):
    try:
        print("PWNED", make())
    except Exception as e:
        print("blocked", repr(e)[:60])

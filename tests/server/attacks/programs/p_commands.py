# Ends: ok, error, ProgramDied
import os

run = {
    "system": lambda: os.system("echo PWNED > @WDIR@/x") == 0 and "ran",
    "popen": lambda: os.popen("id").read(),
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "subprocess": lambda: __import__("subprocess").check_output("id"),
    "multiprocessing": lambda: __import__("multiprocessing").Process(target=print).start(),
    "fork_exec": lambda: __import__("_posixsubprocess").fork_exec(
        [b"/bin/true"],
        [b"/bin/true"],
        True,
        (),
        None,
        None,
        -1,
        -1,
        -1,
        -1,
        -1,
        -1,
        3,
        4,
        False,
        False,
        -1,
        None,
        None,
        None,
        -1,
        None,
        False,
    ),
    "pty": lambda: __import__("pty").spawn("/bin/true"),
    "pool": lambda: __import__("concurrent.futures").futures.ProcessPoolExecutor(1).submit(print).result(),
}
for name, call in run.items():
    try:
        got = call()
        print("PWNED" if got else "nothing", name, got)
    except BaseException as e:
        print("blocked", name, repr(e)[:60])

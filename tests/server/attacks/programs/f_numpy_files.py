# Ends: ok, error, ProgramDied
import numpy as np

for read in (
    lambda: np.fromfile("@CANARY@", dtype="u1").tobytes(),
    lambda: np.load("@CANARY@", mmap_mode="r"),
    lambda: np.lib.format.open_memmap("@WDIR@/m.npy", mode="w+", shape=(4,)),
    lambda: np.savez("@WDIR@/z", a=1),
    lambda: np.savetxt("@WDIR@/t", [1]),
    lambda: np.DataSource("@WDIR@").open("@CANARY@").read(),
    lambda: np.lib.npyio.DataSource("@WDIR@").open("http://127.0.0.1:@PORT@/"),
    lambda: np.ones(3).dump("@WDIR@/d"),
    lambda: np.fromregex("@CANARY@", "(.*)", [("x", "S20")]),
):
    try:
        print("PWNED", read())
    except BaseException as e:
        print("blocked", repr(e)[:60])

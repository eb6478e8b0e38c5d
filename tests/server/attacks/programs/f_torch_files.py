# Ends: ok, error, ProgramDied
import torch

for use in (
    lambda: torch.save(torch.ones(2), "@WDIR@/t.pt"),
    lambda: torch.load("@CANARY@"),
    lambda: torch.from_file("@CANARY@", size=8, dtype=torch.uint8),
    lambda: torch.hub.load("@WDIR@", "x"),
    lambda: torch.ops.load_library("@CANARY@"),
    lambda: torch.jit.load("@CANARY@"),
):
    try:
        print("PWNED", use())
    except BaseException as e:
        print("blocked", repr(e)[:60])

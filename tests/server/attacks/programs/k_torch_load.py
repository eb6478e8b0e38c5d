# Ends: ok, error, ProgramDied
import io, os, torch


class Run:
    def __reduce__(self):
        return os.mkdir, ("@WDIR@/by_torch",)


b = io.BytesIO()
try:
    torch.save({"a": Run()}, b)
    b.seek(0)
    torch.load(b, weights_only=False)
    print("PWNED it ran")
except BaseException as e:
    print("blocked", repr(e)[:80])

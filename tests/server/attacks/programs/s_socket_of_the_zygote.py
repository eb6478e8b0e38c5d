# Ends: ok, error, ProgramDied, EventStreamBroken
import gc
from backscope_server.sandbox.zygote import Zygote

gc.unfreeze()
for z in [o for o in gc.get_objects() if type(o) is Zygote]:
    for act in (
        lambda: z.server.send(b'{"type":"exited","child":1,"status":0,"cpu_seconds":0}'),
        lambda: z.server.recv(10),
        lambda: z.fork(),
        lambda: [z.reap(p) for p in list(z.children)],
    ):
        try:
            act()
            print("PWNED acted for the zygote")
        except BaseException as e:
            print("blocked", repr(e)[:80])

# Ends: ok, error
import gc, sys, inspect

gc.unfreeze()
secret = [
    o
    for o in gc.get_objects()
    if isinstance(o, dict) and any(isinstance(v, str) and v.startswith("CANARY-" + "ENV") for v in list(o.values()))
]
foreign = sorted(
    {type(o).__module__ for o in gc.get_objects()}
    & {"fastapi", "starlette", "uvicorn", "pydantic", "asyncio", "backscope_server.session.session"}
)
print("PWNED" if secret or foreign else "nothing", secret[:1], foreign)
import __main__

print(sys.argv, getattr(sys, "orig_argv", None) and len(sys.orig_argv))
for frame in inspect.stack():
    for name, value in list(frame.frame.f_locals.items()):
        text = str(type(value)) + name
        if "socket" in text.lower():
            try:
                print("PWNED told the zygote's server", value.send(b"x"))
            except BaseException as e:
                print("blocked", repr(e)[:60])

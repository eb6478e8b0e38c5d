# Ends: ProgramDied, error, ok, TimeLimitExceeded, MemoryLimitExceeded
import types, opcode


def f():
    return 1


load = opcode.opmap["LOAD_FAST"]
for argument in (5, 100, 255):
    g = types.FunctionType(f.__code__.replace(co_code=bytes([load, argument, opcode.opmap["RETURN_VALUE"], 0]) * 4), {})
    print(g())

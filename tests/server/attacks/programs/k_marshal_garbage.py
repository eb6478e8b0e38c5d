# Ends: ProgramDied, error, ok, TimeLimitExceeded, MemoryLimitExceeded, EventStreamBroken
import marshal, random

r = random.Random(3)
good = bytearray(marshal.dumps(compile("def f(a): return [a, a + 1]\nf(2)", "x", "exec")))
for _ in range(3000):
    bad = bytearray(good)
    for _ in range(3):
        bad[r.randrange(len(bad))] = r.randrange(256)
    try:
        exec(marshal.loads(bytes(bad)), {})
    except BaseException:
        pass

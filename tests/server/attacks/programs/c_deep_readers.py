# Ends: ok, error, ProgramDied, MemoryLimitExceeded, TimeLimitExceeded
# C code that recurses into its input, beyond the end of the stack unless it counts the depth.
import ast, copy, json, pickle, re, sys

nested = []
for _ in range(200_000):
    nested = [nested]


class Deep:
    def __reduce__(self):
        return Deep, (), {"inner": self.__dict__.get("inner")}


chain = None
for _ in range(100_000):
    one = Deep()
    one.inner = chain
    chain = one
readers = {
    "json read": lambda: json.loads("[" * 300_000),
    "json written": lambda: json.dumps(nested),
    "unpickled": lambda: pickle.loads(b"(" * 300_000 + b"t" * 300_000 + b"."),
    "pickled": lambda: pickle.dumps(chain),
    "literal": lambda: ast.literal_eval("[" * 150 + "]" * 150),
    "tree": lambda: compile(ast.Expression(eval("ast.Constant(1)")), "x", "eval"),
    "pattern": lambda: re.compile("(" * 50_000 + ")" * 50_000),
    "copied": lambda: copy.deepcopy(nested),
    "shown": lambda: repr(nested),
    "compared": lambda: nested == copy.copy(nested),
    "hashed": lambda: hash(eval("(" * 80 + "1," + "),"[:1] * 80)),
    "type": lambda: isinstance(1, (nested and (int,),)),
}
for limit in (sys.getrecursionlimit(), 2**31 - 1):
    sys.setrecursionlimit(limit)
    for name, run in readers.items():
        try:
            run()
            print("ended", name, flush=True)
        except BaseException as e:
            print("blocked", name, type(e).__name__, flush=True)
del nested, chain
print("freed")

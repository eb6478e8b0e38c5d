# Ends: ok, ProgramDied, error, TimeLimitExceeded
import ctypes, gc, sys

gc.unfreeze()
wanted = [b"CANARY-" + b"ENV", b"CANARY-" + b"FILE"]
# Pages in which an object begins are mapped; those between them may not be.
pages = sorted({id(o) >> 12 for o in gc.get_objects()} | {id(n) >> 12 for n in sys.modules})
print(len(pages), flush=True)
for page in pages:
    block = ctypes.string_at(page << 12, 4096)
    for w in wanted:
        at = block.find(w)
        # What is looked for is in memory too; the real one goes on.
        if at >= 0 and block[at + len(w) : at + len(w) + 1] == b"-":
            print("PWNED", block[at:][:40], flush=True)

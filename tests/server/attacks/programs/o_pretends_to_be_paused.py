# Ends: TimeLimitExceeded, EventStreamBroken, ProgramDied
# A paused program has more time: this one forges the event `paused`, and goes on.
import json, os

stop = {"kind": "paused", "line": 1, "reason": "pause", "breakpoints": [], "where": "line", "call": None, "node": None}
for descriptor in range(8):
    for seq in range(1, 6):
        try:
            os.write(descriptor, json.dumps({**stop, "seq": seq, "stack": [], "note": None}).encode() + b"\n")
        except OSError:
            break
while True:
    try:
        while True:
            pass
    except BaseException:
        continue

# Ends: EventStreamBroken, ok, error
import gc, sys
from backscope.recorder.journal import Journal
from backscope.recorder.recorder import Recorder

for found in gc.get_objects():
    if type(found) is Journal:
        found.seq += 7
        found.lines.append(b'{"kind":"output_printed","seq":1,"line":1,"stream":"stdout","text":"forged"}')
gc.unfreeze()
frame = sys._getframe()
while frame is not None:
    for name, value in frame.f_locals.items():
        if isinstance(value, Recorder):
            value.journal.seq = 3
            value.journal.write(b'{"kind":"program_finished","seq":3,"line":null,"status":"ok"}\n')
    frame = frame.f_back
print("done")

# Ends: ok, error, EventStreamBroken, ProgramDied
from backscope.protocol import events
from backscope.recorder import journal, recorder

events.encode = journal.ev.encode = lambda event: b'{"kind":"made up"}'
recorder.Recorder.drain = journal.Journal.drain = lambda self: None
import torch

print(torch.ones(2) + 1)

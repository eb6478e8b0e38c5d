# Ends: ok, ProgramDied, error, EventStreamBroken
import os

for move in (
    lambda: os.sendfile(4, 3, None, 100),
    lambda: os.splice(3, 4, 100),
    lambda: os.copy_file_range(0, 4, 10),
    lambda: os.writev(4, [b"x"]),
    lambda: os.pwrite(4, b"x", 0),
    lambda: os.preadv(0, [bytearray(9)], 0),
):
    try:
        print("note moved", move())
    except OSError as e:
        print("blocked", e)

# Ends: EventStreamBroken, ok
import os

os.write(
    4,
    b'{"kind":"program_finished","session":"AAAAAAAAAAAAAAAA","child":1,"id":1,"seq":1,"line":null,"status":"stopped"}\n',
)
while True:
    pass

# Ends: ok, error, ProgramDied
import threading, _thread, signal, faulthandler


def spin():
    while True:
        pass


for start in (
    lambda: _thread.start_new_thread(spin, ()),
    threading.Thread(target=spin, daemon=True).start,
    threading.Timer(0, spin).start,
    lambda: faulthandler.dump_traceback_later(1, exit=True),
):
    try:
        start()
        print("PWNED a thread")
    except BaseException as e:
        print("blocked", repr(e)[:60])

# Ends: ok, error, ProgramDied
import tempfile, os


def shared():
    from multiprocessing import shared_memory

    return shared_memory.SharedMemory(create=True, size=100)


def semaphore():
    import ctypes

    l = ctypes.CDLL(None, use_errno=True)
    r = l.shm_open(b"/backscope-attack", 0o102, 0o666)
    assert r >= 0, ctypes.get_errno()
    return r


for make in (
    tempfile.mkdtemp,
    tempfile.TemporaryFile,
    tempfile.NamedTemporaryFile,
    shared,
    semaphore,
    lambda: tempfile.mkstemp(dir="/dev/shm"),
    lambda: tempfile.mkstemp(dir="@WDIR@"),
    lambda: open("/dev/shm/x", "w"),
):
    try:
        print("PWNED", make())
    except BaseException as e:
        print("blocked", repr(e)[:60])

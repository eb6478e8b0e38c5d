# Ends: ok, ProgramDied, error
import ctypes, platform

if platform.machine() == "x86_64":

    class Map(ctypes.Structure):
        pass

    Map._fields_ = [
        ("base", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("ld", ctypes.c_void_p),
        ("next", ctypes.POINTER(Map)),
    ]
    at = ctypes.cast(ctypes.CDLL(None)._handle, ctypes.POINTER(Map))
    while at:
        m = at.contents
        at = m.next
        if not m.base or not m.name or b"/" not in m.name:
            continue
        head = ctypes.string_at(m.base, 64)
        offset, count = int.from_bytes(head[32:40], "little"), int.from_bytes(head[56:58], "little")
        for i in range(count):
            p = ctypes.string_at(m.base + offset + 56 * i, 56)
            kind, flags = int.from_bytes(p[:4], "little"), int.from_bytes(p[4:8], "little")
            if kind == 1 and flags & 1:
                start, size = m.base + int.from_bytes(p[16:24], "little"), int.from_bytes(p[40:48], "little")
                found = ctypes.string_at(start, size).find(b"\xcd\x80\xc3")
                if found >= 0:
                    print("calling the 32-bit gate in", m.name, flush=True)
                    gate = ctypes.CFUNCTYPE(ctypes.c_int)(start + found)
                    print("PWNED the 32-bit gate answered", gate())
print("no gate found")

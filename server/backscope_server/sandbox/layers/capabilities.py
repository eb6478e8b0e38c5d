"""Layer: drops root's capabilities; the zygote keeps those to change its children's user and kill them."""

from __future__ import annotations

import contextlib
import ctypes
import struct

from backscope_server.sandbox.layers import kernel

KILL, SETGID, SETUID, SYS_ADMIN = 5, 6, 7, 21

_VERSION_3 = 0x20080522
_CAPBSET_DROP = 24
_AMBIENT, _AMBIENT_CLEAR_ALL = 47, 4
_HIGHEST = 63
_JOIN_SESSION_KEYRING = 1


_HEADER = struct.pack("=Ii", _VERSION_3, 0)


def permitted() -> int:
    """Return the bits of the capabilities that this process may use."""
    data = ctypes.create_string_buffer(24)
    kernel.call("capget", _HEADER, ctypes.addressof(data))
    words = struct.unpack("=6I", data.raw)
    return int(words[1] | words[4] << 32)


def drop(*, keep: tuple[int, ...] = ()) -> None:
    """Give up every capability but these, for this process and its descendants.

    Raises: OSError.
    """
    had = permitted()
    for capability in range(_HIGHEST + 1):
        if capability not in keep:
            with contextlib.suppress(OSError):  # Those the kernel does not have, and all of them without CAP_SETPCAP.
                kernel.prctl(_CAPBSET_DROP, capability)
    with contextlib.suppress(OSError):
        kernel.prctl(_AMBIENT, _AMBIENT_CLEAR_ALL)
    bits = sum(1 << capability for capability in keep) & had
    low, high = bits & 0xFFFFFFFF, bits >> 32
    kernel.call("capset", _HEADER, struct.pack("=6I", low, low, 0, high, high, 0))


def leave_keyring() -> None:
    """Begin a new session keyring: the current one may have keys of the user who started the server."""
    with contextlib.suppress(OSError):  # Containers refuse the call, and have no keys then.
        kernel.call("keyctl", _JOIN_SESSION_KEYRING, None)

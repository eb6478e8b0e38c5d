"""Layer: namespaces, in which a zygote and its children see none of the machine's files, networks, processes and names.

In two steps, because a process cannot change its own process-id namespace: `begin` before anything is loaded, `enter`
when everything is.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import NoReturn

from backscope_server.sandbox.layers import capabilities, kernel, prctl

_MOUNT, _CGROUP, _UTS, _IPC, _USER, _PID, _NETWORK = (
    0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
_RECURSIVE, _PRIVATE = 0x4000, 0x40000
_READ_ONLY, _NO_SETUID, _NO_DEVICES, _NO_EXECUTION, _REMOUNT = 1, 2, 4, 8, 32
_DETACH = 2

HOSTNAME = "backscope"


def _unshare(flags: int) -> None:
    if kernel.libc.unshare(flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"unshare: {os.strerror(number)}")


def _mount(source: bytes, target: bytes, kind: bytes | None, flags: int, options: bytes | None = None) -> None:
    if kernel.libc.mount(source, target, kind, ctypes.c_ulong(flags), options) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"mount {target.decode()}: {os.strerror(number)}")


def _leave_processes() -> None:
    # An ordinary user needs a user namespace for it, in which only that user exists; root keeps its own, for the
    # sake of the ids of its children.
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        _unshare(_PID)
        return
    _unshare(_USER | _PID)
    own = Path("/proc/self")
    (own / "setgroups").write_text("deny")
    (own / "uid_map").write_text(f"{user} {user} 1")
    (own / "gid_map").write_text(f"{group} {group} 1")


def why_not() -> str | None:
    """Return why this process cannot have namespaces, or None if it can; a separate process tries it."""
    reading, writing = os.pipe()
    trying = os.fork()
    if trying == 0:
        said = ""
        try:
            _leave_processes()
            enter()
        except OSError as error:
            said = error.strerror or str(error)
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(trying, 0)
    return said or None


def _shepherd(child: int, server: int) -> NoReturn:
    """Wait for the zygote and end with it; when this process is killed, the kernel kills the zygote."""
    os.close(server)  # The zygote ends when its socket closes, so no other process may hold the other end.
    capabilities.drop(keep=(capabilities.KILL,))
    prctl.no_new_privileges()
    os.waitpid(child, 0)
    os._exit(0)


def begin(server: int) -> None:
    """Continue as the first process of a new process-id namespace; `server` is the socket to the server.

    Raises: OSError.
    """
    _leave_processes()
    child = os.fork()
    if child:
        _shepherd(child, server)
    prctl.kill_with_parent()


def enter() -> None:
    """Leave the machine's mounts, network, names and memory segments; / is an empty folder from then on.

    Raises: OSError.
    """
    _unshare(_MOUNT | _NETWORK | _IPC | _UTS | _CGROUP)
    kernel.call("sethostname", HOSTNAME.encode(), len(HOSTNAME))
    _mount(b"none", b"/", None, _RECURSIVE | _PRIVATE)
    place = next(folder for folder in ("/tmp", "/run", "/mnt", "/usr") if os.path.isdir(folder)).encode()
    secure = _NO_SETUID | _NO_DEVICES | _NO_EXECUTION
    _mount(b"tmpfs", place, b"tmpfs", secure, b"size=4k,nr_inodes=2,mode=555")
    os.chdir(place)
    # The old root comes to lie over the new one and is taken off.
    kernel.call("pivot_root", b".", b".")
    kernel.call("umount2", b".", _DETACH)
    _mount(b"tmpfs", b"/", b"tmpfs", _REMOUNT | _READ_ONLY | secure)
    os.chdir("/")

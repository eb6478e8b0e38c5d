"""Protects Landlock: all rights of each version are taken away; the kernel then refuses files, ports and signals."""

from __future__ import annotations

import struct

import pytest

from backscope_server.sandbox.layers import landlock

needs_landlock = pytest.mark.skipif(landlock.abi() == 0, reason="this kernel has no Landlock")


@pytest.mark.parametrize(
    ("version", "size", "files", "network", "scopes"),
    [(1, 8, 13, 0, 0), (2, 8, 14, 0, 0), (3, 8, 15, 0, 0), (4, 16, 15, 3, 0), (5, 16, 16, 3, 0), (6, 24, 16, 3, 3),
     (7, 24, 16, 3, 3), (99, 24, 16, 3, 3)],
)  # fmt: skip
def test_each_version_gives_up_all_that_it_has(version, size, files, network, scopes):
    assert landlock.rights(version) == ((1 << files) - 1, network, scopes)
    given = landlock.attributes(version)
    assert len(given) == size
    assert given == struct.pack("=QQQ", *landlock.rights(version))[:size]


RESTRICTED = """
import os, socket
from backscope_server.sandbox.layers import landlock, prctl
listener = socket.create_server(("127.0.0.1", 0))
prctl.no_new_privileges()
landlock.restrict(landlock.abi())
def refused(call):
    try:
        call()
    except PermissionError:
        return True
    return False
print(refused(lambda: open("/etc/passwd")), refused(lambda: os.listdir("/")), refused(lambda: os.mkdir("/tmp/x-y")))
version = landlock.abi()
if version >= 4:
    assert refused(lambda: socket.create_connection(listener.getsockname(), 1))
    assert refused(lambda: socket.create_server(("127.0.0.1", 0)))
if version >= 6:
    assert refused(lambda: os.kill(os.getppid(), 0))
"""


@needs_landlock
def test_the_kernel_refuses_files_ports_and_signals(alone):
    assert alone(RESTRICTED) == "True True True\n"


@needs_landlock
def test_siblings_do_not_reach_each_other(alone):
    if landlock.abi() < 6:
        pytest.skip("this kernel's Landlock knows no scopes")
    code = """
        import os, signal, time
        from backscope_server.sandbox.layers import landlock, prctl
        prctl.no_new_privileges()
        landlock.restrict(landlock.abi())
        first = os.fork()
        if first == 0:
            landlock.restrict(landlock.abi())
            signal.pause()
        if (second := os.fork()) == 0:
            landlock.restrict(landlock.abi())
            try:
                os.kill(first, 0)
            except PermissionError:
                os._exit(7)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(second, 0)[1]))
        os.kill(first, signal.SIGKILL)
        print(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]))
    """
    assert alone(code) == "7\n-9\n"

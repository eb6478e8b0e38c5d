"""Protects the namespaces: an empty root, no network and no processes of the machine."""

from __future__ import annotations

import os

import pytest

from backscope_server.sandbox.layers import namespaces

needs_namespaces = pytest.mark.skipif(namespaces.why_not() is not None, reason="no namespaces are to be had here")

INSIDE = """
import os, socket
from backscope_server.sandbox.layers import namespaces
server, ours = socket.socketpair()
namespaces.begin(server.fileno())
listener = socket.create_server(("127.0.0.1", 0))
namespaces.enter()
def error_of(call):
    try:
        call()
    except OSError as error:
        return type(error).__name__, error.errno
print(os.getpid(), os.getppid(), os.listdir("/"), os.getcwd(), os.uname().nodename)
print(error_of(lambda: os.mkdir("/x")), error_of(lambda: socket.socket().connect(listener.getsockname())))
"""


@needs_namespaces
def test_files_network_and_processes_of_the_machine_are_hidden(alone):
    first, second = alone(INSIDE).splitlines()
    assert first == "1 0 [] / backscope"
    assert second in ("('OSError', 30) ('OSError', 101)", "('PermissionError', 13) ('OSError', 101)")


@needs_namespaces
def test_an_ordinary_user_has_them_too(alone):
    if os.geteuid() != 0:
        pytest.skip("this is an ordinary user: the test above is that")
    loaded = "import os, socket\nfrom backscope_server.sandbox.layers import kernel, namespaces\n"
    # Dumpable again, as after executing: its files in /proc are else root's.
    become = (
        "os.setgroups([])\nos.setresgid(65534, 65534, 65534)\nos.setresuid(65534, 65534, 65534)\nkernel.prctl(4, 1)\n"
    )
    refusal = alone(f"{loaded}{become}print(namespaces.why_not())\n")
    if refusal != "None\n":
        pytest.skip(f"ordinary users have no namespaces here: {refusal}")
    assert alone(loaded + become + INSIDE.partition("namespaces\n")[2]).startswith("1 0 [] / backscope\n")


def test_a_refusal_is_said_and_changes_nothing(alone):
    code = """
        import ctypes, os
        from backscope_server.sandbox.layers import namespaces
        def refuse(*_):
            raise OSError(1, "Operation not permitted")
        namespaces._mount = refuse
        before = os.readlink("/proc/self/ns/pid_for_children")
        print(namespaces.why_not(), before == os.readlink("/proc/self/ns/pid_for_children"))
    """
    assert alone(code).split()[-1] == "True"
    assert "permitted" in alone(code)

"""Protects the process attributes: no inspection, no executable memory, and a child dies with its parent."""

from __future__ import annotations

import pytest

from backscope_server.sandbox.layers import prctl


def test_a_shut_process_cannot_be_inspected(alone):
    code = """
        from backscope_server.sandbox.layers import prctl
        print(prctl.is_protected())
        prctl.no_new_privileges()
        prctl.make_undumpable()
        print(prctl.is_protected())
    """
    assert alone(code) == "False\nTrue\n"


@pytest.mark.skipif(not prctl.has_mdwe(), reason="this kernel cannot refuse executable memory")
def test_memory_does_not_become_executable(alone):
    code = """
        from backscope_server.sandbox import probe
        from backscope_server.sandbox.layers import prctl
        probe.map_executable()
        probe.make_executable()
        prctl.refuse_executable_memory()
        for attempt in (probe.map_executable, probe.make_executable):
            try:
                attempt()
                print("got through")
            except PermissionError:
                print("refused")
    """
    assert alone(code) == "refused\nrefused\n"


def test_a_child_dies_with_its_parent(alone):
    code = """
        import os, signal, time
        from backscope_server.sandbox.layers import prctl
        reading, writing = os.pipe()
        parent = os.fork()
        if parent == 0:
            ready, done = os.pipe()
            if os.fork() == 0:
                prctl.die_with_parent(os.getppid())
                os.write(done, b".")
                time.sleep(60)
            os.read(ready, 1)
            os._exit(0)
        os.close(writing)
        # Reading ends once no process has the other end open: the child has ended too.
        print(os.read(reading, 1))
    """
    assert alone(code) == "b''\n"

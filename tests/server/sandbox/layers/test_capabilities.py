"""Protects that root's capabilities are gone: those that were dropped can be neither used nor regained."""

from __future__ import annotations

import os

import pytest

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user has no capabilities to give up")


@as_root
def test_only_kept_capabilities_are_left(alone):
    code = """
        import os
        from backscope_server.sandbox.layers import capabilities
        capabilities.drop(keep=(capabilities.KILL, capabilities.SETUID))
        print(capabilities.permitted() == 1 << capabilities.KILL | 1 << capabilities.SETUID)
        for attempt in (lambda: os.chroot("/"), lambda: os.setgid(7)):
            try:
                attempt()
            except PermissionError:
                print("refused")
        os.setuid(7)
        print(capabilities.permitted())
    """
    assert alone(code) == "True\nrefused\nrefused\n0\n"


def test_everything_can_be_dropped(alone):
    code = """
        from backscope_server.sandbox.layers import capabilities
        capabilities.drop()
        capabilities.leave_keyring()
        print(capabilities.permitted())
    """
    assert alone(code) == "0\n"

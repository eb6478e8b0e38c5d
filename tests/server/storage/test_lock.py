"""Protects file locks: one holder at a time, by the means of each system."""

from __future__ import annotations

import os
import sys
import types

import pytest

from backscope_server.storage.lock import lock, try_lock


@pytest.fixture(params=["flock", "byte"])
def held(request, monkeypatch):
    """Return which bytes of which files are locked, as Windows would."""
    locked: dict[str, int] = {}
    if request.param == "byte":

        def locking(file: int, _mode: int, nbytes: int) -> None:
            path = os.readlink(f"/proc/self/fd/{file}")
            if locked.setdefault(path, file) != file:
                raise OSError(36, "Resource deadlock avoided")
            assert (os.lseek(file, 0, os.SEEK_CUR), nbytes) == ((1 << 31) - 2, 1)

        monkeypatch.setitem(sys.modules, "fcntl", None)
        monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(LK_NBLCK=2, locking=locking))
    return locked


def test_a_lock_has_one_holder_and_leaves_the_file_as_it_was(held, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    first, second = (os.open(path, os.O_RDWR) for _ in range(2))
    os.read(first, 4)
    assert try_lock(first)
    assert not try_lock(second)
    assert os.read(first, 10) == b"456789"
    os.close(first)
    held.clear()  # As the system does it.
    lock(second)
    os.close(second)
    assert path.read_bytes() == b"0123456789"

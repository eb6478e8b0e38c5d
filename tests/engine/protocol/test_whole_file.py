"""Protects files that appear whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from backscope.protocol.whole_file import whole_file


def test_a_file_is_replaced_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"before")
    path.chmod(0o640)
    with whole_file(path) as file:
        file.write(b"after")
        assert path.read_bytes() == b"before"
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_left_of_one_that_fails(tmp_path: Path) -> None:
    def write() -> None:
        with whole_file(tmp_path / "a") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert list(tmp_path.iterdir()) == []


def test_what_a_link_names_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_bytes(b"before")
    link.symlink_to(path)
    with whole_file(link) as file:
        file.write(b"after")
    assert link.is_symlink()
    assert path.read_bytes() == b"after"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    with whole_file(path) as file:
        file.write(b"through")
    reader.join()
    assert found == [b"through"]
    assert stat.S_ISFIFO(path.stat().st_mode)

"""Protects files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from backscope.protocol.whole_file import draft, whole_file


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


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files to others")
def test_the_owner_of_the_file_that_is_replaced_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"before")
    os.chown(path, 1234, 2345)
    path.chmod(0o600)
    with whole_file(path) as file:
        file.write(b"after")
    about = path.stat()
    assert (about.st_uid, about.st_gid, stat.S_IMODE(about.st_mode)) == (1234, 2345, 0o600)


def test_an_owner_who_is_not_known_where_the_file_is_written_loses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: int, _owner: int, _group: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    path = tmp_path / "a"
    path.write_bytes(b"before")
    monkeypatch.setattr(os, "fchown", refuse, raising=False)
    with whole_file(path) as file:
        file.write(b"after")
    assert path.read_bytes() == b"after"


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


def test_what_a_link_of_the_system_leads_to_is_written_to() -> None:
    reader, writer = os.pipe()
    with whole_file(f"/dev/fd/{writer}") as file:
        file.write(b"through")
    os.close(writer)
    with open(reader, "rb") as found:
        assert found.read() == b"through"


def test_an_error_of_who_writes_to_a_pipe_is_raised() -> None:
    reader, writer = os.pipe()

    def write() -> None:
        with whole_file(f"/dev/fd/{writer}"):
            raise FileNotFoundError("what is written")

    with pytest.raises(FileNotFoundError, match="what is written"):
        write()
    os.close(reader)
    os.close(writer)


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    path = tmp_path / ("\u9006" * 85)
    with whole_file(path) as file:
        file.write(b"x")
    assert path.read_bytes() == b"x"


def test_a_file_gets_its_name_when_it_is_whole(tmp_path: Path) -> None:
    begun, whole = tmp_path / "begun", tmp_path / "whole"
    with draft(begun, lambda: os.replace(begun, whole)) as file:
        file.write(b"content")
        assert not whole.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]
    assert whole.read_bytes() == b"content"


def test_nothing_is_left_of_a_file_that_could_not_be_written_or_named(tmp_path: Path) -> None:
    def refuse() -> None:
        raise OSError("full")

    with pytest.raises(OSError, match="full"), draft(tmp_path / "begun", refuse) as file:
        file.write(b"content")
    with pytest.raises(ValueError, match="half"), draft(tmp_path / "begun", refuse):
        raise ValueError("half")
    assert list(tmp_path.iterdir()) == []


def test_a_draft_of_another_server_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "begun").write_bytes(b"theirs")
    with pytest.raises(FileExistsError), draft(tmp_path / "begun", lambda: None):
        raise AssertionError("it was opened")
    assert (tmp_path / "begun").read_bytes() == b"theirs"

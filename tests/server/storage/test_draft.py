"""Protects that a file gets its name once it is whole, and leaves nothing behind otherwise."""

from __future__ import annotations

import os

import pytest

from backscope_server.storage.draft import draft


def test_a_file_gets_its_name_when_it_is_whole(tmp_path):
    begun, whole = tmp_path / "begun", tmp_path / "whole"
    with draft(begun, lambda: os.replace(begun, whole)) as file:
        file.write(b"content")
        assert not whole.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]
    assert whole.read_bytes() == b"content"


def test_nothing_is_left_of_a_file_that_could_not_be_written_or_named(tmp_path):
    def refuse():
        raise OSError("full")

    with pytest.raises(OSError, match="full"), draft(tmp_path / "begun", refuse) as file:
        file.write(b"content")
    with pytest.raises(ValueError, match="half"), draft(tmp_path / "begun", refuse):
        raise ValueError("half")
    assert list(tmp_path.iterdir()) == []


def test_a_draft_of_another_server_is_left_alone(tmp_path):
    (tmp_path / "begun").write_bytes(b"theirs")
    with pytest.raises(FileExistsError), draft(tmp_path / "begun", lambda: None):
        raise AssertionError("it was opened")
    assert (tmp_path / "begun").read_bytes() == b"theirs"

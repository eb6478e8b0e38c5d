"""Protects the kept token: the same after each restart, readable by its user only, and not required to start."""

from __future__ import annotations

import stat

import pytest

from backscope_server.settings import Settings
from backscope_server.storage.secret import kept_secret


def test_the_token_is_the_same_at_every_start(tmp_path):
    first = kept_secret(tmp_path / "place")
    assert len(first) == 32
    assert kept_secret(tmp_path / "place") == first
    assert stat.S_IMODE((tmp_path / "place" / "token").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "place").iterdir()] == ["token"]


def test_without_a_folder_the_token_is_for_one_start(tmp_path):
    assert kept_secret(None) != kept_secret(None)
    (tmp_path / "file").write_text("")
    assert len(kept_secret(tmp_path / "file")) == 32


@pytest.mark.parametrize(("text", "mode"), [("short", 0o600), ("x" * 32, 0o644), ("x" * 33, 0o600)])
def test_a_token_that_others_may_have_read_or_written_is_replaced(tmp_path, text, mode):
    path = tmp_path / "token"
    path.write_text(text)
    path.chmod(mode)
    made = kept_secret(tmp_path)
    assert made != text
    assert kept_secret(tmp_path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_text("x" * 32)
    (tmp_path / "elsewhere").chmod(0o600)
    (tmp_path / "token").symlink_to(tmp_path / "elsewhere")
    assert kept_secret(tmp_path) != "x" * 32
    assert (tmp_path / "elsewhere").read_text() == "x" * 32


def test_the_token_is_in_the_folder_of_the_runs(tmp_path):
    assert Settings(storage=str(tmp_path)).secret == Settings(storage=str(tmp_path)).secret
    assert Settings(storage="off").secret != Settings(storage="off").secret
    assert Settings(storage=str(tmp_path), token="given-by-hand").secret == "given-by-hand"


def test_a_public_server_stores_runs_only_if_it_is_set(tmp_path):
    assert Settings(public=True).storage_folder() is None
    assert Settings(public=True, storage="auto").storage_folder() is None
    assert Settings(public=True, storage=str(tmp_path)).storage_folder() == tmp_path

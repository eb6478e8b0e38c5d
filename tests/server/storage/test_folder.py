"""Protects the folder of stored runs: private, bounded, safe names, and shared by two servers without damage."""

from __future__ import annotations

import os
import stat

import pytest

from backscope_server.storage.folder import DRAFT, FINISHED, PART, Folder, StorageError

IDS = [f"{number:016d}" for number in range(6)]


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "place", kept=3, nbytes=1000)


def put(folder, identity, kind=FINISHED, size=10, age=0):
    path = folder.file(identity, kind)
    path.write_bytes(b"x" * size)
    os.utime(path, ns=(0, 10**18 - age * 10**9))


def test_the_folder_and_its_files_are_for_its_user_only(folder):
    os.close(folder.create(IDS[0], PART))
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.path.iterdir()} == {0o600}


def test_a_folder_that_others_could_read_is_closed_to_them(tmp_path):
    (tmp_path / "runs").mkdir(mode=0o755)
    assert stat.S_IMODE(Folder(tmp_path, kept=1, nbytes=1).path.stat().st_mode) == 0o700


def test_a_path_that_is_no_folder_is_refused_with_the_setting(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="BACKSCOPE_STORAGE"):
        Folder(tmp_path / "file", kept=1, nbytes=1)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "runs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="BACKSCOPE_STORAGE"):
        Folder(tmp_path, kept=1, nbytes=1)


@pytest.mark.parametrize(
    "name", ["", "..", "../../etc/passwd", "a" * 15, "a" * 17, "a/aaaaaaaaaaaaaa", "ü" * 16, "a" * 15 + "\n"]
)
def test_only_ids_of_sessions_are_names(folder, name):
    with pytest.raises(KeyError):
        folder.file(name, FINISHED)


def test_a_file_that_is_there_is_not_written_over(folder):
    put(folder, IDS[0], PART)
    with pytest.raises(FileExistsError):
        folder.create(IDS[0], PART)
    folder.file(IDS[1], PART).symlink_to(folder.path / "target")
    with pytest.raises(FileExistsError):
        folder.create(IDS[1], PART)
    assert not (folder.path / "target").exists()


def test_the_oldest_runs_make_room_by_number_and_by_size(folder):
    for age, identity in enumerate(IDS[:5]):
        put(folder, identity, age=age)
    folder.make_room()
    assert folder.identities(FINISHED) == [IDS[2], IDS[1], IDS[0]]
    put(folder, IDS[0], size=995)
    folder.make_room()
    assert folder.identities(FINISHED) == [IDS[0]]


def test_other_files_are_left_alone(folder):
    (folder.path / "notes.txt").write_text("mine")
    (folder.path / "notes.backscope").write_text("mine")
    for age, identity in enumerate(IDS):
        put(folder, identity, age=age)
    folder.make_room()
    assert {path.name for path in folder.path.glob("notes*")} == {"notes.txt", "notes.backscope"}


def test_a_part_is_an_orphan_once_its_server_is_gone(folder, tmp_path):
    file = folder.create(IDS[0], PART)
    other = Folder(tmp_path / "place", kept=3, nbytes=1000)
    with other.orphan(IDS[0]) as ours:
        assert not ours
    os.close(file)  # What the kernel does when a process dies.
    with other.orphan(IDS[0]) as ours:
        assert ours
    with other.orphan(IDS[1]) as ours:
        assert not ours


def test_publishing_replaces_the_name(folder):
    os.close(folder.create(IDS[0], DRAFT))
    folder.publish(IDS[0], DRAFT)
    assert (folder.identities(FINISHED), folder.identities(DRAFT)) == ([IDS[0]], [])
    folder.remove(IDS[0])
    folder.remove(IDS[0])
    assert folder.identities(FINISHED) == []


def test_a_draft_gets_its_name_once_it_is_whole(folder):
    put(folder, IDS[0], DRAFT)  # Of a server that was killed.
    with folder.lock(), folder.draft(IDS[0]) as file:
        file.write(b"whole")
        assert folder.identities(FINISHED) == []
    assert folder.file(IDS[0], FINISHED).read_bytes() == b"whole"
    with pytest.raises(OSError, match="full"), folder.lock(), folder.draft(IDS[1]):
        raise OSError("full")
    assert (folder.identities(FINISHED), folder.identities(DRAFT)) == ([IDS[0]], [])

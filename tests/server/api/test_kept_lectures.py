"""Protects lessons that are kept for links: within bounds, as they were, and with a reason where they are not there."""

from __future__ import annotations

import errno
import json
import os

import link_text
import pytest

from backscope_server.storage.lecture_storage import MOST_BYTES


def packed(lecture):
    """Return a lesson as the page packs it."""
    return "1" + link_text.packed(json.dumps(lecture))


def lecture(title="Sums", moments=1):
    """Return a lesson as the page has it."""
    moment = {
        "program": 0,
        "at": "at the end",
        "place": {"step": 1, "seq": 1, "read_seq": 1},
        "caption": "",
        "text": "",
    }
    return {"title": title, "learned": "", "programs": [{"source": "1", "seed": 0}], "moments": [moment] * moments}


def keep(server, text, **options):
    return server.http.post("/api/lectures/kept", json={"lecture": text}, **options)


@pytest.fixture
def storing(door, tmp_path):
    """Start a server that keeps lessons, with these settings."""
    return lambda **settings: door(storage=str(tmp_path / "storage"), **settings)


def test_a_lesson_comes_back_as_it_was_and_after_a_restart(storing, tmp_path):
    text = packed(lecture())
    with storing(storage_kept=7) as server:
        got = keep(server, text)
        assert (got.status_code, got.json()["kept"]) == (201, 7), got.text
        identity = got.json()["lecture"]
        assert keep(server, text).json()["lecture"] == identity
        found = server.http.get(f"/api/lectures/kept/{identity}")
        assert found.headers["cache-control"] == "private, no-cache"
        again = server.http.get(f"/api/lectures/kept/{identity}", headers={"if-none-match": found.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert server.http.get(f"/api/lectures/kept/{identity}").json() == {"lecture": text}
    (folder,) = (tmp_path / "storage").glob("lectures")
    assert [path.name for path in folder.glob("[!.]*")] == [f"{identity}.lecture"]
    (folder / "A123456789012345.draft").write_text("of a server that was killed")
    with storing() as server:
        assert server.http.get(f"/api/lectures/kept/{identity}").json() == {"lecture": text}
        assert not list(folder.glob("*.draft"))


def test_the_lesson_that_was_opened_longest_ago_goes_first(storing, tmp_path):
    with storing(storage_kept=2) as server:
        first, second = (keep(server, packed(lecture(title))).json()["lecture"] for title in ("a", "b"))
        for age, identity in ((20, first), (10, second)):
            path = tmp_path / "storage" / "lectures" / f"{identity}.lecture"
            os.utime(path, (path.stat().st_mtime - age,) * 2)
        assert server.http.get(f"/api/lectures/kept/{first}").status_code == 200
        keep(server, packed(lecture("c")))
        assert server.http.get(f"/api/lectures/kept/{first}").status_code == 200
        gone = server.http.get(f"/api/lectures/kept/{second}")
        assert gone.status_code == 404
        assert "any more" in gone.json()["error"]["message"]


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        (packed(lecture(moments=0)), 422, "The lesson is empty: add a moment of a run first."),
        ("1AAAA", 422, "This is no collected lesson"),
        (packed([]), 422, "This is no collected lesson"),
        (packed(lecture())[:-6], 422, "This is no collected lesson"),
        (packed(lecture("x" * 3_000_000)), 422, "This is no collected lesson"),
        ("2" + packed(lecture())[1:], 422, "This is no collected lesson"),
        ("1" + "A" * (MOST_BYTES + 200), 413, "The lesson is larger than"),
    ],
    ids=["empty", "damaged", "another thing", "cut", "a bomb", "another version", "huge"],
)
def test_what_is_no_lesson_is_not_kept(storing, tmp_path, text, status, message):
    with storing() as server:
        got = keep(server, text)
        assert got.status_code == status, got.text
        assert got.json()["error"]["message"].startswith(message)
    assert not list((tmp_path / "storage" / "lectures").glob("[!.]*"))


def test_a_full_disk_is_said_and_leaves_nothing(storing, tmp_path, monkeypatch):
    def full(_file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with storing() as server:
        with monkeypatch.context() as patch:
            patch.setattr("backscope_server.storage.lecture_storage.os.fsync", full)
            got = keep(server, packed(lecture()))
        assert got.status_code == 503
        assert "No space left on device" in got.json()["error"]["message"]
        assert not list((tmp_path / "storage" / "lectures").glob("[!.]*"))
        assert keep(server, packed(lecture())).status_code == 201


@pytest.mark.parametrize("damaged", [b"1\xff", b"", packed(lecture("another")).encode()])
def test_a_damaged_file_is_said_and_is_whole_when_it_is_shared_again(storing, tmp_path, damaged):
    with storing() as server:
        identity = keep(server, packed(lecture())).json()["lecture"]
        (tmp_path / "storage" / "lectures" / f"{identity}.lecture").write_bytes(damaged)
        got = server.http.get(f"/api/lectures/kept/{identity}")
        assert got.status_code == 410
        assert "cannot be read" in got.json()["error"]["message"]
        assert keep(server, packed(lecture())).json()["lecture"] == identity
        assert server.http.get(f"/api/lectures/kept/{identity}").json() == {"lecture": packed(lecture())}


def test_a_server_without_storage_says_so(door):
    with door(storage="off") as server:
        for got in (keep(server, packed(lecture())), server.http.get("/api/lectures/kept/A123456789012345")):
            assert got.status_code == 404
            assert got.json()["error"]["message"].startswith("This server keeps no lessons.")


def test_pages_of_other_origins_and_too_many_requests_are_refused(storing):
    with storing(address_starts=1) as server:
        got = keep(server, packed(lecture()), headers={"origin": "https://elsewhere.example"})
        assert got.status_code == 403
        assert keep(server, packed(lecture())).status_code == 201
        assert keep(server, packed(lecture())).status_code == 429


@pytest.mark.parametrize("name", ["../runs", "..%2fruns%2fA123456789012345", "A", "01_graph", "x" * 90])
def test_only_ids_are_names(storing, name):
    with storing() as server:
        assert server.http.get(f"/api/lectures/kept/{name}").status_code in (404, 405)

"""Protects shared runs where several servers keep, remove and expire them at once, in a folder and in an S3 store."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from backscope_server.storage.folder_objects import FolderObjects
from backscope_server.storage.objects import Unreachable
from backscope_server.storage.s3_objects import S3Objects
from backscope_server.storage.share_storage import Bounds, Moment, ShareStorage, TooMany

BOUNDS = Bounds(seconds=1000, kept=1000, nbytes=1 << 30, of_address=1000, bytes_of_address=1 << 30)
_places = itertools.count()


@pytest.fixture(params=["folder", "s3"])
def objects(request, tmp_path):
    if request.param == "folder":
        return FolderObjects(tmp_path / "shares")
    server = request.getfixturevalue("s3_server")
    return S3Objects(f"s3://shared/{next(_places)}", server.endpoint, "us-east-1")


@pytest.fixture
def store(objects):
    made = []

    def start(**bounds):
        made.append(ShareStorage(objects, BOUNDS._replace(**bounds)))
        return made[-1]

    yield start
    for one in made:
        one.close()


def names(objects):
    return {one.name.partition("/")[0] for one in objects.list()}


def test_objects_are_written_whole_listed_and_removed(objects):
    assert objects.get("a/one") is None
    assert objects.list() == []
    assert objects.create("a/one", b"1")
    assert not objects.create("a/one", b"other")
    objects.put("a/b/two", b"12")
    objects.put("a/b/two", b"123")
    objects.put("ab/three", b"")
    assert {(one.name, one.nbytes) for one in objects.list("a")} == {("a/one", 1), ("a/b/two", 3)}
    assert all(abs(one.at - time.time()) < 600 for one in objects.list())
    assert (objects.get("a/one"), objects.get("ab/three")) == (b"1", b"")
    objects.delete(["a/one", "a/b/two", "nothing/here"])
    assert [one.name for one in objects.list()] == ["ab/three"]


def test_makers_at_several_servers_keep_their_own_secrets(objects, store):
    one, two = store(), store()

    async def all_share():
        both = (one, two) * 10
        return await asyncio.gather(*(at.keep(b"trace", Moment(3), "t", "1.2.3.4") for at in both))

    shared = asyncio.run(all_share())
    assert len({made.identity for made in shared}) == 1
    identity = shared[0].identity
    assert asyncio.run(two.label(identity)).step == 3
    for made in shared:
        assert asyncio.run(one.content(identity)) == b"trace"
        assert asyncio.run(two.remove(identity, made.secret))
        assert not asyncio.run(one.remove(identity, made.secret))
    assert asyncio.run(one.content(identity)) is None
    assert names(objects) == {"key"}


def test_a_run_that_is_shared_while_it_is_removed_stays(store):
    one, two = store(), store()

    async def race(first):
        removed, again = await asyncio.gather(one.remove(*first), two.keep(b"raced", Moment(0), "", "1.2.3.4"))
        assert removed
        assert await two.content(again.identity) == b"raced"
        return again

    shared = asyncio.run(one.keep(b"raced", Moment(0), "", "1.2.3.4"))
    for _ in range(30):
        shared = asyncio.run(race(shared))


def test_one_that_comes_between_the_last_looks_is_put_back(objects, store, monkeypatch):
    one, two = store(), store()
    first = asyncio.run(one.keep(b"raced", Moment(0), "", "1.2.3.4"))
    delete, made = objects.delete, []

    def share_then_delete(found):
        found = list(found)
        if any(name.startswith("runs/") for name in found):
            made.append(two._keep(b"raced", Moment(0), "", "1.2.3.4"))
        delete(found)

    monkeypatch.setattr(objects, "delete", share_then_delete)
    assert asyncio.run(one.remove(*first))
    assert asyncio.run(two.content(made[0].identity)) == b"raced"
    assert asyncio.run(two.remove(*made[0]))


def test_an_address_keeps_so_many_runs_and_bytes_at_all_servers(store):
    one, two = store(of_address=3, bytes_of_address=100), store(of_address=3, bytes_of_address=100)
    keep = [asyncio.run(at.keep(bytes([n]) * 10, Moment(0), "", "1.2.3.4")) for n, at in enumerate((one, two, one))]
    with pytest.raises(TooMany) as refused:
        asyncio.run(two.keep(b"fourth", Moment(0), "", "1.2.3.4"))
    assert not refused.value.nbytes
    asyncio.run(two.keep(b"fourth", Moment(0), "", "5.6.7.8"))
    assert asyncio.run(one.remove(*keep[0]))
    with pytest.raises(TooMany) as refused:
        asyncio.run(two.keep(b"x" * 81, Moment(0), "", "1.2.3.4"))
    assert refused.value.nbytes
    asyncio.run(two.keep(b"x" * 80, Moment(0), "", "1.2.3.4"))


def test_of_many_at_once_no_more_are_kept(store):
    stores = [store(of_address=5) for _ in range(4)]

    async def one(number):
        try:
            await stores[number % 4].keep(b"%d" % number, Moment(0), "", "1.2.3.4")
        except TooMany:
            return False
        return True

    async def burst():
        return await asyncio.gather(*(one(number) for number in range(40)))

    assert sum(asyncio.run(burst())) <= 5


def test_what_is_old_goes_with_all_that_belongs_to_it(objects, store):
    one = store(seconds=1000)
    old = asyncio.run(one.keep(b"old", Moment(0), "", "1.2.3.4"))
    later = store(seconds=-1)
    assert asyncio.run(later.label(old.identity)) is None
    assert asyncio.run(later.content(old.identity)) is None
    later._tidy()
    assert names(objects) == {"key"}


def test_the_oldest_go_when_all_are_too_many(store, objects):
    one = store(kept=3)
    kept = []
    for number in range(5):
        kept.append(asyncio.run(one.keep(b"%d" % number, Moment(0), "", "1.2.3.4")))
        if isinstance(objects, FolderObjects):  # The S3 store's clock has seconds.
            for found in objects.path.rglob(f"*{kept[-1].identity}*"):
                os.utime(found, (time.time(), time.time() - 100 + number))
    there = [asyncio.run(one.label(made.identity)) is not None for made in kept]
    assert sum(there) == 3
    assert there[-1] or not isinstance(objects, FolderObjects)


def test_what_was_left_half_done_is_removed(objects, store, monkeypatch):
    objects.put("runs/" + "x" * 16, b"a run without a label")
    objects.put("anything", b"that is not ours")
    one = store()
    one._tidy()
    assert names(objects) == {"runs", "anything"}
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 7200)
    one._tidy()
    assert names(objects) == {"anything"}


def test_a_store_that_is_not_there_is_said_to_be():
    gone = ShareStorage(S3Objects("s3://shared/x", "http://127.0.0.1:9", "us-east-1"), BOUNDS)
    with pytest.raises(Unreachable, match="s3://shared does not answer"):
        asyncio.run(gone.label("x" * 16))
    gone.close()


def test_drafts_of_killed_servers_are_removed(tmp_path):
    objects = FolderObjects(tmp_path)
    for name, at in (("old", time.time() - 7200), ("new", time.time())):
        path = tmp_path / f".draft-{name}"
        path.touch()
        os.utime(path, (at, at))
    assert objects.list() == []
    FolderObjects(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".draft-new"]


def test_a_folder_that_is_empty_for_one_server_takes_what_another_writes(tmp_path):
    one, two = FolderObjects(tmp_path), FolderObjects(tmp_path)

    def turns(objects, name):
        for _ in range(300):
            objects.put(f"folder/{name}", b"x")
            objects.delete([f"folder/{name}"])

    with ThreadPoolExecutor(2) as threads:
        for turn in [threads.submit(turns, one, "a"), threads.submit(turns, two, "b")]:
            turn.result(60)


def test_files_of_an_earlier_version_are_named_in_the_log(tmp_path, caplog):
    (tmp_path / "abc.share").write_bytes(b"")
    FolderObjects(tmp_path)
    assert [
        record.message for record in caplog.records if "*.share" in record.message and "1 of them" in record.message
    ]
    caplog.clear()
    (tmp_path / "abc.share").unlink()
    FolderObjects(tmp_path)
    assert not caplog.records


@pytest.mark.parametrize("part", ["secrets", "runs", "labels"])
def test_what_cannot_be_kept_counts_for_nobody(objects, store, monkeypatch, part):
    one = store(of_address=1)
    put = objects.put

    def broken(name, content):
        if name.startswith(f"{part}/"):
            raise Unreachable("The store is away.")
        put(name, content)

    monkeypatch.setattr(objects, "put", broken)
    with pytest.raises(Unreachable):
        asyncio.run(one.keep(b"trace", Moment(3), "t", "1.2.3.4"))
    monkeypatch.setattr(objects, "put", put)
    asyncio.run(one.keep(b"other", Moment(3), "t", "1.2.3.4"))

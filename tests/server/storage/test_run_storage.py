"""Protects stored runs: unchanged on disk, partly there after a kill; a full disk does not lose a run from memory."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import threading
from itertools import pairwise

import pytest

from backscope.protocol import events, trace
from backscope_server.session.lines import Lines
from backscope_server.session.log import SessionLog
from backscope_server.session.session import Session
from backscope_server.storage import run_storage as room
from backscope_server.storage.folder import DRAFT, FINISHED, PART, Folder, StorageError
from backscope_server.storage.part import Part
from backscope_server.storage.run_storage import RunStorage, adopt

BIG = {"events": 10**9, "nbytes": 10**12}
ID = "0123456789abcdef"


def printed(seq):
    return events.encode(events.OutputPrinted(seq=seq, line=1, stream="stdout", text=f"line {seq}\n"))


def finished(seq, status="ok"):
    return events.encode(events.ProgramFinished(seq=seq, line=None, status=status))


LINES = [*(printed(seq) for seq in range(500)), finished(500)]


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path, kept=10, nbytes=10**9)


@pytest.fixture(autouse=True)
def fast(monkeypatch):
    monkeypatch.setattr(room, "_EVERY_SECONDS", 0.01)


def kept(folder, session):
    async def keep():
        storage = RunStorage(folder)
        storage.keep(session)
        reason = await session.unkept()
        await storage.close()
        return reason

    return asyncio.run(keep())


def opened(folder, identity, **bounds):
    async def find():
        storage = RunStorage(folder)
        storage.start()
        try:
            return await storage.open(identity, **{**BIG, **bounds})
        finally:
            await storage.close()

    return asyncio.run(find())


def test_a_finished_run_comes_back_as_it_was(folder):
    session = Session.recorded(LINES, "ok")
    assert kept(folder, session) is None
    again = opened(folder, session.id)
    assert (again.id, again.status, again.log.lines, again.running) == (session.id, "ok", LINES, False)


@pytest.mark.parametrize("identity", ["unknown", "../x", "0" * 16])
def test_an_unknown_session_is_none(folder, identity):
    assert opened(folder, identity) is None


def test_a_run_is_written_while_it_happens_and_what_is_written_can_be_read(folder):
    async def half():
        storage = RunStorage(folder)
        session = Session(identity=ID)
        storage.keep(session)
        session.log.append(LINES[:200])
        for _ in range(500):
            await asyncio.sleep(0.01)
            with contextlib.suppress(FileNotFoundError):
                if list(room.salvaged(trace.read(folder.file(ID, PART))))[:-1] == LINES[:200]:
                    break
        else:
            pytest.fail("nothing was written")
        assert folder.identities(FINISHED) == []
        session.log.append(LINES[200:])
        session.log.finish()
        assert await session.unkept() is None
        await storage.close()

    asyncio.run(half())
    assert list(trace.read(folder.file(ID, FINISHED))) == LINES
    assert folder.identities(PART) == []


def blocks(*ends):
    """Pack LINES as a log does, in blocks that end there."""
    lines = Lines()
    for start, end in pairwise((0, *ends, len(LINES))):
        lines.append(LINES[start:end])
        while lines.pack():
            pass
    return lines.packed_blocks(0)


@pytest.mark.parametrize("lost", [0, 1, 7, 100])
def test_the_run_of_a_killed_server_ends_at_its_last_event_on_disk(folder, lost):
    part = Part(folder, ID)
    first, second, _ = blocks(100, 300)
    part.add([first])
    part.add([second])
    os.close(part._file)  # What the kernel does when a process dies.
    path = folder.file(ID, PART)
    os.truncate(path, path.stat().st_size - lost)
    session = opened(folder, ID)
    assert session.status == "cut"
    *before, last = session.log.lines
    assert before == LINES[: len(before)] and len(before) >= (300 if lost == 0 else 100)
    assert last == finished(len(before), "cut")
    assert folder.identities(PART) == folder.identities(DRAFT) == []


def test_a_run_that_was_over_when_its_server_died_is_whole(folder):
    part = Part(folder, ID)
    part.add(blocks())
    os.close(part._file)
    assert opened(folder, ID).log.lines == LINES


def test_an_empty_part_is_removed(folder):
    os.close(folder.create(ID, PART))
    assert opened(folder, ID) is None
    assert folder.identities(PART) == []


def test_a_part_of_a_living_server_is_left_alone(folder):
    part = Part(folder, ID)
    first, second = blocks(10)
    part.add([first])
    assert opened(folder, ID) is None
    part.add([second])
    part.finish()
    assert opened(folder, ID).log.lines == LINES


def test_a_draft_of_a_killed_server_is_removed(folder):
    os.close(folder.create(ID, DRAFT))
    adopt(folder)
    assert folder.identities(DRAFT) == []


@pytest.mark.parametrize("place", [0.2, 0.5, 0.9])
def test_a_damaged_run_is_an_error(folder, place):
    session = Session.recorded(LINES, "ok")
    kept(folder, session)
    path = folder.file(session.id, FINISHED)
    content = bytearray(path.read_bytes())
    content[int(len(content) * place)] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"damaged|cut short|not"):
        opened(folder, session.id)


def test_a_run_above_the_current_limits_is_an_error(folder):
    session = Session.recorded(LINES, "ok")
    kept(folder, session)
    for bound in ({"events": 10}, {"nbytes": 1000}):
        with pytest.raises(StorageError, match="larger"):
            opened(folder, session.id, **bound)


def test_a_removed_session_is_gone_from_the_disk_too(folder):
    async def whole():
        storage = RunStorage(folder)
        over = Session.recorded(LINES, "ok")
        storage.keep(over)
        await over.unkept()
        await storage.remove(over.id)
        running = Session()
        running.log.append(LINES[:5])
        storage.keep(running)
        while not folder.identities(PART):
            await asyncio.sleep(0.01)
        await storage.remove(running.id)
        await storage.close()

    asyncio.run(whole())
    assert [path.name for path in folder.path.iterdir()] == [".lock"]


def test_a_folder_that_cannot_be_listed_still_opens_runs(folder, monkeypatch):
    session = Session.recorded(LINES, "ok")
    kept(folder, session)

    def broken(_folder):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(room, "adopt", broken)

    async def whole():
        storage = RunStorage(folder)
        storage.start()
        found = await storage.open(session.id, **BIG)
        await storage.close()
        return found

    assert asyncio.run(whole()).log.lines == LINES


@pytest.mark.parametrize("step", ["__init__", "add", "finish"])
def test_a_session_is_removed_while_it_is_written(folder, monkeypatch, step):
    begun, go_on = threading.Event(), threading.Event()
    original = getattr(Part, step)
    done = []

    def slow(*arguments):
        begun.set()
        go_on.wait(120)
        original(*arguments)  # Would fail if the file had been closed meanwhile.
        done.append(step)

    monkeypatch.setattr(Part, step, slow)

    async def whole():
        storage = RunStorage(folder)
        session = Session.recorded(LINES, "ok")
        storage.keep(session)
        await asyncio.to_thread(begun.wait, 10)
        removing = asyncio.create_task(storage.remove(session.id))
        await asyncio.sleep(0)
        go_on.set()
        await removing
        await storage.close()

    asyncio.run(whole())
    assert done == [step]
    assert [path.name for path in folder.path.iterdir()] == [".lock"]


def test_events_that_a_slow_disk_has_not_written_at_the_stop_stay(folder, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()

    def slow(_part, _lines):
        begun.set()
        go_on.wait(120)

    monkeypatch.setattr(Part, "add", slow)
    monkeypatch.setattr(room, "_CLOSE_SECONDS", 0.01)

    async def whole():
        storage = RunStorage(folder)
        session = Session.recorded(LINES, "ok")
        storage.keep(session)
        await asyncio.to_thread(begun.wait, 10)
        await storage.close()
        return session.id

    identity = asyncio.run(whole())
    go_on.set()
    assert folder.identities(PART) == [identity]


@contextlib.contextmanager
def full_disk(nbytes):
    """Limit the size of files, so that writing fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (nbytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("room_left", [0, 100, 2000])
def test_a_full_disk_leaves_the_run_in_memory_and_nothing_on_the_disk(folder, room_left):
    session = Session.recorded(LINES, "ok")
    with full_disk(room_left):
        reason = kept(folder, session)
    assert "could not be kept on disk (File too large)" in reason
    assert "export its trace" in reason
    assert session.log.lines == LINES
    assert [path.name for path in folder.path.iterdir()] == [".lock"]


def test_a_disk_that_fills_up_during_a_run_does_not_delay_its_log(folder):
    async def whole():
        storage = RunStorage(folder)
        session = Session(identity=ID)
        storage.keep(session)
        for seq in range(0, 500, 10):
            session.log.append(LINES[seq : seq + 10])
            await asyncio.sleep(0.002)
        session.log.append(LINES[500:])
        session.log.finish()
        reason = await session.unkept()
        await storage.close()
        return session, reason

    with full_disk(600):
        session, reason = asyncio.run(whole())
    assert "could not be kept" in reason
    assert session.log.lines == LINES
    assert folder.identities(PART) == folder.identities(FINISHED) == []


def test_a_disk_that_is_full_at_the_recovery_keeps_the_part(folder):
    part = Part(folder, ID)
    part.add(blocks(300)[:1])
    os.close(part._file)
    with full_disk(100):
        adopt(folder)
    assert folder.identities(DRAFT) == folder.identities(FINISHED) == []
    assert opened(folder, ID).status == "cut"


def test_two_servers_on_one_folder_keep_their_own_and_see_both(folder, tmp_path):
    other = Folder(tmp_path, kept=10, nbytes=10**9)

    async def both():
        first, second = RunStorage(folder), RunStorage(other)
        first.start()
        second.start()
        sessions = [Session() for _ in range(8)]
        for number, session in enumerate(sessions):
            (first, second)[number % 2].keep(session)
            session.log.append(LINES[:100])
        while len(folder.identities(PART)) < 8:
            await asyncio.sleep(0.01)
        RunStorage(other).start()  # A third one comes while they write.
        for session in sessions:
            session.log.append(LINES[100:])
            session.log.finish()
        assert [await session.unkept() for session in sessions] == [None] * 8
        found = [await (second, first)[number % 2].open(session.id, **BIG) for number, session in enumerate(sessions)]
        assert [session.log.lines for session in found] == [LINES] * 8
        await asyncio.gather(first.close(), second.close())

    asyncio.run(both())


def test_a_log_says_when_it_is_complete():
    async def wait():
        log = SessionLog()
        waiting = asyncio.create_task(log.completed())
        log.append(LINES)
        await asyncio.sleep(0)
        assert not waiting.done()
        log.finish()
        await asyncio.wait_for(waiting, 120)

    asyncio.run(wait())


@pytest.mark.parametrize("step", ["finish", "abandon"])
def test_a_part_is_closed_where_the_folder_cannot_be_locked(folder, monkeypatch, step):
    part = Part(folder, ID)
    part.add(blocks())
    file = part._file

    def locked():
        raise OSError("no lock")

    monkeypatch.setattr(folder, "lock", locked)
    with contextlib.suppress(OSError):
        getattr(part, step)()
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(file)

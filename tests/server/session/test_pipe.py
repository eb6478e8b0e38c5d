"""Protects the pipes to programs, both those that an event loop watches and those with threads."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from backscope_server.sandbox.layers import descriptors
from backscope_server.session import pipe
from backscope_server.session.threaded_pipe import ThreadedInlet, ThreadedOutlet


@pytest.fixture(params=["watched", "threaded"])
def watchable(request, monkeypatch):
    monkeypatch.setattr(descriptors, "WATCHABLE", request.param == "watched")
    return request.param == "watched"


async def taken(inlet: pipe.Inlet, most: int = 1 << 20) -> bytes:
    """Wait for the next bytes and return them."""
    while (data := inlet.take(most)) is None:
        ready = asyncio.Event()
        inlet.listen(ready.set)
        await ready.wait()
    return data


async def everything(inlet: pipe.Inlet, most: int = 1 << 20) -> list[bytes]:
    parts = []
    while part := await taken(inlet, most):
        parts.append(part)
    return parts


def test_the_kind_of_pipe_fits_the_system(watchable):
    async def check() -> None:
        for made, threaded in ((pipe.inlet(4096), ThreadedInlet), (pipe.outlet(4096), ThreadedOutlet)):
            assert isinstance(made, threaded) is not watchable
            made.close()

    asyncio.run(check())


def test_data_is_read_in_parts_up_to_the_end(watchable):
    async def check() -> None:
        inlet = pipe.inlet(4096)
        assert inlet.take(10) is None
        assert not inlet.waits()
        os.write(inlet.theirs, b"0123456789" * 5)
        assert await taken(inlet, 10) == b"0123456789"
        assert inlet.waits()
        inlet.close_theirs()
        assert b"".join(await everything(inlet, 10)) == b"0123456789" * 4
        assert await taken(inlet) == b""
        inlet.close()
        assert not inlet.waits()

    asyncio.run(check())


def test_a_writer_that_is_not_read_waits(watchable):
    async def check() -> None:
        inlet = pipe.inlet(1 << 16)
        os.set_blocking(inlet.theirs, False)
        sent = 0
        for _ in range(100):
            with_room = True
            while with_room:
                try:
                    sent += os.write(inlet.theirs, b"x" * 1000)
                except BlockingIOError:
                    with_room = False
            await asyncio.sleep(0.001)
        assert sent < 1 << 20
        inlet.close_theirs()
        assert sum(map(len, await everything(inlet))) == sent
        inlet.close()

    asyncio.run(check())


def test_the_last_output_can_be_read_once_the_writer_has_ended(watchable):
    async def check() -> None:
        inlet = pipe.inlet(4096)
        for word in (b"first ", b"second ", b"last"):
            os.write(inlet.theirs, word)
        inlet.close_theirs()
        assert await inlet.last_output(1000) == b"first second last"
        inlet.close()

    asyncio.run(check())


def test_much_is_sent_to_a_slow_reader_in_order(watchable):
    async def check() -> None:
        outlet = pipe.outlet(4096)
        whole = b"".join(b"%06d\n" % number for number in range(60_000))
        for at in range(0, len(whole), 50_000):
            outlet.send(whole[at : at + 50_000])
        found = b""
        while len(found) < len(whole):
            found += await asyncio.to_thread(os.read, outlet.theirs, 5000)
        assert found == whole
        outlet.close()

    asyncio.run(check())


def test_no_more_than_a_limit_waits_for_a_child_that_does_not_read(watchable):
    async def check() -> None:
        most, piece = 100_000, b"x" * 3999 + b"\n"
        outlet = pipe.outlet(4096, most)
        assert outlet.send(piece * 50)  # Of any length, as nothing waits.
        assert not outlet.send(piece)
        sent = len(piece) * 50
        await read_all(outlet, sent)
        while outlet.send(piece):
            sent += len(piece)
            assert sent < 10 * most
        beside = sent - len(piece) * 50
        assert most - len(piece) <= beside <= most + (1 << 17)  # The pipe holds the rest.
        await read_all(outlet, beside)
        while not outlet.send(piece):  # The thread counts what it has written a little later.
            await asyncio.sleep(0)
        await read_all(outlet, len(piece))
        outlet.close()

    async def read_all(outlet: pipe.Outlet, size: int) -> None:
        while size:
            size -= len(await asyncio.to_thread(os.read, outlet.theirs, size))

    asyncio.run(check())


def test_nothing_waits_for_a_child_that_is_gone(watchable):
    async def check() -> None:
        outlet = pipe.outlet(4096, 100_000)
        outlet.send(b"x" * 200_000)
        outlet.close_theirs()
        for _ in range(100):
            while not outlet.send(b"x" * 4000):
                await asyncio.sleep(0)
        outlet.close()

    asyncio.run(check())


def test_sending_to_a_child_that_has_ended_does_nothing(watchable):
    async def check() -> None:
        outlet = pipe.outlet(4096)
        outlet.close_theirs()
        outlet.send(b"x" * 100_000)
        await asyncio.sleep(0)
        outlet.send(b"x")
        outlet.close()

    asyncio.run(check())


def test_no_descriptor_stays_open(watchable):
    async def check() -> None:
        before = len(os.listdir("/proc/self/fd"))
        made = [*(pipe.inlet(4096) for _ in range(5)), *(pipe.outlet(4096) for _ in range(5))]
        for one in made:
            one.close()
        while len(os.listdir("/proc/self/fd")) > before:
            await asyncio.sleep(0.01)

    asyncio.run(check())


@pytest.mark.parametrize("make", [lambda: ThreadedInlet(4096), ThreadedOutlet])
def test_a_pipe_is_closed_if_its_thread_cannot_be_started(make, monkeypatch):
    def none(_thread):
        raise RuntimeError("can't start new thread")

    made = []
    original = os.pipe
    monkeypatch.setattr(os, "pipe", lambda: made.append(original()) or made[-1])

    async def check() -> None:
        with monkeypatch.context() as without:
            without.setattr(threading.Thread, "start", none)
            with pytest.raises(OSError, match="can't start new thread"):
                make()
        for end in made[-1]:
            with pytest.raises(OSError, match="Bad file"):
                os.fstat(end)

    asyncio.run(check())

"""Protects the pictures of shared runs: drawn once, few wait, and a process that hangs or dies is replaced."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

from backscope_server.api import card_picture
from backscope_server.api.card_picture import WAITING, CardPictures, Drawer

DRAWER = """
import sys
from backscope_server.api.card_drawer import pictures, main

def png(trace, *, step, width):
    if step == 2:
        raise pictures.PictureError("no such step")
    if step == 3:
        sys.exit(1)
    if step == 4:
        sys.stdin.buffer.read()
    if step == 5:
        return b"x" * 1_000_000
    return b"%d %d %d" % (len(trace), step, width)

pictures.png = png
main()
"""


class Store:
    """Keeps pictures, and has a trace for every id."""

    def __init__(self):
        self.pictures = {}

    async def picture(self, identity):
        return self.pictures.get(identity)

    async def content(self, identity):
        return identity.encode()

    async def keep_picture(self, identity, picture):
        self.pictures[identity] = picture


@pytest.fixture
def drawn_by(monkeypatch):
    monkeypatch.setattr(card_picture, "_COMMAND", (sys.executable, "-c", DRAWER))


def test_one_process_draws_all_until_it_hangs_or_dies(drawn_by, monkeypatch):
    async def whole():
        drawer = Drawer()
        try:
            assert await drawer.draw(b"abc", 1) == b"3 1 1200"
            first = drawer._process.pid
            assert await drawer.draw(b"abc", 2) is None
            assert len(await drawer.draw(b"abc" * 100_000, 5)) == 1_000_000
            assert drawer._process.pid == first
            assert await drawer.draw(b"abc", 3) is None
            assert await drawer.draw(b"abc", 1) == b"3 1 1200"
            second = drawer._process.pid
            assert second != first
            with monkeypatch.context() as impatient:
                impatient.setattr(card_picture, "_SECONDS", 0.2)
                assert await drawer.draw(b"abc", 4) is None
            with pytest.raises(ProcessLookupError):
                os.kill(second, 0)
            assert await drawer.draw(b"abc", 1) == b"3 1 1200"
            third = drawer._process
            drawer._kill()
            assert await drawer.draw(b"abc", 1) == b"3 1 1200", "as after a time without work"
            last = drawer._process
        finally:
            await drawer.close()
        await third.wait()
        assert last.returncode is not None

    asyncio.run(whole())


def test_each_is_drawn_once_for_all_who_ask_and_kept(monkeypatch):
    drawn = []

    async def draw(_self, trace, step):
        drawn.append(trace)
        await asyncio.sleep(0)
        return b"picture" if step == 1 else None

    async def whole():
        store = Store()
        pictures = CardPictures(store)
        assert await asyncio.gather(*(pictures.of("a", 0) for _ in range(20))) == [b"picture"] * 20
        assert await CardPictures(store).of("a", 0) == b"picture"
        assert [await pictures.of("b", 1) for _ in range(3)] == [None] * 3
        assert drawn == [b"a", b"b"]
        await pictures.close()

    monkeypatch.setattr(Drawer, "draw", draw)
    asyncio.run(whole())


def test_one_that_failed_is_tried_again_after_a_time(monkeypatch):
    drawings = iter([None, b"picture"])

    async def draw(_self, _trace, _step):
        return next(drawings)

    async def whole():
        pictures = CardPictures(Store())
        assert [await pictures.of("a", 0) for _ in range(2)] == [None] * 2
        monkeypatch.setattr(card_picture, "_AGAIN_SECONDS", 0.0)
        assert [await pictures.of("a", 0) for _ in range(2)] == [b"picture"] * 2
        await pictures.close()

    monkeypatch.setattr(Drawer, "draw", draw)
    asyncio.run(whole())


def test_so_many_wait_and_no_more(monkeypatch):
    async def draw(_self, _trace, _step):
        await asyncio.Event().wait()

    async def whole():
        pictures = CardPictures(Store())
        begun = [pictures.begin(str(number), 0) for number in range(WAITING + 5)]
        assert [one is None for one in begun] == [False] * WAITING + [True] * 5
        with pytest.raises(card_picture.NotYet):
            await pictures.of("another", 0)
        await pictures.close()
        assert all(one.cancelled() for one in begun[1:WAITING])

    monkeypatch.setattr(Drawer, "draw", draw)
    asyncio.run(whole())


def test_the_process_gets_no_secrets(drawn_by, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")

    async def environment():
        drawer = Drawer()
        await drawer.draw(b"", 1)
        with open(f"/proc/{drawer._process.pid}/environ", "rb") as file:
            found = file.read()
        await drawer.close()
        return found

    found = asyncio.run(environment())
    assert b"PATH=" in found
    assert b"AWS" not in found

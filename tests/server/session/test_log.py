"""Protects the log: batches have the lines unchanged, waiting readers are woken, and none delays another."""

from __future__ import annotations

import asyncio
import json

import pytest

from backscope_server.session import lines as lines_module
from backscope_server.session.lines import Lines
from backscope_server.session.log import SessionLog

LINES = [b'{"seq":%d}' % seq for seq in range(10)]


def test_batches_follow_each_other_without_loss():
    log = SessionLog()
    log.append(LINES)
    seen: list[int] = []
    after = -1
    while after < log.last:
        message, after = log.batch(after, events=3, nbytes=1000)
        parsed = json.loads(message)
        assert parsed["last"] == after
        seen += [event["seq"] for event in parsed["events"]]
    assert seen == list(range(10))


def test_a_batch_has_at_most_so_many_bytes_but_one_event():
    log = SessionLog()
    log.append(LINES)
    assert log.batch(-1, events=100, nbytes=25)[1] == 1
    assert log.batch(-1, events=100, nbytes=1)[1] == 0


def test_readers_wake_up_on_events_and_at_the_end():
    async def check() -> None:
        log = SessionLog()
        readers = [asyncio.create_task(log.beyond(-1)) for _ in range(3)]
        late = asyncio.create_task(log.beyond(0))
        await asyncio.sleep(0)
        log.append(LINES[:1])
        assert await asyncio.gather(*readers) == [True, True, True]
        assert not late.done()
        log.finish()
        assert await late is False

    asyncio.run(check())


def test_a_reader_that_gives_up_leaves_nothing():
    async def check() -> None:
        log = SessionLog()
        reader = asyncio.create_task(log.beyond(-1))
        await asyncio.sleep(0)
        changed = log._changed
        assert len(changed._waiters) == 1
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
        assert not changed._waiters
        log.append(LINES)

    asyncio.run(check())


def test_the_log_counts_its_memory():
    log = SessionLog()
    log.append(LINES)
    assert log.nbytes > sum(map(len, LINES))


MANY = [b'{"seq":%d,"text":"%b"}' % (seq, b"again and " * (seq % 40)) for seq in range(2000)]


@pytest.mark.parametrize("blocks", [0, 1, 2, 1000])
def test_packed_or_not_lines_are_the_same_wherever_they_are_read(blocks, monkeypatch):
    monkeypatch.setattr(lines_module, "_BLOCK", 1 << 14)
    lines = Lines()
    lines.append(MANY)
    before = lines.nbytes
    for _ in range(blocks):
        lines.compact()
    packed = next((block.end for block in reversed(lines.packed_blocks(0))), 0)
    assert lines == MANY
    assert len(lines) == len(MANY)
    for at in (0, 70, packed - 1, min(packed, 1999), -1, slice(3, 9), slice(60, 700), slice(1990, 5000), slice(9, 3),
               slice(0, 2000, 300), slice(-3, None)):  # fmt: skip
        assert lines[at] == MANY[at]
    with pytest.raises(IndexError):
        lines[2000]
    assert lines.some(2000, 5) == []
    assert (packed == 2000) is (lines.nbytes < before / 5) is not lines.compact()


def test_batches_cross_from_packed_to_unpacked_lines():
    log = SessionLog()
    log.append(MANY)
    assert log.compact()
    assert 0 < log.lines.packed_blocks(0)[-1].end < len(MANY)
    seen: list[int] = []
    after = -1
    while after < log.last:
        message, after = log.batch(after, events=301, nbytes=20_000)
        assert len(message) < 20_500
        seen += [event["seq"] for event in json.loads(message)["events"]]
    assert seen == list(range(2000))


def test_a_log_that_grows_is_packed_from_its_beginning_on(monkeypatch):
    monkeypatch.setattr(lines_module, "_LOOSE", 1 << 17)
    log = SessionLog()
    for _ in range(20):
        log.append(MANY)
        assert log.nbytes < 1 << 19
    assert log.lines == MANY * 20

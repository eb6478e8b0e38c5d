"""Protects the log: batches are the lines as they are, readers are woken, none of them holds another one up."""

from __future__ import annotations

import asyncio
import json

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
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
        log.append(LINES)
        assert not log._waiting

    asyncio.run(check())


def test_counts_what_it_keeps():
    log = SessionLog()
    log.append(LINES)
    assert log.nbytes > sum(map(len, LINES))

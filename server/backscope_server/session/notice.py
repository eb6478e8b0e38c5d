"""Notices for a page about its run, beside the events: its place in line, workers that are missing, limits that
it approaches, and breakpoints that a terminal has set.

They are not part of the run, so they are not in the log: a page needs only those that hold now.
"""

from __future__ import annotations

import asyncio
import time
from typing import Literal

import msgspec

from backscope.protocol.commands import Breakpoint


class Waiting(msgspec.Struct, frozen=True, tag_field="kind", tag="waiting"):
    """The program waits to be started: it is number `place` of `waiting`."""

    place: int
    waiting: int


class NoWorker(msgspec.Struct, frozen=True, tag_field="kind", tag="no_worker"):
    """No worker of the fleet takes the program; `lost`: one ran it and is gone, else it waits in line."""

    lost: bool


class Starting(msgspec.Struct, frozen=True, tag_field="kind", tag="starting"):
    """The process that starts programs is being started; the program follows."""


Limit = Literal["wall", "cpu", "pause", "place", "wanted"]


class LimitApproaching(msgspec.Struct, frozen=True, tag_field="kind", tag="limit_approaching"):
    """The run ends in `seconds_left` unless something happens.

    `limit`: wall, the time that a program may run; cpu, the processor time that it may use, of which `seconds_left`
    are; pause, the time that a paused one waits for a command, which any command begins anew; place, the time that a
    run may keep its place, pauses and all; or wanted, the time that a paused one keeps its place while another program
    waits for it, unless it goes on.  `limit_seconds` is the whole of it.
    """

    limit: Limit
    limit_seconds: float
    seconds_left: float


class BreakpointsShared(msgspec.Struct, frozen=True, tag_field="kind", tag="breakpoints"):
    """Those in `terminal` are set there; those with the numbers in `removed`, the page's, were removed there."""

    terminal: list[Breakpoint]
    removed: list[int]


Notice = Waiting | NoWorker | Starting | LimitApproaching | BreakpointsShared


class Notices:
    """The current notices, one of each kind and limit; `beyond` waits for a change."""

    def __init__(self) -> None:
        self.version = 0
        self._held: dict[tuple[type[Notice], Limit | None], tuple[Notice, float]] = {}
        self._change = asyncio.Event()

    @property
    def place(self) -> int | None:
        """Return the place in line of a program that waits."""
        waiting = self._held.get((Waiting, None))
        return waiting[0].place if waiting and isinstance(waiting[0], Waiting) else None

    def put(self, notice: Notice) -> None:
        """Add a notice, in place of another of its kind and limit."""
        key = type(notice), notice.limit if isinstance(notice, LimitApproaching) else None
        known = self._held.get(key)
        if known is None or known[0] != notice:
            self._held[key] = (notice, time.monotonic())
            self._changed()

    def drop(self, kind: type[Notice], limit: Limit | None = None) -> None:
        """Remove the notice of this kind, or of this limit."""
        if self._held.pop((kind, limit), None) is not None:
            self._changed()

    def clear(self) -> None:
        """Remove all notices."""
        for kind, limit in list(self._held):
            self.drop(kind, limit)

    def message(self) -> bytes:
        """Return all notices as the JSON message that pages get."""
        return b'{"notices":%b}' % msgspec.json.encode([_as_of_now(*held) for held in self._held.values()])

    async def beyond(self, version: int) -> int:
        """Wait until something has changed since `version`, and return the new version."""
        while self.version == version:
            await self._change.wait()
        return self.version

    def _changed(self) -> None:
        self.version += 1
        self._change.set()
        self._change = asyncio.Event()


def _as_of_now(notice: Notice, since: float) -> Notice:
    if not isinstance(notice, LimitApproaching):
        return notice
    left = max(0.0, notice.seconds_left - (time.monotonic() - since))
    return msgspec.structs.replace(notice, seconds_left=round(left, 1))

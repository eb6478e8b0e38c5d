"""One subscription of a process, through which it learns which of its runs have something new.

It carries no content: a message that is lost while the connection is made anew costs a little time, because those who
wait look by themselves now and then.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator

from backscope_server.fleet.connection import LOST, Client, Connection
from backscope_server.fleet.tasks import end

logger = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.2
_WAIT_SECONDS = 5.0


class Wakeup:
    """Is set when there may be something new."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        """Wake who waits."""
        self._event.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for the next call of `set`, so many seconds at most, and return whether it came."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return False
        self._event.clear()
        return True


class Wakeups:
    """The channels of a process, each with those who wait for it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._waiting: dict[str, set[Wakeup]] = {}
        self._own = f"{connection.keys.prefix}process:{connection.name}"
        self._subscription: Client | None = None
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Subscribe."""
        self._task = asyncio.create_task(self._run(), name="wakeups")

    async def close(self) -> None:
        """Subscribe no more."""
        if self._task is not None:
            await end([self._task])

    @contextlib.contextmanager
    def on(self, channel: str, wakeup: Wakeup) -> Iterator[None]:
        """Have a channel set `wakeup` for as long as the context lasts."""
        self._waiting.setdefault(channel, set()).add(wakeup)
        self._changed.set()
        try:
            yield
        finally:
            waiting = self._waiting[channel]
            waiting.discard(wakeup)
            if not waiting:
                del self._waiting[channel]
                self._changed.set()

    async def _run(self) -> None:
        while True:
            subscription = self._connection.redis.pubsub(ignore_subscribe_messages=False)
            try:
                await subscription.subscribe(self._own)
                await self._follow(subscription)
            except LOST:
                pass
            except Exception:
                logger.exception("The subscription to the fleet's Redis failed.")
            finally:
                with contextlib.suppress(*LOST, RuntimeError):
                    await subscription.aclose()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _follow(self, subscription: Client) -> None:
        """Keep the channels subscribed and pass their messages on, until the connection is lost."""
        subscribing = asyncio.create_task(self._subscribe(subscription), name="subscribing")
        try:
            while True:
                message = await subscription.get_message(timeout=_WAIT_SECONDS)
                if subscribing.done():
                    subscribing.result()
                if message is None:
                    continue
                if message["type"] in ("message", "subscribe"):  # What came before it was subscribed is to be read too.
                    for wakeup in self._waiting.get(message["channel"].decode(), ()):
                        wakeup.set()
        finally:
            await end([subscribing])

    async def _subscribe(self, subscription: Client) -> None:
        known: set[str] = set()
        while True:
            self._changed.clear()
            wanted = set(self._waiting)
            if more := wanted - known:
                await subscription.subscribe(*more)
            if less := known - wanted:
                await subscription.unsubscribe(*less)
            known = wanted
            await self._changed.wait()

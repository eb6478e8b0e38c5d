"""A run on a worker, as a gateway has it: its events arrive here, and commands to it leave from here."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec

from backscope.protocol import commands
from backscope.protocol.commands import Order as Command, Refused, Reply as Answered, WatchChange, Watched
from backscope_server.fleet.connection import LOST, Connection, RedisError
from backscope_server.fleet.order import Kind, batch, decode_notices, following
from backscope_server.fleet.wakeups import Wakeup, Wakeups
from backscope_server.session.ending import STOPPED, Ending, closing_events
from backscope_server.session.notice import Notice
from backscope_server.session.supervisor import FINISHED, Reply

_BATCHES = 16
"""The batches that are read at once; each has 256 KiB or one event."""
_LOOK_SECONDS = 1.0
"""The time after which a run is looked at without having been woken."""
_AGAIN_SECONDS = 0.2
_AT_ONCE = 16
"""The most commands of a reader that may wait for their answers."""
_AT_ONCE_BYTES = 1 << 19
MOST_COMMAND_BYTES = 4 << 20
"""The most bytes of all commands to one run: they are kept until it is over, to be repeated if its worker is lost."""
_TOO_MANY = "This run has taken as many commands as a server keeps of one. Start it again to go on debugging it."


class Gone(LookupError):
    """The error for a run of which Redis has nothing."""


class State(msgspec.Struct, frozen=True):
    """How a run stands: `last` is the seq of its last event that is written, `done` whether none will follow."""

    status: str
    notices: list[Notice]
    done: bool
    last: int


class RemoteRun:
    """Reads the events of a run after seq `after`; `take` gets them in order, each once, and `changed` the state.

    A `passing` run has no other reader: its events are removed once they are taken.
    """

    def __init__(
        self,
        connection: Connection,
        wakeups: Wakeups,
        identity: str,
        take: Callable[[list[bytes]], None],
        changed: Callable[[State], None],
        *,
        after: int = -1,
        passing: bool = False,
    ) -> None:
        self.identity = identity
        self.reader = f"{connection.name}/{secrets.token_hex(4)}"
        """The name under which commands are sent: the numbers of commands are its own."""
        self._connection = connection
        self._wakeups = wakeups
        self._take = take
        self._changed = changed
        self._after = after
        self._passing = passing
        self._state: State | None = None
        self._over = False
        self._held = False
        self._wakeup = Wakeup()
        self._numbers = 0
        self._replies: dict[int, tuple[Reply, int, int]] = {}
        """By the number of each command without an answer: who takes it, the client's id, and the command's length."""
        self._watched: Callable[[list[WatchChange]], None] = lambda _changes: None
        self._outgoing: deque[tuple[int, bytes, Kind]] = deque()
        self._sending: asyncio.Task[None] | None = None

    async def follow(self) -> str:
        """Take all events, and return the status of the run.

        Raises: Gone.
        """
        try:
            with self._wakeups.on(self._connection.keys.readers(self.identity), self._wakeup):
                while True:
                    try:
                        more = await self._read()
                    except (*LOST, RedisError):
                        await asyncio.sleep(_AGAIN_SECONDS)
                        continue
                    state = self._state
                    if state is not None and state.done and self._after >= state.last:
                        return state.status
                    if not more:
                        await self._wakeup.wait(_LOOK_SECONDS)
        finally:
            self.close()

    def hold(self, held: bool) -> None:
        """Take no events for a while, or take them again."""
        self._held = held
        self._wakeup.set()

    def close(self) -> None:
        """Refuse the commands that have no answer yet, and all further ones."""
        self._over = True
        if self._sending is not None:
            self._sending.cancel()
        waiting, self._replies = self._replies, {}
        for reply, client, _ in waiting.values():
            reply(Refused(id=client, reason=FINISHED))

    def opening(self, command: Command, reply: Reply) -> tuple[int, bytes, Kind]:
        """Return a command as it is sent together with the order."""
        return self._numbered(command, reply), commands.encode(command), "command"

    def command(
        self, command: Command, reply: Reply, watched: Callable[[list[WatchChange]], None] | None = None
    ) -> None:
        """Pass a command on; `reply` gets its answer, at the latest when the run is over."""
        encoded = commands.encode(command)
        nbytes = sum(size for _, _, size in self._replies.values())
        if self._over:
            reply(Refused(id=command.id, reason=FINISHED))
        elif len(self._replies) >= _AT_ONCE or nbytes + len(encoded) > _AT_ONCE_BYTES:
            waiting = len(self._replies)
            reply(Refused(id=command.id, reason=f"{waiting} commands wait for their answers; send more after those."))
        else:
            if watched is not None:
                self._watched = watched
            self._send(self._numbered(command, reply, len(encoded)), encoded, "command")

    def say(self, kind: Kind, content: bytes = b"") -> None:
        """Send a message that has no answer."""
        if not self._over:
            self._numbers += 1
            self._send(self._numbers, content, kind)

    def _numbered(self, command: Command, reply: Reply, nbytes: int = 0) -> int:
        self._numbers += 1
        self._replies[self._numbers] = reply, command.id, nbytes
        return self._numbers

    def _send(self, number: int, content: bytes, kind: Kind) -> None:
        self._outgoing.append((number, content, kind))
        if self._sending is None or self._sending.done():
            self._sending = self._connection.begin(self._send_all(), f"commands to {self.identity}")

    async def _send_all(self) -> None:
        keys = self._connection.keys
        where = [keys.commands(self.identity), keys.run(self.identity)]
        kept = self._connection.settings.fleet_kept_milliseconds
        channel = keys.worker(self.identity)
        while self._outgoing:
            number, content, kind = self._outgoing[0]
            if kind == "stop" and await self._withdraw(unwatched=False):
                self._outgoing.clear()
                return
            given = [MOST_COMMAND_BYTES, kept, channel, self.reader, number, content, kind]
            try:
                said = await self._connection.scripts.command(where, given)
            except (*LOST, RedisError):
                await asyncio.sleep(_AGAIN_SECONDS)
                continue
            self._outgoing.popleft()
            if said != b"ok" and number in self._replies:
                reply, client, _ = self._replies.pop(number)
                reply(Refused(id=client, reason=_TOO_MANY if said == b"many" else FINISHED))

    async def leave_line(self, ending: Ending) -> None:
        """End the run, if it still waits in line and no gateway has a reader of it."""
        await self._withdraw(ending, unwatched=True)

    async def _withdraw(self, ending: Ending = STOPPED, *, unwatched: bool) -> bool:
        """End the run if no worker has taken it; return whether that was so, False where Redis does not answer."""
        keys, identity = self._connection.keys, self.identity
        closing = closing_events(ending, 0, None)
        names = (keys.run, keys.log, keys.commands, keys.watching)
        where = [*keys.line, *(name(identity) for name in names), keys.finished]
        kept = self._connection.settings.fleet_kept_milliseconds
        given = [keys.prefix, keys.line_changed, identity, ending.status, kept, keys.readers(identity)]
        given += [b"\n".join(closing), len(closing) - 1, int(unwatched)]
        try:
            return bool(await self._connection.scripts.withdraw(where, given))
        except (*LOST, RedisError):
            return False

    async def _read(self) -> bool:
        """Read once; return whether there may be more at once.

        Raises: Gone.
        """
        keys, redis = self._connection.keys, self._connection.redis
        log, answers = keys.log(self.identity), keys.answers(self.identity)
        pipe = redis.pipeline(transaction=False)
        begin = f"({self._after}-1" if self._after >= 0 else "-"
        pipe.xrange(log, min=begin, count=0 if self._held else _BATCHES)
        pipe.hmget(keys.run(self.identity), "status", "notices", "done", "last")
        pipe.xrange(answers)
        found, (status, notices, done, last), answered = await pipe.execute()
        if status is None:
            raise Gone(self.identity)
        lines = following((batch(fields) for _, fields in found), self._after)
        if lines:
            self._after += len(lines)
            self._take(lines)
        state = State(status.decode(), [] if notices is None else decode_notices(notices), done is not None, int(last))
        if state != self._state:
            self._state = state
            self._changed(state)
        mine = [entry for entry, fields in answered if fields[b"gateway"].decode() == self.reader]
        for _, fields in answered:
            if fields[b"gateway"].decode() == self.reader:
                self._answered(int(fields[b"number"]), commands.decode_answer(fields[b"answer"]))
        if mine or (self._passing and found):
            await self._remove(mine, found)
        return len(found) == _BATCHES or (state.done and self._after < state.last and bool(found))

    async def _remove(self, mine: list[Any], found: list[Any]) -> None:
        keys = self._connection.keys
        pipe = self._connection.redis.pipeline(transaction=False)
        if mine:
            pipe.xdel(keys.answers(self.identity), *mine)
        if self._passing and found:
            pipe.xdel(keys.log(self.identity), *(entry for entry, _ in found))
            pipe.hincrby(keys.run(self.identity), "unread", -sum(len(fields[b"events"]) for _, fields in found))
        pipe.publish(keys.worker(self.identity), "r")
        await pipe.execute()

    def _answered(self, number: int, answer: Answered) -> None:
        if isinstance(answer, Watched):
            self._watched(answer.changes)
        elif number in self._replies:
            reply, client, _ = self._replies.pop(number)
            reply(msgspec.structs.replace(answer, id=client))

"""The WebSocket API: sends the events of a session from any point on, and receives commands."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect, WebSocketState

from backscope.protocol import commands
from backscope.protocol.commands import Answer, Refused
from backscope_server.access.connection import GuardedConnection
from backscope_server.access.room import Room
from backscope_server.api.lookup import find_session
from backscope_server.api.request import RunCommand, StayCommand, StopCommand, command, parse
from backscope_server.api.start import start
from backscope_server.errors import Problem, close
from backscope_server.session.lines import NotKept
from backscope_server.session.session import Session
from backscope_server.settings import Settings

router = APIRouter(prefix="/api")

_ANSWERS = 64
"""The number of answers that may wait for a client before no more of its commands are read."""
_SMALL = 1 << 16
"""The size up to which a message, and the answers of a socket, need no room, bytes."""
_MANY = f"Pages and editors set more than {commands.MOST_BREAKPOINTS:,} breakpoints together; remove some."
_UNREAD = "Too many answers wait for this page or its network address; read them, then ask again."

_FREED = "This server had to free the memory of this run; it is read again."
_AGAIN_SECONDS = 2


async def _message(socket: WebSocket) -> str:
    """Return the next text message of the client.

    Raises: WebSocketDisconnect; Problem for a binary message.
    """
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text: str | None = message.get("text")
    if text is None:
        raise Problem(422, "Commands are text messages with JSON in them; this one was binary.")
    return text


class _Channel:
    """The socket of one client; events, answers and notices are sent on it one message at a time.

    A message is made when the client has read the one before, so one at most waits for a client that does not read.
    Larger data takes room of its address and of all.  `answerable` counts how many more answers may wait for the
    client.
    """

    def __init__(self, socket: WebSocket, *, editor: bool = False) -> None:
        self.socket = socket
        self.editor = editor
        """Whether the client is an editor, whose breakpoints are others than those of pages."""
        self.answers: asyncio.Queue[tuple[bytes, bool]] = asyncio.Queue()
        """Encoded answers, each with whether a place of `answerable` was taken for it."""
        self.answerable = asyncio.Semaphore(_ANSWERS)
        self._answers_nbytes = 0
        self._room: Room = socket.app.state.unread
        self._address: str = socket.state.address
        connection: GuardedConnection = socket.state.connection
        self._writable = connection.writable
        self._turn = asyncio.Lock()
        self._closed = False
        self._held = 0
        """The bytes of the room that the last sent message and the waiting answers hold."""

    async def ask(self, session: Session, given: commands.Command) -> None:
        """Pass a command on to the program; its answer will be sent."""
        await self.answerable.acquire()
        if isinstance(given, commands.SetBreakpoints):
            self._set_breakpoints(session, given)
        else:
            session.command(given, self.answered)

    def _set_breakpoints(self, session: Session, given: commands.SetBreakpoints) -> None:
        shared = session.breakpoints
        if not shared.fits(given, self if self.editor else None):
            self.answered(Refused(id=given.id, reason=_MANY))
            return
        is_shared = self.editor or shared.has_others
        both = shared.from_other(self, given) if self.editor else shared.from_page(given)[0]

        def answered(answer: Answer) -> None:
            if isinstance(answer, commands.BreakpointsSet):
                if is_shared:
                    session.notices.put(shared.notice(answer))
                if self.editor:
                    answer = shared.for_other(self, answer)
            self.answered(answer)

        session.command(both, answered)

    def leave(self, session: Session) -> None:
        """Remove the breakpoints of an editor that leaves."""
        if session.breakpoints.has(self):
            self._set_breakpoints(session, commands.SetBreakpoints(id=0, breakpoints=[]))

    def answered(self, answer: Answer) -> None:
        """Take the answer to a command of `ask`, which will be sent."""
        self._put(answer, asked=True)

    def opened(self, answer: Answer) -> None:
        """Take the answer to a command that came with the program; a session that is known gives none."""
        self._put(answer, asked=False)

    def _put(self, answer: Answer, *, asked: bool) -> None:
        if self._closed:
            return
        encoded = commands.encode(answer)
        if self._answers_nbytes + len(encoded) > _SMALL and not self._take(len(encoded)):
            encoded = commands.encode(Refused(id=answer.id, reason=_UNREAD))
        self._answers_nbytes += len(encoded)
        self.answers.put_nowait((encoded, asked))

    def _take(self, nbytes: int) -> bool:
        taken = self._room.take(self._address, nbytes)
        self._held += nbytes if taken else 0
        return taken

    def _keep(self, nbytes: int) -> None:
        """Return the room that is held beyond so many bytes."""
        if self._held > nbytes:
            self._room.give(self._address, self._held - nbytes)
            self._held = nbytes

    def _waiting(self) -> int:
        """Return the bytes of room that the waiting answers need."""
        return max(0, self._answers_nbytes - _SMALL)

    def close(self) -> None:
        """Drop the data that waits for the client, and return its room."""
        self._closed = True
        self._keep(0)

    @contextlib.asynccontextmanager
    async def sending(self) -> AsyncIterator[None]:
        """Wait until the client has read all earlier messages; the caller sends one within the context."""
        async with self._turn:
            await self._writable.wait()
            if self.socket.application_state is not WebSocketState.CONNECTED:
                raise WebSocketDisconnect(1006)
            self._keep(self._waiting())
            yield
            if self._writable.is_set():
                self._keep(self._waiting())

    async def reply(self) -> None:
        """Send answers as they arrive; waits while the client does not read."""
        while True:
            answer, asked = await self.answers.get()
            async with self.sending():
                self._answers_nbytes -= len(answer)
                await self.socket.send_text(answer.decode())
            self.answers.task_done()
            if asked:
                self.answerable.release()

    async def send_events(self, session: Session, after: int, settings: Settings) -> int:
        """Send the events after `after`, as many as there is room for; return the seq of the last."""
        log = session.log
        reserved = 0  # Room for a single large event for which there was none.
        try:
            while True:
                async with self.sending():
                    roomy = not reserved and self._take(settings.frame_bytes)
                    events = 1 if reserved else settings.frame_events
                    nbytes = reserved or (settings.frame_bytes if roomy else _SMALL)
                    message, sent = log.batch(after, events=events, nbytes=nbytes)
                    if roomy:
                        self._keep(self._waiting() + (len(message) if len(message) > _SMALL else 0))
                    if roomy or reserved or len(message) <= 2 * _SMALL:
                        self._held, reserved = self._held + reserved, 0
                        await self.socket.send_text(message.decode())
                        return sent
                    needed = len(message)
                    del message
                # Answers, which may hold the room that this waits for, are sent meanwhile.
                await self._room.wait(self._address, needed)
                reserved = needed
        finally:
            if reserved:
                self._room.give(self._address, reserved)

    async def receive_commands(self, session: Session) -> None:
        """Receive and carry out commands until the client disconnects."""
        while True:
            given = command(await _message(self.socket))
            if isinstance(given, StopCommand):
                session.stop()
            elif isinstance(given, StayCommand):
                session.reset_pause_clock()
            else:
                await self.ask(session, given)

    async def notify(self, session: Session) -> None:
        """Send the session's notices each time they change."""
        version = 0
        while True:
            version = await session.notices.beyond(version)
            async with self.sending():
                await self.socket.send_text(session.notices.message().decode())


async def _send(channel: _Channel, session: Session, after: int, settings: Settings) -> None:
    """Send every event after `after`, the first batch at once, later ones a frame apart, then the end."""
    log = session.log
    loop = asyncio.get_running_loop()
    not_before = loop.time()
    sent = after
    while await log.beyond(sent):
        if (wait := not_before - loop.time()) > 0:
            await asyncio.sleep(wait)
        sent = await channel.send_events(session, sent, settings)
        if sent > 0:  # The first event alone shows nothing, so the next batch is not delayed.
            not_before = loop.time() + settings.frame_seconds
    await channel.answers.join()
    end: dict[str, object] = {"end": True, "last": log.last}
    if (reason := await session.unkept()) is not None:
        end["unkept"] = reason
    async with channel.sending():
        await channel.socket.send_json(end)
        await channel.socket.close(1000)


async def _serve(channel: _Channel, session: Session, after: int) -> None:
    """Send events and take commands at the same time until either side is done."""
    socket = channel.socket
    settings: Settings = socket.app.state.settings
    tasks = [
        asyncio.create_task(_send(channel, session, after, settings)),
        asyncio.create_task(channel.receive_commands(session)),
        asyncio.create_task(channel.reply()),
    ]
    notifying = asyncio.create_task(channel.notify(session))
    with session.watched(), contextlib.closing(channel):
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            channel.leave(session)
            for task in (*tasks, notifying):
                task.cancel()
            results = await asyncio.gather(*tasks, notifying, return_exceptions=True)
    if results[0] is None:  # The end was sent: messages that arrived meanwhile cannot be answered any more.
        return
    for result in results:
        if isinstance(result, NotKept):
            if session.kept_elsewhere:
                raise Problem(503, _FREED, retry_after=_AGAIN_SECONDS)
            raise Problem(404, str(result))
        if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
            raise result


def _position(text: str) -> int:
    try:
        after = int(text)
    except ValueError:
        after = -2
    if after < -1:
        raise Problem(422, f"after={text[:20]}: the seq of the last event that is known, or -1 for all of them.")
    return after


@router.websocket("/sessions/{identity}/events")
async def follow(socket: WebSocket, identity: str) -> None:
    """Send the events of a session after seq `after`; an editor says that it is one by `as=editor`."""
    await socket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        try:
            session = await find_session(socket.app, identity)
            channel = _Channel(socket, editor=socket.query_params.get("as") == "editor")
            await _serve(channel, session, _position(socket.query_params.get("after", "-1")))
        except Problem as problem:
            await close(socket, problem)


@router.websocket("/run")
async def run(socket: WebSocket) -> None:
    """Run the program in the client's first message and send its events."""
    settings: Settings = socket.app.state.settings
    await socket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        try:
            try:
                async with asyncio.timeout(settings.request_seconds):
                    text = await _message(socket)
            except TimeoutError:
                raise Problem(408, f"No program came within {settings.request_seconds:g} s. Run it again.") from None
            order = parse(RunCommand, text)
            opening = order.opening()
            program = order.program(settings.source_bytes)
            channel = _Channel(socket)
            with contextlib.closing(channel):
                answered = [(given, channel.opened) for given in opening]
                session = await start(
                    socket.app, socket.state.address, program, key=order.key, opening=answered, fresh=order.fresh
                )
                for given in opening:
                    if isinstance(given, commands.SetBreakpoints):
                        session.breakpoints.from_page(given)
                await socket.send_json({"session": session.id})
                await _serve(channel, session, -1)
        except Problem as problem:
            await close(socket, problem)


@router.websocket("/{path:path}")
async def nothing(socket: WebSocket, path: str) -> None:
    """Answer any other path under /api with an error message and a close code."""
    await socket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        await close(socket, Problem(404, f"There is nothing at /api/{path[:80]}."))

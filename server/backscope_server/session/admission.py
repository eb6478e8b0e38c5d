"""Validates every byte that a program's process sends before it enters the log; the process is taken to be hostile."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from backscope.diagnosis.why.answer import amount
from backscope.protocol import commands, events
from backscope.protocol.events.base_event import BaseEvent
from backscope_server.sandbox.limits import Limits
from backscope_server.session import ending
from backscope_server.session.ending import Ending
from backscope_server.session.lines import Lines

_BATCH = 1 << 16
"""Bytes of a recorded log that are kept at a time."""

_PLACES = frozenset((events.RoundStarted, events.LoopFinished, events.FunctionEntered, events.FunctionLeft))
"""Events with the line of a loop's or function's definition, not of the statement that ran."""
_RULED = frozenset((events.OutputPrinted, events.ErrorRaised, events.Paused, events.Resumed, events.ProgramFinished))
"""The kinds that have a rule beside the bounds of their fields."""
_OPENINGS = {kind: events.opening(kind) for kind in events.KINDS.values()}
"""The bytes that an event begins with, by its kind: readers of the log find kinds by them."""


class Admission:
    """Validates the byte stream of one run: a JSON event per line, of known kinds, in order, within the limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.finished: str | None = None
        """The status of the program_finished event once it has come; nothing is admitted after it."""
        self.line: int | None = None
        """The last line of the user's program that an event named."""
        self.paused = False
        """True while the program is stopped in the debugger."""
        self.may_go_on = False
        """True once a command to go on was sent since."""
        self.awaited: set[int] = set()
        """The commands that it has yet to answer."""
        self.watching: set[int] = set()
        """The Watch commands that may have Watched answers: the one in force, and later ones that are not answered."""
        self.answers: list[commands.Reply] = []
        """The answers that came and were not taken yet."""
        self.taken: dict[int, tuple[int, bool]] = {}
        """The last event before each of them, and whether the program was paused."""
        self._seq = 0
        self._nbytes = 0
        self._output = 0
        self._rest = bytearray()

    def admit(self, data: bytes) -> tuple[list[bytes], Ending | None]:
        """Return the events that `data` completes, as they came, and why the run must end now, or None.

        Each is valid UTF-8 and JSON of one meaning: it has the fields of its kind, its kind first, and no others.
        """
        admitted: list[bytes] = []
        *complete, rest = data.split(b"\n")
        if complete and self._rest:
            complete[0] = bytes(self._rest) + complete[0]
            self._rest.clear()
        for line in complete:
            if self.finished is not None:
                return admitted, None
            if (verdict := self._check(line, admitted)) is not None:
                return admitted, verdict
        if self.finished is None:
            self._rest += rest
        if len(self._rest) > self.limits.event_bytes:
            return admitted, ending.event_too_long(self.limits)
        return admitted, None

    def _check(self, line: bytes, admitted: list[bytes]) -> Ending | None:
        limits = self.limits
        if len(line) >= limits.event_bytes:
            return ending.event_too_long(limits)
        if line.startswith(commands.ANSWER_OPENING):
            return self._check_answer(line)
        try:
            event = events.decode(line)
        except (ValueError, RecursionError, OverflowError):  # msgspec's errors and UnicodeError are ValueErrors.
            return ending.broken_stream("something that is not an event")
        kind = type(event)
        if not line.startswith(_OPENINGS[kind]):
            return ending.broken_stream("something that is not an event")
        if event.seq != self._seq:
            return ending.broken_stream("events out of order")
        if (kind is events.ProgramStarted) is not (self._seq == 0):
            return ending.broken_stream("a program starts once, with its first event")
        if kind in _RULED and (verdict := self._apply_rule(event)) is not None:
            return verdict
        self._nbytes += len(line)
        if self._nbytes > limits.log_bytes:
            self.finished = None
            return ending.log_full(limits)
        self._seq += 1
        if self._seq > limits.events and self.finished is None:
            return ending.too_many_events(limits)
        if event.line is not None and kind not in _PLACES:
            self.line = event.line
        admitted.append(line)
        return None

    def _apply_rule(self, event: BaseEvent) -> Ending | None:
        """Check an event of a kind that has a rule of its own."""
        if isinstance(event, events.OutputPrinted):
            self._output += len(event.text.encode("utf-8", "replace"))
            if self._output > self.limits.output_bytes:
                return ending.output(self.limits)
        elif isinstance(event, events.ErrorRaised):
            if event.stage == "limit":
                return ending.broken_stream("an error that only the server raises")
        elif isinstance(event, events.Paused):
            if self.paused:
                return ending.broken_stream("it paused twice")
            self.paused = True
        elif isinstance(event, events.Resumed):
            if not self.paused or not self.may_go_on:
                return ending.broken_stream("it went on without a command")
            self.paused = self.may_go_on = False
        elif isinstance(event, events.ProgramFinished):
            if event.status not in ("ok", "error"):
                return ending.broken_stream("a status that only the server gives")
            self.finished = event.status
        return None

    def _check_answer(self, line: bytes) -> Ending | None:
        try:
            answer = commands.decode_answer(line)
        except (ValueError, RecursionError, OverflowError):
            return ending.broken_stream("something that is not an answer")
        if isinstance(answer, commands.Watched) and answer.id in self.watching:
            self._nbytes += len(line)
            if self._nbytes > self.limits.log_bytes:
                return ending.log_full(self.limits)
            self.answers.append(answer)
            return None
        if isinstance(answer, commands.Watched) or answer.id not in self.awaited:
            return ending.broken_stream("an answer to no command")
        self.awaited.discard(answer.id)
        self.taken[answer.id] = self._seq - 1, self.paused
        if answer.id in self.watching:
            # A program has one Watch in force, which replaces the earlier ones.
            if isinstance(answer, commands.WatchSet):
                self.watching = {number for number in self.watching if number >= answer.id}
            else:
                self.watching.discard(answer.id)
        self.answers.append(answer)
        return None


class NotATrace(ValueError):
    """The error for a recorded log that does not follow the protocol; the text says where."""


def check_recorded(lines: Iterable[bytes], limits: Limits, admitted: Lines) -> str:
    """Validate the events of a trace file and put them, encoded anew, into `admitted`; return its status.

    The events obey the limits of a program.

    Raises: NotATrace, naming the first event that is wrong.
    """
    batch: list[bytes] = []
    size = 0
    status: str | None = None
    for seq, line in enumerate(lines):
        if len(line) >= limits.event_bytes:
            raise NotATrace(
                f"Event {seq} of the trace is longer than {amount(limits.event_bytes)}: raise "
                "BACKSCOPE_EVENT_BYTES to open it."
            )
        try:
            event = events.decode(line)
            encoded = events.encode(event)  # Others write JSON with other spaces, and the kind at any place.
        except (ValueError, RecursionError, OverflowError) as error:
            reason = str(error) if isinstance(error, msgspec.ValidationError) else "it is not valid JSON"
            raise NotATrace(f"Event {seq} of the trace is not an event of this protocol: {reason}.") from None
        if event.seq != seq:
            raise NotATrace(f"Event {seq} of the trace has seq {event.seq}: events are missing or doubled.")
        if status is not None or isinstance(event, events.ProgramStarted) is not (seq == 0):
            raise NotATrace(f"Event {seq} of the trace is a {type(event).__name__}, which cannot be at this place.")
        if isinstance(event, events.ProgramFinished):
            status = event.status
        batch.append(encoded)
        size += len(encoded)
        if size >= _BATCH:
            admitted.append(batch)
            batch, size = [], 0
    if status is None:
        raise NotATrace("The trace does not end with program_finished: it is empty or was cut off. Record it again.")
    admitted.append(batch)
    return status

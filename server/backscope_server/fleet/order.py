"""What Redis holds of a run besides its log: its order, its commands, and the answers to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from backscope.protocol import commands
from backscope_server.sandbox.limits import Limits
from backscope_server.session.notice import Notice
from backscope_server.session.program import Program
from backscope_server.session.timing import Timing

# Any message of Redis: names and values as it keeps them.
Fields: TypeAlias = Mapping[bytes, bytes]


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """A program to run, within which limits.

    `passing` is a run that only the gateway that started it reads, such as one for values of the past: its events are
    removed once they are read, and it is not run again.  `result` names a run whose end may answer other starts.
    """

    program: Program
    limits: Limits
    timing: Timing
    passing: bool = False
    result: str | None = None


encode = msgspec.json.Encoder().encode
decode_order = msgspec.json.Decoder(Order).decode
decode_notices = msgspec.json.Decoder(list[Notice]).decode

Kind = Literal["command", "stop", "stay"]


class Given(NamedTuple):
    """A command as the stream has it: its entry, the gateway that waits for the answer, and the number it gave it."""

    entry: str
    gateway: str
    number: int
    kind: str
    command: commands.Order | None

    @property
    def is_looking(self) -> bool:
        """Return whether it changes nothing, so that it need not be repeated."""
        return isinstance(self.command, (commands.ListLocals, commands.ReadTensor, commands.MeasureTensor))


def given(entry: bytes, fields: Fields) -> Given:
    """Return a command of the stream."""
    kind = fields[b"kind"].decode()
    command = commands.decode_command(fields[b"command"]) if kind == "command" else None
    return Given(entry.decode(), fields[b"gateway"].decode(), int(fields[b"number"]), kind, command)


class Taken(msgspec.Struct, frozen=True, array_like=True):
    """A command that a program took: its entry, the event after which it did, and whether it was paused there."""

    entry: str
    after: int
    paused: bool


decode_taken = msgspec.json.Decoder(list[Taken]).decode


class Batch(NamedTuple):
    """Events of a log that were written together, and the commands that the program had taken by then."""

    first: int
    lines: list[bytes]
    taken: list[Taken]


def batch(fields: Fields) -> Batch:
    """Return an entry of a log."""
    events = fields[b"events"]
    return Batch(int(fields[b"first"]), events.split(b"\n") if events else [], decode_taken(fields[b"taken"]))


def following(batches: Iterable[Batch], after: int) -> list[bytes]:
    """Return the events after seq `after`, each once; those beyond a gap are left."""
    found: list[bytes] = []
    for one in batches:
        skipped = after + len(found) + 1 - one.first
        if skipped < 0:
            break
        found += one.lines[skipped:]
    return found

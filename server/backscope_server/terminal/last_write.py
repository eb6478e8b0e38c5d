"""The last write of a variable, of its `.grad`, or of one element of these, before a moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from backscope.diagnosis.why.log.facts import until
from backscope.protocol import commands as c
from backscope_server.terminal import tensor_slices
from backscope_server.terminal.debug_session import DebugSession, Impossible

MOST = 1000
"""Writes that are compared at most where one element is asked for: each may be read from a program that runs again."""


def last_write(session: DebugSession, typed: str) -> int:
    """Return the last event before the moment that is inspected that wrote what is typed: `w`, `w.grad` or `w[0, 1]`.

    An element was written where its value is another one than before.

    Raises: Impossible, and NotThere for what is no tensor.
    """
    seq = session.seq if session.past is None else session.history.moments[session.past].first - 1
    # A `.grad` that is None now has been written too: it has the shape of its tensor.
    tensor, grad, index = typed.partition(".grad")
    command = tensor_slices.parse(tensor + index, session.history.tape, session.seq).command
    if grad:
        command = msgspec.structs.replace(command, of="grad")
    writes = [at for at in _writes(session, command) if at <= seq]
    if not writes:
        raise Impossible(f"{typed} was not written before this moment.")
    if not command.begin:
        return writes[-1]
    return _changed(session, typed, command, writes[-MOST:])


def _writes(session: DebugSession, command: c.ReadTensor) -> Sequence[int]:
    """Return the events that wrote a tensor, or its `.grad`, in order."""
    history, tensor = session.history, command.tensor
    if command.of == "data":
        values = history.values.get(tensor)
        return [] if values is None else values.seqs
    tape = history.tape
    events: list[Any] = [
        *until(tape.tensors[tensor].grads, session.seq), *tape.grad_mutations(tensor, session.seq)
    ]  # fmt: skip
    return sorted({event.seq for event in events})


def _changed(session: DebugSession, typed: str, command: c.ReadTensor, writes: Sequence[int]) -> int:
    """Return the last of these events after which the elements have other values than before it."""
    found: int | None = None
    before: list[Any] | None = None
    for at in writes:
        try:
            values = session.read(command, at).values
        except Impossible:  # A `.grad` that was cleared.
            values = []
        if values != before:
            found = at
        before = values
    if found is None:
        raise Impossible(f"{typed} was not written before this moment.")
    return found

"""The narrator: the state that the making of events keeps from one moment to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import msgspec

from backscope.protocol import events as ev, fitting
from backscope.protocol.file_lines import FileLine, written
from backscope.protocol.template import template
from backscope.recorder.narration.code_location import Lines
from backscope.recorder.narration.loops import Loop, Loops
from backscope.recorder.narration.other_files import OtherFiles
from backscope.summary.summary import captured, foreign_summary
from backscope.summary.summary_batch import texts

Line = int | None

Captured: TypeAlias = Any
"""A value in a moment: Held, a copy of an array, a Digest, a Blank or a number."""

_TENSOR_RELEASED = template(ev.TensorReleased, line=None)
_NODE_RELEASED = template(ev.NodeReleased, line=None)


def clean(value: object) -> str:
    """Return a text of the user's as JSON can carry it: lone surrogates are escaped."""
    return str(value).encode("utf-8", "backslashreplace").decode()


def _alone(value: Captured) -> bytes:
    try:
        return texts([value])[0]
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - whatever a value may be
        return msgspec.json.encode(foreign_summary(value))


class Narrator:
    """Keeps where tensors live, what nodes saved, and the values whose summaries are still to be made.

    `marks` has the place of each of these `values` in the text of events, by id.
    """

    def __init__(self, first_sequence_nr: int = 0, others: OtherFiles | None = None) -> None:
        self.first_sequence_nr = first_sequence_nr
        self.places: dict[int, tuple[int, int]] = {}
        """The storage and the bytes of each tensor that exists."""
        self.saved: dict[int, list[tuple[str, int | None, int, int]]] = {}
        """Slot, tensor, storage and bytes of what nodes saved."""
        self.edges: dict[int, Any] = {}
        self.values: list[Any] = []
        self.marks: dict[int, bytes] = {}
        self.numbers: dict[Any, bytes] = {}
        self.rounds: tuple[list[int], bytes] = [], b""
        self.attributes: dict[int, tuple[bytes, Any, Any]] = {}
        self.paths: list[str] = []
        self.depths: list[int] = [0]
        self.path_of: dict[int, str] = {}
        self.loops = Loops()
        self.others = others or OtherFiles()
        self.lines = Lines(self.others)

    def events_of(self, seq: int, moment: tuple[Any, ...]) -> Iterable[ev.Event | bytes]:
        """Return the events of one moment, numbered from `seq`; those of frequent moments as a list of texts."""
        line = moment[1]
        if line.__class__ is tuple:
            line = self.lines.line(line)
        if line.__class__ is FileLine:
            return self._elsewhere(seq, line, moment)
        if line is not None and line < 0:  # Compiled code may have any number.
            line = None
        events: Iterable[ev.Event | bytes] = moment[0](self, seq, line, *moment[2:])
        return events

    def _elsewhere(self, seq: int, line: FileLine, moment: tuple[Any, ...]) -> list[bytes]:
        """Return the events of a moment in another file than the main one, encoded."""
        own, both = b'"line":%d,' % line, b'"line":%d,"file":%d,' % (line.line, line.file)
        return [
            one.replace(own, both, 1) if isinstance(one, bytes) else fitting.encode(written(one))
            for one in moment[0](self, seq, line, *moment[2:])
        ]

    def tensor_released(self, seq: int, tensor: int) -> bytes:
        """Return the event of a tensor that was released."""
        self.places.pop(tensor, None)
        return _TENSOR_RELEASED % (seq, tensor)

    def node_released(self, seq: int, node: int) -> bytes:
        """Return the event of a node that was released."""
        self.saved.pop(node, None)
        self.edges.pop(node, None)
        if self.path_of:
            self.path_of.pop(node, None)
        return _NODE_RELEASED % (seq, node)

    def live_storages(self) -> set[int]:
        """Return the storages of the tensors that exist, and of what nodes have saved."""
        live = {storage for storage, _ in self.places.values()}
        live.update(storage for saved in self.saved.values() for _, _, storage, _ in saved)
        return live

    def mark(self, seq: int, mark: int) -> Iterator[ev.Event]:
        """Yield the event of the mark of a loop or function, if it has one."""
        over = self.loops.mark(mark, passing=len(self.depths) > 1)
        if over is not None:
            line, _ = self.loops.sites[over.site]
            if isinstance(over, Loop):
                yield written(ev.LoopFinished(seq=seq, line=line, loop=over.number, rounds=over.round))
            else:
                yield written(ev.FunctionLeft(seq=seq, line=line, call=over.number))

    def news(self, seq: int) -> list[ev.Event]:
        """Return the events of calls and rounds that have none yet."""
        return [written(event) for event in self.loops.news(seq)]

    def repeat(self) -> bytes:
        """Return the rounds of the loops that are running, as JSON without the brackets around them."""
        rounds = self.loops.repeat
        if rounds is not self.rounds[0]:
            self.rounds = rounds, msgspec.json.encode(rounds)[1:-1]
        return self.rounds[1]

    def path(self, during: int | None) -> str | None:
        """Return the path of the module that an op runs in; for an op of a formula, that of its node `during`."""
        if during is None or len(self.paths) > self.depths[-1]:
            return self.paths[-1] if self.paths else None
        return self.path_of.get(during)

    def value(self, captured: Captured) -> bytes:
        """Return the mark in an event's text that finish() replaces by the Summary of a captured value."""
        mark = self.marks.get(id(captured))
        if mark is None:
            mark = self.marks[id(captured)] = b"\xff%d\xff" % len(self.values)
            self.values.append(captured)
        return mark

    def optional_value(self, captured: Captured) -> bytes:
        """Return value(), or null for None."""
        return b"null" if captured is None else self.value(captured)

    # Any: a Raw that holds the JSON of a Summary.
    def summary(self, captured: Captured) -> Any:
        """Return value() as a part of an event that is not encoded yet."""
        return msgspec.Raw(self.value(captured))

    # Any: a Raw that holds the JSON of a Summary.
    def optional(self, captured: Captured) -> Any:
        """Return summary(), or None for None."""
        return None if captured is None else self.summary(captured)

    def finish(self, events: bytes) -> bytes:
        """Return encoded events with Summaries in place of the marks of values; JSON never has their byte 255."""
        if self.values:
            made = self._made(captured(self.values))
            parts = events.split(b"\xff")
            parts[1::2] = [made[int(number)] for number in parts[1::2]]
            events = b"".join(parts)
            self.forget()
        return events

    def _made(self, values: list[Any]) -> list[bytes]:
        """Return the Summaries of values; one that cannot be summarized does not affect the others."""
        try:
            return texts(values)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - whatever a value may be
            return [_alone(value) for value in values]

    def forget(self) -> None:
        """Drop the values, whose summaries are made."""
        self.values.clear()
        self.marks.clear()

"""What narration remembers from one moment to the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from backscope import events as ev
from backscope.identity import NodeToken, Token
from backscope.summary import summarize

Line = int | None


def clean(value: Any) -> str:
    """A text of the user's as JSON can carry it: lone surrogates are escaped."""
    return str(value).encode("utf-8", "backslashreplace").decode()


class Narrator:
    """What narration remembers: where tensors live, what nodes saved, and the last summaries, which come again."""

    def __init__(self) -> None:
        self.places: dict[int, tuple[int, int]] = {}
        self.saved: dict[int, list[ev.SavedTensor]] = {}
        self.edges: dict[int, Any] = {}
        self.waiting: dict[int, dict[int, Any]] = {}
        self.last: list[tuple[Any, ev.Summary]] = []

    def tell(self, seq: int, moment: Any) -> Iterator[ev.Event]:
        """The events of one moment, numbered from `seq`."""
        if moment.__class__ is Token:
            return tensor_released(self, seq, moment.tensor)
        if moment.__class__ is NodeToken:
            return node_released(self, seq, moment.node)
        build, line, *rest = moment
        events: Iterator[ev.Event] = build(self, seq, line, *rest)
        return events

    def summary(self, captured: Any) -> ev.Summary:
        """The Summary of a captured value, not computed twice for the same object."""
        for known, made in self.last:
            if known is captured:
                return made
        made = summarize(captured)
        self.last.append((captured, made))
        if len(self.last) > 4:
            del self.last[0]
        return made

    def optional(self, captured: Any) -> ev.Summary | None:
        """The Summary of a captured value, None for None."""
        return None if captured is None else self.summary(captured)


def tensor_released(n: Narrator, seq: int, tensor: int) -> Iterator[ev.Event]:
    """A tensor died."""
    n.places.pop(tensor, None)
    yield ev.TensorReleased(seq=seq, line=None, tensor=tensor)


def node_released(n: Narrator, seq: int, node: int) -> Iterator[ev.Event]:
    """A node died."""
    n.saved.pop(node, None)
    n.edges.pop(node, None)
    yield ev.NodeReleased(seq=seq, line=None, node=node)
